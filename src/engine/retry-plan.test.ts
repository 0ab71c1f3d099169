// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ErrorKind } from "./provider.ts";
import { ProviderError } from "./provider-error.ts";
import { isTold, planRetry, type TriedVerb, type Trouble } from "./retry-plan.ts";

const MINUTE = 60_000;
const clock = { now: () => 1_000_000, monotonic: () => 500 };

function plans(kind: ErrorKind, times: number, more: { verb?: TriedVerb; retryAfterMs?: number } = {}): Trouble[] {
  const { verb = "create", retryAfterMs } = more;
  const error = new ProviderError({ kind, reason: "X", message: "x", retryAfterMs });
  const all: Trouble[] = [];
  for (let time = 0; time < times; time += 1)
    all.push(planRetry({ verb, error, before: all.at(-1), clock, random: () => 1 }));
  return all;
}

const pauses = (...[kind, times, more]: Parameters<typeof plans>) =>
  plans(kind, times, more).map(({ retryAt }) => retryAt - 500);

test("each kind is retried at its own pace", () => {
  assert.deepEqual(pauses("invalid", 3), [10 * MINUTE, 10 * MINUTE, 10 * MINUTE]);
  assert.deepEqual(pauses("denied", 4), [MINUTE, 2 * MINUTE, 4 * MINUTE, 5 * MINUTE]);
  assert.deepEqual(pauses("exhausted", 5), [MINUTE, 2 * MINUTE, 4 * MINUTE, 8 * MINUTE, 10 * MINUTE]);
  assert.deepEqual(pauses("throttled", 2), [MINUTE, MINUTE]);
  assert.deepEqual(pauses("unavailable", 8), [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, MINUTE, MINUTE]);
  assert.deepEqual(pauses("internal", 2), [1_000, 2_000]);
});

test("while deleting, what is invalid is retried too, growing from a minute", () => {
  assert.deepEqual(pauses("invalid", 3, { verb: "delete" }), [MINUTE, 2 * MINUTE, 4 * MINUTE]);
});

test("who is told when to come back does not come before", () => {
  assert.deepEqual(
    pauses("throttled", 1, { retryAfterMs: 5_000 }),
    [MINUTE].map(() => 5_000),
  );
  assert.deepEqual(pauses("unavailable", 1, { retryAfterMs: 5_000 }), [5_000]);
});

test("half of each pause is left to chance", () => {
  const error = new ProviderError({ kind: "denied", reason: "X", message: "x" });
  const { retryAt, retryTime, failedTime } = planRetry({
    verb: "create",
    error,
    before: undefined,
    clock,
    random: () => 0,
  });
  assert.equal(retryAt - 500, 30_000);
  assert.equal(retryTime - failedTime, 30_000);
});

test("another kind, or another verb, starts anew", () => {
  const [, , third] = plans("unavailable", 3);
  const denied = new ProviderError({ kind: "denied", reason: "X", message: "x" });
  assert.equal(planRetry({ verb: "create", error: denied, before: third, clock, random: () => 1 }).failures, 1);
  assert.equal(
    planRetry({ verb: "find", error: third?.error ?? denied, before: third, clock, random: () => 1 }).failures,
    1,
  );
});

test("what passes by itself is told late: unavailable after three in a row, throttled after a minute", () => {
  assert.deepEqual(
    plans("unavailable", 3).map((trouble) => isTold(trouble, 500)),
    [false, false, true],
  );
  const silent = new ProviderError({ kind: "unavailable", reason: "NoAnswer", message: "x", code: "TIMEOUT" });
  const timedOut = planRetry({ verb: "create", error: silent, before: undefined, clock, random: () => 1 });
  assert.ok(isTold(timedOut, 500), "what took all the time that a call may take is told at once");
  const [throttled] = plans("throttled", 1);
  assert.ok(throttled !== undefined && !isTold(throttled, 500 + MINUTE - 1) && isTold(throttled, 500 + MINUTE));
  for (const kind of ["invalid", "denied", "exhausted", "internal"] as const)
    assert.deepEqual(
      plans(kind, 1).map((trouble) => isTold(trouble, 500)),
      [true],
    );
});
