// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { scenarioReportText, sweepScenarios } from "../../engine/testing/index.ts";
import { type HarvesterSimulation, harvesterSimulator as simulator } from "./simulator.ts";
import { harvesterCircumstances } from "./testing/sweep-circumstances.ts";
import { sweptEntry as entry, SWEEP_MODES } from "./testing/sweep-modes.ts";

test("Harvester: whatever people and outsiders do in a life, no machine is doubled, lost or left, and all is told as it is", async (context) => {
  const reports = await sweepScenarios<HarvesterSimulation>(entry, simulator, {
    ...SWEEP_MODES.full,
    circumstances: harvesterCircumstances({ isBasic: false }),
    seed: 7,
    // More points are played by `sweep-scenarios.full.ts`, and all where that is asked for.
    pointsEach: 1,
  });
  for (const line of scenarioReportText(reports, { mode: "full" }).split("\n")) context.diagnostic(line);
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
