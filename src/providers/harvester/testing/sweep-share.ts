// SPDX-License-Identifier: Apache-2.0
import { parentPort, workerData } from "node:worker_threads";
import { planAll, type Share, shareOf, sweep } from "../../../engine/testing/index.ts";
import { harvesterSimulator } from "../simulator.ts";
import { SWEEP_MODES, SWEPT_SPEC, type SweepMode, sweptEntry } from "./sweep-modes.ts";

/** What a thread is told. */
export interface ShareData extends Share {
  readonly mode: SweepMode;
  readonly seed: number;
}

const data: ShareData = workerData;
const { seed } = data;

parentPort?.postMessage(
  await sweep<Awaited<ReturnType<typeof harvesterSimulator.start>>>(sweptEntry, harvesterSimulator, {
    ...SWEEP_MODES[data.mode],
    seed,
    spec: SWEPT_SPEC,
    plans: (model, planning) => shareOf(planAll(model, planning), data),
  }),
);
