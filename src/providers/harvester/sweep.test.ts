// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { evenly, planAll, reportText, sweep } from "../../engine/testing/index.ts";
import { type HarvesterSimulation, harvesterSimulator as simulator } from "./simulator.ts";
import { sweptEntry as entry, REPLAY_MODES, SWEEP_MODES, SWEPT_SPEC } from "./testing/sweep-modes.ts";

/** As many as a minute is enough for; all of them are lived by `sweep.full.ts`. */
const LIVES = { full: 80, basic: 50 };
const OVER_SOCKETS = 5;
/** Of a life that nothing disturbs, in four minutes: 19 with which a manager begins, a check, 5 and 7 for the machine, a look. */
const MOST_CALLS = 40;
const seed = 7;

for (const mode of ["full", "basic"] as const)
  test(`Harvester, ${mode} rights: whatever goes wrong in a life, it is one machine, then none, and all is told as it is`, async (context) => {
    const report = await sweep<HarvesterSimulation>(entry, simulator, {
      ...SWEEP_MODES[mode],
      seed,
      spec: SWEPT_SPEC,
      plans: (model, planning) => evenly(planAll(model, planning), { count: LIVES[mode], seed }),
    });
    for (const line of reportText(report, { mode }).split("\n")) context.diagnostic(line);
    assert.deepEqual(report.failed, []);
    assert.equal(report.mostMachines, 1);
    assert.equal(report.lives, LIVES[mode]);
    assert.ok(report.undisturbedCalls <= MOST_CALLS, `${report.undisturbedCalls} calls`);
  });

test("Harvester, over sockets: the same holds for some lives", async (context) => {
  const report = await sweep<HarvesterSimulation>(entry, simulator, {
    ...REPLAY_MODES.sockets,
    seed,
    spec: SWEPT_SPEC,
    plans: (model, planning) => evenly(planAll(model, planning), { count: OVER_SOCKETS, seed }),
  });
  for (const line of reportText(report, { mode: "sockets" }).split("\n")) context.diagnostic(line);
  assert.deepEqual(report.failed, []);
});
