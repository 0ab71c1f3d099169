// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, ConnectionError } from "../errors.ts";
import { pauseBeforeRetry } from "./retry.ts";

const connection = (wasSent: boolean, code = "ECONNRESET") => new ConnectionError({ message: "", wasSent, code });
const api = (status: number, retryAfterMs?: number) => new ApiError({ status, reason: "", message: "", retryAfterMs });

const cases: readonly [string, unknown, { read: boolean; write: boolean }][] = [
  ["a connection that broke after sending", connection(true), { read: true, write: false }],
  ["a connection that broke before sending", connection(false), { read: true, write: true }],
  ["a time limit after sending", connection(true, "TIMEOUT"), { read: true, write: false }],
  ["half an answer", connection(true, "BAD_ANSWER"), { read: true, write: false }],
  ["a certificate that is not trusted", connection(false, "SELF_SIGNED_CERT_IN_CHAIN"), { read: false, write: false }],
  ["a closed client", connection(false, "CLOSED"), { read: false, write: false }],
  ["429 with Retry-After", api(429, 1000), { read: true, write: true }],
  ["429 without", api(429), { read: true, write: true }],
  ["500", api(500), { read: true, write: false }],
  ["503 with Retry-After", api(503, 1000), { read: true, write: false }],
  ["504", api(504), { read: true, write: false }],
  ["501", api(501), { read: false, write: false }],
  ["404", api(404), { read: false, write: false }],
  ["409", api(409), { read: false, write: false }],
  ["422", api(422), { read: false, write: false }],
  ["a bug", new TypeError("x"), { read: false, write: false }],
];

for (const [name, error, expected] of cases)
  test(`after ${name}: a read is ${expected.read ? "" : "not "}repeated, a plain write is ${expected.write ? "" : "not "}`, () => {
    const repeated = (isRepeatable: boolean) =>
      pauseBeforeRetry({ error, attempt: 1, tries: 4, isRepeatable }, () => 0.5) !== undefined;
    assert.deepEqual({ read: repeated(true), write: repeated(false) }, expected);
  });

test("pauses double up to five seconds and are drawn evenly from nothing up to that", () => {
  const error = connection(true);
  const pause = (attempt: number, random: number) =>
    pauseBeforeRetry({ error, attempt, tries: 100, isRepeatable: true }, () => random);
  assert.deepEqual(
    [1, 2, 3, 4].map((attempt) => pause(attempt, 0.5)),
    [50, 100, 200, 400],
  );
  assert.equal(pause(50, 0.5), 2500);
  assert.equal(pause(3, 0), 0);
});

test("the tries are counted, except those the server itself put off", () => {
  const last = (error: unknown) => pauseBeforeRetry({ error, attempt: 4, tries: 4, isRepeatable: true }, () => 0);
  assert.equal(last(connection(true)), undefined);
  assert.equal(last(api(503, 1000)), undefined);
  assert.equal(last(api(429)), undefined);
  assert.equal(last(api(429, 2000)), 2000);
});

test("one try is one try, whatever the server asks for", () => {
  const failed = { attempt: 1, tries: 1, isRepeatable: true };
  assert.equal(
    pauseBeforeRetry({ ...failed, error: api(429, 1000) }, () => 0),
    undefined,
  );
});

test("a Retry-After is waited for in full, and of nothing is not taken at its word", () => {
  const pause = (error: unknown, attempt = 1) =>
    pauseBeforeRetry({ error, attempt, tries: 4, isRepeatable: true }, () => 0.5);
  assert.equal(pause(api(429, 2000)), 2200);
  assert.equal(pause(api(503, 2000)), 2000);
  assert.equal(pause(api(429, 0), 3), 200);
});
