// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { installCrds, kubernetesTest, type TestServer } from "../../../test/kubernetes/harness.ts";
import { expectSameAnswer } from "./testing/compare-answers.ts";
import { type Run, runSequences } from "./testing/judge.ts";
import { ourAnswer } from "./testing/our-answer.ts";
import { outcomeOfSequence } from "./testing/outcome.ts";
import { randomSequences } from "./testing/random-sequences.ts";
import type { Sequence } from "./testing/sequence.ts";
import { writtenSequences } from "./testing/sequences.ts";
import { kindSequences } from "./testing/sequences-kinds.ts";
import { bare, definitionOf, thing } from "./testing/thing.ts";

const OUTCOMES = join(import.meta.dirname, "testing/outcomes.json");

let installed: Promise<unknown> | undefined;
let tests = 0;

/** Every step is done by the server and, from the same state, by our functions. */
async function judge(server: TestServer, t: TestContext, sequences: readonly Sequence[]): Promise<readonly Run[]> {
  tests += 1;
  installed ??= installCrds(server, [definitionOf(thing), definitionOf(bare)]);
  await installed;
  const runs = await runSequences(server, sequences, `test-${tests}`);
  for (const { sequence, name, taken } of runs) {
    const { subject } = sequence;
    for (const [index, { step, live, answer, time }] of taken.entries()) {
      const what = `${sequence.name}, step ${index + 1}`;
      const theirs = "object" in answer ? answer.object : undefined;
      expectSameAnswer(ourAnswer(step, { subject, name, live, time, theirs }), answer, { subject, what });
    }
  }
  t.diagnostic(`${runs.length} sequences, ${runs.reduce((sum, { taken }) => sum + taken.length, 0)} steps`);
  return runs;
}

kubernetesTest("written sequences end as on a real server, step by step", async (server, t) => {
  const runs = await judge(server, t, writtenSequences);
  const outcomes = Object.fromEntries(
    runs.map(({ sequence, name, taken }) => [sequence.name, outcomeOfSequence(taken, name)]),
  );
  if (process.env.UPDATE_GOLDENS === "1") writeFileSync(OUTCOMES, `${JSON.stringify(outcomes, undefined, 1)}\n`);
  else assert.deepEqual(JSON.parse(readFileSync(OUTCOMES, "utf8")), outcomes, "the recorded outcomes still hold");
});

kubernetesTest("built-in kinds end as on a real server, step by step", async (server, t) => {
  await judge(server, t, await kindSequences(server));
});

kubernetesTest("random sequences end as on a real server, step by step", async (server, t) => {
  const seed = Number(process.env.PATCH_SEED ?? 4711);
  t.diagnostic(`seed ${seed}`);
  await judge(server, t, randomSequences(seed, 100, 10));
});
