// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "./client/client.ts";
import type { HandlerRequest, HandlerResponse } from "./client/handler-wire.ts";
import { manualClock } from "./clock.ts";
import { createEventRecorder } from "./events.ts";

/** A server that keeps events in memory and notes what it is asked. */
function stage() {
  const clock = manualClock();
  const seen: string[] = [];
  const counts: number[] = [];
  const notes: string[] = [];
  let status = 0;
  const transport = async ({ method, body }: HandlerRequest): Promise<HandlerResponse> => {
    seen.push(method);
    const sent = body === undefined ? {} : JSON.parse(Buffer.from(body).toString());
    if (method === "PATCH") counts.push(sent.series.count);
    if (method === "POST") notes.push(sent.note);
    const failure = { kind: "Status", status: "Failure", code: status, reason: "Forbidden", message: "no" };
    const object = { apiVersion: "events.k8s.io/v1", kind: "Event", metadata: { name: "e" }, ...sent };
    return {
      status: status === 0 ? 200 : status,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(status === 0 ? object : failure),
    };
  };
  const client = createClient({ server: "http://memory" }, { clock, transport });
  const why: string[] = [];
  const recorder = createEventRecorder({
    client,
    controller: "example.com/tester",
    instance: "0",
    clock,
    onDropped: (reason) => void why.push(reason),
  });
  const fail = (next: number) => {
    status = next;
  };
  return { clock, seen, counts, notes, recorder, why, fail };
}

const subject = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "n", uid: "1" } };
const news = (note = "It happened.", reason = "Happened") => ({ type: "Normal", reason, note }) as const;

test("the same news are one event: made at once, counted at once the second time, then every ten seconds", async () => {
  const { clock, recorder, seen, counts } = stage();
  recorder.record(subject, news());
  await clock.advance(0);
  assert.deepEqual(seen, ["POST"]);
  recorder.record(subject, news());
  await clock.advance(0);
  assert.deepEqual(counts, [2]);
  for (let times = 0; times < 500; times += 1) recorder.record(subject, news());
  await clock.advance(9_999);
  assert.deepEqual(counts, [2]);
  await clock.advance(1);
  assert.deepEqual(counts, [2, 502]);
  await clock.advance(60_000);
  assert.equal(seen.length, 3);
  assert.equal(clock.waiting, 0);
});

test("after six quiet minutes the same news are a new event", async () => {
  const { clock, recorder, seen } = stage();
  recorder.record(subject, news());
  await clock.advance(6 * 60_000);
  recorder.record(subject, news());
  await clock.advance(0);
  assert.deepEqual(seen, ["POST", "POST"]);
});

test("one object has 25 different events, and one more every five minutes; the rest is counted as dropped", async () => {
  const { clock, recorder, seen, why } = stage();
  for (let times = 0; times < 40; times += 1) recorder.record(subject, news("It happened.", `Number${times}`));
  await clock.advance(0);
  assert.equal(seen.length, 25);
  assert.equal(recorder.dropped(), 15);
  assert.deepEqual(new Set(why), new Set(["too many about one object"]));
  await clock.advance(5 * 60_000);
  recorder.record(subject, news("Later."));
  recorder.record(subject, news("Too late."));
  await clock.advance(0);
  assert.equal(seen.length, 26);
  recorder.record({ ...subject, metadata: { name: "b", namespace: "n", uid: "2" } }, news());
  await clock.advance(0);
  assert.equal(seen.length, 27);
});

test("news that differ in their note alone are combined from the tenth on, until ten minutes were quiet", async () => {
  const { clock, recorder, seen, counts, notes, why } = stage();
  for (let times = 1; times <= 30; times += 1) recorder.record(subject, news(`Number ${times}.`));
  await recorder.flush();
  assert.equal(seen.filter((method) => method === "POST").length, 10);
  assert.deepEqual(notes.slice(8), ["Number 9.", "(combined from similar events): Number 10."]);
  assert.equal(counts.at(-1), 21);
  // What was told alone goes on alone, and other reasons are not alike.
  recorder.record(subject, news("Number 1."));
  recorder.record(subject, news("Number 31.", "Other"));
  await recorder.flush();
  assert.deepEqual(notes.slice(10), ["Number 31."]);
  await clock.advance(10 * 60_000 + 1);
  recorder.record(subject, news("Number 32."));
  await recorder.flush();
  assert.deepEqual(notes.slice(11), ["Number 32."]);
  assert.deepEqual(why, []);
});

test("a server that refuses, and news that cannot be read, are dropped and never fail the caller", async () => {
  const { clock, recorder, fail, why } = stage();
  fail(403);
  recorder.record(subject, news());
  await recorder.flush();
  assert.deepEqual(why, ["the server did not take it"]);
  const broken = Object.defineProperty({ ...news() }, "note", {
    get: () => {
      throw new Error("unreadable");
    },
  });
  recorder.record(subject, broken);
  assert.equal(recorder.dropped(), 2);
  fail(0);
  recorder.record(subject, news());
  await recorder.flush();
  assert.equal(recorder.dropped(), 2);
  assert.equal(clock.waiting, 0);
});
