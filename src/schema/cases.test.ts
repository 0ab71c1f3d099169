// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ourAnswers } from "./testing/our-answers.ts";
import type { Answers } from "./testing/table.ts";

// What a real kube-apiserver 1.36.3 said, written down by cases.kubernetes.ts.
const recorded = JSON.parse(readFileSync(join(import.meta.dirname, "testing", "answers.json"), "utf8")) as Answers;
const ours = ourAnswers();

for (const [table, answers] of Object.entries(ours)) {
  test(`every case of "${table}" is answered as a real server answers it`, () => {
    const expected = recorded[table] ?? {};
    assert.deepEqual(Object.keys(answers).toSorted(), Object.keys(expected).toSorted());
    for (const [name, answer] of Object.entries(answers)) assert.deepEqual(answer, expected[name], name);
  });
}

test("the tables have at least a thousand cases", () => {
  const count = Object.values(ours).reduce((total, answers) => total + Object.keys(answers).length, 0);
  assert.ok(count >= 1000, `${count} cases`);
});
