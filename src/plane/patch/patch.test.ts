// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { JsonObject } from "./json-object.ts";
import { ourAnswer } from "./testing/our-answer.ts";
import { type Outcome, outcomeOfSequence, type TimedAnswer } from "./testing/outcome.ts";
import type { Answer, Sequence } from "./testing/sequence.ts";
import { writtenSequences } from "./testing/sequences.ts";

const outcomes: { readonly [name: string]: Outcome } = JSON.parse(
  readFileSync(join(import.meta.dirname, "testing/outcomes.json"), "utf8"),
);

/** Goes through a sequence with our functions alone. */
function replay({ subject, steps }: Sequence): TimedAnswer[] {
  let live: JsonObject | undefined;
  return steps.map((step, index) => {
    const time = `2026-01-01T00:00:${String(index + 1).padStart(2, "0")}Z`;
    const answer = ourAnswer(step, { subject, name: "x", live, time });
    if ("object" in answer) live = stored(answer);
    return { answer, time };
  });
}

function stored({ object }: Extract<Answer, { object: JsonObject }>): JsonObject {
  return { ...object, metadata: { ...Object(object.metadata), uid: "uid-of-x" } };
}

test("every sequence has a recorded outcome, and every outcome a sequence", () => {
  assert.deepEqual(Object.keys(outcomes).sort(), writtenSequences.map(({ name }) => name).sort());
});

for (const sequence of writtenSequences) {
  test(`as on a real server: ${sequence.name}`, () => {
    assert.deepEqual(outcomeOfSequence(replay(sequence), "x"), outcomes[sequence.name]);
  });
}
