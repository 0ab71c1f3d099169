// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { kubernetesTest } from "../../test/kubernetes/harness.ts";
import { serverAnswers } from "./testing/server-answers.ts";
import type { Answers } from "./testing/table.ts";

const FILE = join(import.meta.dirname, "testing", "answers.json");

/** With BUTLER_RECORD=1 the answers are written down instead of compared; format the file after that. */
kubernetesTest("a real server answers every case as recorded", async (server) => {
  const answers = await serverAnswers(server);
  if (process.env.BUTLER_RECORD === "1") {
    writeFileSync(FILE, `${JSON.stringify(answers, undefined, 2)}\n`);
    return;
  }
  const recorded = JSON.parse(readFileSync(FILE, "utf8")) as Answers;
  for (const [table, cases] of Object.entries(answers)) assert.deepEqual(cases, recorded[table], table);
});
