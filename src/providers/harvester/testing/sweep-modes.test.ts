// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePlan, planText, reportText } from "../../../engine/testing/index.ts";
import { NO_REPORT } from "../../../engine/testing/sweep/report.ts";
import { parseReplay, REPLAY_MODES } from "./sweep-modes.ts";

const plan = "infrastructure#7 lose-answer restart + kubernetes#12 kill-after lag";

test("a life that failed can be repeated with what its report prints, in every mode", () => {
  const report = { ...NO_REPORT, failed: [{ plan, seed: 99, violations: [] }] };
  for (const [mode, options] of Object.entries(REPLAY_MODES)) {
    const printed = /^FAILED BUTLER_SWEEP_SEED=(\d+) BUTLER_SWEEP="([^"]*)": /m.exec(reportText(report, { mode }));
    assert.equal(printed?.[1], "99");
    const replay = parseReplay(printed?.[2] ?? "");
    assert.deepEqual([replay.mode, replay.options, planText(parsePlan(replay.life))], [mode, options, plan]);
  }
});

test("a life without a mode has all rights, and a mode that is none is refused", () => {
  assert.deepEqual(parseReplay(plan), { mode: "full", options: REPLAY_MODES.full, life: plan });
  assert.throws(() => parseReplay(`most: ${plan}`), /there is no mode "most"/);
});
