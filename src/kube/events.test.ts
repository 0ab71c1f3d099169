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
  const names: string[] = [];
  let status = 0;
  let isSilent = false;
  const transport = async ({ method, body }: HandlerRequest): Promise<HandlerResponse> => {
    seen.push(method);
    const sent = body === undefined ? {} : JSON.parse(Buffer.from(body).toString());
    if (method === "PATCH") counts.push(sent.series.count);
    if (method === "POST") notes.push(sent.note);
    if (method === "POST") names.push(sent.metadata.name);
    if (isSilent) return new Promise(() => {});
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
  const silence = () => {
    isSilent = true;
  };
  return { clock, seen, counts, notes, names, recorder, why, fail, silence };
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

test("a note is cut where the server's bytes end, and no character in two", async () => {
  const { recorder, notes } = stage();
  for (const note of ["ü".repeat(900), "€".repeat(900), "😀".repeat(900), "x".repeat(2000), "x".repeat(1024)])
    recorder.record(subject, news(note, `R${note.codePointAt(0)}${note.length}`));
  await recorder.flush();
  assert.equal(notes.length, 5);
  for (const note of notes) {
    const { length } = Buffer.from(note);
    assert.ok(length <= 1024 && length > 1020, `${length} bytes`);
    assert.match(note, /^(ü+|€+|(?:😀)+|x+)(\.\.\.)?$/u);
  }
  assert.equal(notes.at(-1), "x".repeat(1024));
});

test("an event has a name that servers take, whatever its object is called", async () => {
  const { recorder, names } = stage();
  const objects = [
    "a",
    "system:node",
    `${"x".repeat(229)}-${"y".repeat(20)}`,
    "A_b.-c-.d",
    ":",
    `${"a.".repeat(126)}a`,
  ];
  for (const name of objects) recorder.record({ ...subject, metadata: { name, namespace: "n", uid: name } }, news());
  await recorder.flush();
  assert.equal(names.length, objects.length);
  for (const name of names) {
    assert.ok(name.length <= 253);
    assert.match(name, /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
  }
  assert.match(names[0] ?? "", /^a\.[0-9a-f]+$/);
  assert.match(names[1] ?? "", /^system-node\./);
});

test("a flush is over after ten seconds, or the time given, where the server says nothing", async () => {
  const { clock, recorder, silence } = stage();
  silence();
  for (let times = 0; times < 5; times += 1) recorder.record(subject, news("It happened.", `Number${times}`));
  const ended: string[] = [];
  void recorder.flush().then(() => ended.push("usual"));
  void recorder.flush({ limitMs: 1_000 }).then(() => ended.push("short"));
  await clock.advance(1_000);
  assert.deepEqual(ended, ["short"]);
  await clock.advance(9_000);
  assert.deepEqual(ended, ["short", "usual"]);
});
