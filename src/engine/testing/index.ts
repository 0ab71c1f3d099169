// SPDX-License-Identifier: Apache-2.0
export type { MachineRule } from "./contract-rule.ts";
export type { Contestants, Stage } from "./contract-stage.ts";
export { machineContract, machineRules, playRule } from "./machine-contract.ts";
export type {
  Fault,
  FaultEffect,
  RunningSimulator,
  SimulatedAccess,
  SimulatedMachine,
  SimulatedRequest,
  Simulator,
  SimulatorOptions,
} from "./simulator.ts";
export type { Hazards } from "./soak/hazards.ts";
export type { Period } from "./soak/ledger.ts";
export { type SoakOptions, type SoakReport, soak } from "./soak/soak.ts";
export { type Canaries, createCanaries } from "./sweep/canaries.ts";
export { FAULT_NAMES, FAULTS, type FaultName } from "./sweep/fault.ts";
export { type LifeOptions, type LifeStory, live } from "./sweep/life.ts";
export { type Incident, type LifePlan, parsePlan, planText } from "./sweep/life-plan.ts";
export { createOracle, type Oracle, type OracleOptions, type Violation } from "./sweep/oracle.ts";
export {
  evenly,
  type Planning,
  planChances,
  planDeletions,
  planFaults,
  planLongTroubles,
  planOldViews,
} from "./sweep/plan-lives.ts";
export { type FailedLife, type ReportedSweep, reportText, type SweepReport } from "./sweep/report.ts";
export { SCENARIOS } from "./sweep/scenarios/all-scenarios.ts";
export { playAlone } from "./sweep/scenarios/play-alone.ts";
export type { Circumstances, Play, Scenario, Scene } from "./sweep/scenarios/scenario.ts";
export { spreadScenarios } from "./sweep/scenarios/spread-scenarios.ts";
export {
  type ScenarioReport,
  type ScenarioSweepOptions,
  scenarioReportText,
  sweepScenarios,
} from "./sweep/scenarios/sweep-scenarios.ts";
export { type Share, shareOf, spread } from "./sweep/spread.ts";
export { storyText } from "./sweep/story-text.ts";
export { planAll, type SweepOptions, sweep } from "./sweep/sweep.ts";
export { type Disturbance, type Point, pointText, type Side, type Traffic } from "./sweep/traffic.ts";
export {
  NETWORK_DATA_CANARY,
  raiseWorld,
  StuckError,
  USER_DATA_CANARY,
  type World,
  type WorldOptions,
} from "./sweep/world.ts";
export type { ManagerStart, WorldManager } from "./sweep/world-manager.ts";
