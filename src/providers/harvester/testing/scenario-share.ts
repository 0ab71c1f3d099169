// SPDX-License-Identifier: Apache-2.0
import { parentPort, workerData } from "node:worker_threads";
import { SCENARIOS, type Share, shareOf, sweepScenarios } from "../../../engine/testing/index.ts";
import { type HarvesterSimulation, harvesterSimulator } from "../simulator.ts";
import { harvesterCircumstances } from "./sweep-circumstances.ts";
import { SWEEP_MODES, type SweepMode, sweptEntry } from "./sweep-modes.ts";

/** What a thread is told. */
export interface ScenarioShareData extends Share {
  readonly mode: SweepMode;
  readonly seed: number;
  readonly chancesEach: number;
  readonly pointsEach?: number | undefined;
}

const data: ScenarioShareData = workerData;

parentPort?.postMessage(
  await sweepScenarios<HarvesterSimulation>(sweptEntry, harvesterSimulator, {
    ...SWEEP_MODES[data.mode],
    circumstances: harvesterCircumstances({ isBasic: data.mode === "basic" }),
    scenarios: shareOf(SCENARIOS, data),
    seed: data.seed,
    chancesEach: data.chancesEach,
    ...(data.pointsEach === undefined ? {} : { pointsEach: data.pointsEach }),
  }),
);
