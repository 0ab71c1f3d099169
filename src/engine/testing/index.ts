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
