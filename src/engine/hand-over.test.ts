// SPDX-License-Identifier: Apache-2.0
import { test } from "node:test";
import { handOverPromise, playHandOvers } from "./testing/hand-over.ts";

const TROUBLES = 7;
/** The same moments each time; give another number in BUTLER_SEED to look further. */
const SEED = Number(process.env.BUTLER_SEED ?? 20260401);

test(`${handOverPromise} (${TROUBLES} times, BUTLER_SEED=${SEED})`, async (t) => {
  for (const line of await playHandOvers({ seed: SEED, troubles: TROUBLES })) t.diagnostic(line);
});
