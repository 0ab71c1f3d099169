// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { test } from "node:test";
import { playAlone, scenarioReportText, spreadScenarios, storyText } from "../../engine/testing/index.ts";
import { type HarvesterSimulation, harvesterSimulator as simulator } from "./simulator.ts";
import { harvesterCircumstances } from "./testing/sweep-circumstances.ts";
import { sweptEntry as entry, parseReplay } from "./testing/sweep-modes.ts";

/** A life to repeat alone, as a report has it, and in which mode: `BUTLER_SWEEP="basic: config-deleted infrastructure#7"`. */
const alone = process.env.BUTLER_SWEEP;
const seed = Number(process.env.BUTLER_SWEEP_SEED ?? 7);
/** Every point takes most of an hour: that is asked for with `BUTLER_SWEEP_POINTS=all`. Others are spread evenly over the life. */
const isWhole = process.env.BUTLER_SWEEP_POINTS === "all";
const chancesEach = isWhole ? 12 : 1;
const pointsEach = isWhole ? undefined : 3;
const share = new URL("./testing/scenario-share.ts", import.meta.url);
const threads = Math.min(2, availableParallelism());

if (alone === undefined) {
  for (const mode of ["full", "basic"] as const)
    test(`Harvester, ${mode} rights: whatever people and outsiders do in the course of a life, no machine is doubled, lost or left, and all is told as it is`, async (context) => {
      const reports = await spreadScenarios(share, { threads, data: { mode, seed, chancesEach, pointsEach } });
      for (const line of scenarioReportText(reports, { mode }).split("\n")) context.diagnostic(line);
      assert.deepEqual(
        reports.flatMap(({ report }) => report.failed),
        [],
      );
      assert.deepEqual(
        reports.filter(({ played }) => played === 0).map(({ name }) => name),
        [],
        "these were never played",
      );
    });
} else {
  const { mode, options, life } = parseReplay(alone);
  test(`Harvester, ${mode}: ${life}`, async () => {
    const story = await playAlone<HarvesterSimulation>(life, {
      ...options,
      entry,
      simulator,
      circumstances: harvesterCircumstances({ isBasic: mode === "basic" }),
      seed,
    });
    console.log(storyText(story));
    assert.deepEqual(story.violations, []);
  });
}
