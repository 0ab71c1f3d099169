// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { test } from "node:test";
import {
  evenly,
  parsePlan,
  planAll,
  reportText,
  type SweepReport,
  spread,
  storyText,
  sweep,
} from "../../engine/testing/index.ts";
import { type HarvesterSimulation, harvesterSimulator as simulator } from "./simulator.ts";
import { sweptEntry as entry, parseReplay, REPLAY_MODES, SWEEP_MODES, SWEPT_SPEC } from "./testing/sweep-modes.ts";

/** A life to repeat alone, as a report has it, and in which mode: `BUTLER_SWEEP="basic: infrastructure#7 lose-answer restart"`. */
const alone = process.env.BUTLER_SWEEP;
const seed = Number(process.env.BUTLER_SWEEP_SEED ?? 7);
const LEAST_LIVES = 2_000;
const OVER_SOCKETS = 80;

const share = new URL("./testing/sweep-share.ts", import.meta.url);
const threads = Math.min(2, availableParallelism());

if (alone === undefined) {
  const reports: SweepReport[] = [];
  for (const mode of Object.keys(SWEEP_MODES))
    test(`Harvester, ${mode} rights: whatever goes wrong at any point of a life, it is one machine, then none, and all is told as it is`, async (context) => {
      const report = await spread(share, { threads, data: { mode, seed } });
      reports.push(report);
      for (const line of reportText(report, { mode }).split("\n")) context.diagnostic(line);
      assert.deepEqual(report.failed, []);
      assert.equal(report.mostMachines, 1);
    });
  test("Harvester, over sockets: the same holds for a part of the lives", async (context) => {
    const report = await sweep<HarvesterSimulation>(entry, simulator, {
      seed,
      spec: SWEPT_SPEC,
      ...REPLAY_MODES.sockets,
      plans: (model, planning) => evenly(planAll(model, planning), { count: OVER_SOCKETS, seed }),
    });
    for (const line of reportText(report, { mode: "sockets" }).split("\n")) context.diagnostic(line);
    assert.deepEqual(report.failed, []);
  });
  test("Harvester: the sweep is a whole one", () => {
    const lives = reports.reduce((sum, report) => sum + report.lives, 0);
    assert.ok(lives >= LEAST_LIVES, `${lives} lives`);
  });
} else {
  const { mode, options, life } = parseReplay(alone);
  test(`Harvester, ${mode}: the life ${life}`, async () => {
    const report = await sweep<HarvesterSimulation>(entry, simulator, {
      ...options,
      seed,
      spec: SWEPT_SPEC,
      plans: () => [parsePlan(life)],
      onLife: (story) => console.log(storyText(story)),
    });
    assert.deepEqual(report.failed, []);
  });
}
