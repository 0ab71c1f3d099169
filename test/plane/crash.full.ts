// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "../kubernetes/request.ts";
import { type PlaneProcess, spawnPlane, startPlaneProcess } from "./plane-process.ts";
import { clientsFor, createWriter, MAPS, SHARED, showsAttempt, type Writer, writerOf } from "./storm.ts";
import { startWatch, type WatchEvent } from "./watch-stream.ts";

const STORMS = 100;
const WRITERS = 6;

/** All that was heard of one folder through all lives of the plane on it. */
interface Life {
  readonly writers: readonly Writer[];
  /** Every event of the watch that resumes after each crash. */
  readonly events: WatchEvent[];
  /** The revision after which that watch began. */
  since: number;
  /** How often a watch from long ago got everything, and how often 410. */
  complete: number;
  gone: number;
}

test(`${STORMS} kills during a storm of writes over HTTPS: nothing acknowledged is lost, no version repeats, a resumed watch sees each change once or gets 410`, async (context) => {
  const dir = folder(context);
  const writers = Array.from({ length: WRITERS }, (_, index) => createWriter(`w${index}`));
  const life: Life = { writers, events: [], since: 0, complete: 0, gone: 0 };
  await begin(dir, life);
  for (let round = 0; round < STORMS; round++) {
    // From the first answer to some hundreds of them; the step shares no factor with the modulus.
    await stormAndKill(dir, life, { kills: round, killAfter: 1 + ((round * 37) % 300) });
    if (round % 10 === 9) await killWhileStarting(dir, round * 13);
  }
  const plane = await startPlaneProcess(dir);
  context.after(() => plane.end());
  await drain(plane, life, STORMS);
  await checkEnd(plane, life);
  const attempts = writers.flatMap((writer) => writer.attempts);
  const acknowledged = attempts.filter((attempt) => attempt.acknowledged !== undefined);
  context.diagnostic(
    `${STORMS} kills in storms and ${STORMS / 10} while starting; ${WRITERS} writers: ${acknowledged.length} acknowledged writes, ` +
      `${attempts.length - acknowledged.length} cut off; ${life.events.length} events seen once each; ` +
      `watches from the first version: ${life.complete} complete, ${life.gone} got 410`,
  );
});

function folder(context: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "butler-crash-"));
  context.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** What all writers share is there before the first storm. */
async function begin(dir: string, life: Life): Promise<void> {
  const plane = await startPlaneProcess(dir);
  const client = createClient(plane.access);
  const { body } = await client.request("POST", MAPS, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: SHARED },
  });
  life.since = Number(Object(body).metadata.resourceVersion);
  await client.close();
  await plane.end();
}

async function stormAndKill(
  dir: string,
  life: Life,
  { kills, killAfter }: { kills: number; killAfter: number },
): Promise<void> {
  const plane = await startPlaneProcess(dir);
  await drain(plane, life, kills);
  if (kills % 5 === 4) await watchFromLongAgo(plane, life);
  const watch = follow(plane, life);
  const clients = clientsFor(life.writers, plane.access);
  let answers = 0;
  const onAcknowledged = () => {
    answers += 1;
    if (answers === killAfter) plane.end().catch(() => {});
  };
  await Promise.all(life.writers.map((writer, index) => writer.run(clients[index] ?? assert.fail(), onAcknowledged)));
  await plane.end();
  await watch.ended;
  await Promise.all(clients.map((client) => client.close()));
}

async function killWhileStarting(dir: string, ms: number): Promise<void> {
  const plane = spawnPlane(dir);
  await delay(ms % 700);
  await plane.end();
}

function lastSeen({ events, since }: Life): number {
  return Number(events.at(-1)?.object.metadata.resourceVersion ?? since);
}

/** Goes on where the last watch was cut off. */
function follow({ access }: PlaneProcess, life: Life, onEvent: (event: WatchEvent) => void = () => {}) {
  const path = `${MAPS}?watch=1&resourceVersion=${lastSeen(life)}`;
  return startWatch(access, path, (event) => {
    assert.notEqual(event.type, "ERROR", JSON.stringify(event.object));
    const version = Number(event.object.metadata.resourceVersion);
    assert.ok(version > lastSeen(life), `version ${version} after ${lastSeen(life)}`);
    life.events.push(event);
    onEvent(event);
  });
}

/** Writes a mark, reads on until it comes, and compares all that came with what writers were told. */
async function drain(plane: PlaneProcess, life: Life, mark: number): Promise<void> {
  const client = createClient(plane.access);
  const seen = Promise.withResolvers<void>();
  const watch = follow(plane, life, ({ object }) => {
    if (object.metadata.name === `mark-${mark}`) seen.resolve();
  });
  watch.ended.then(() => seen.reject(new Error("the watch ended before the mark came")), seen.reject);
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `mark-${mark}` }, data: { by: "mark" } };
  assert.equal((await client.request("POST", MAPS, object)).status, 201);
  await seen.promise;
  watch.stop();
  await watch.ended;
  await client.close();
  for (const writer of life.writers) checkWriter(writer, life.events);
}

/**
 * A writer's events must be its acknowledged writes, each once and in order; those that were cut off may be among them, in
 * their place.
 */
function checkWriter({ name, attempts }: Writer, all: readonly WatchEvent[]): void {
  const events = all.filter((event) => writerOf(event) === name);
  let at = 0;
  for (const attempt of attempts) {
    const event = events[at];
    if (event !== undefined && showsAttempt(event, attempt)) at += 1;
    else assert.equal(attempt.acknowledged, undefined, `lost: ${name} ${JSON.stringify(attempt)}`);
  }
  assert.deepEqual(events.slice(at), [], `events of ${name} that nobody wrote`);
}

/** A watch from the very first version gets all that happened since, or is told that this is gone. */
async function watchFromLongAgo({ access }: PlaneProcess, life: Life): Promise<void> {
  const expected = life.events.map(({ object }) => object.metadata.resourceVersion);
  const got: string[] = [];
  let isGone = false;
  const done = Promise.withResolvers<void>();
  const watch = startWatch(access, `${MAPS}?watch=1&resourceVersion=${life.since}`, ({ type, object }) => {
    isGone ||= type === "ERROR" && object.code === 410;
    if (type !== "ERROR") got.push(object.metadata.resourceVersion);
    if (isGone || got.length >= expected.length) done.resolve();
  });
  const ended = watch.ended.then((status) => {
    isGone ||= status === 410;
  });
  await Promise.race([done.promise, ended]);
  watch.stop();
  await ended;
  if (isGone) assert.deepEqual(got, [], "410 came after events");
  else assert.deepEqual(got, expected);
  life[isGone ? "gone" : "complete"] += 1;
}

/** What is there at the end is what the events lead to. */
async function checkEnd({ access }: PlaneProcess, { events }: Life): Promise<void> {
  const expected = new Map<string, string>();
  for (const { type, object } of events) {
    if (type === "DELETED") expected.delete(object.metadata.name);
    else expected.set(object.metadata.name, object.metadata.resourceVersion);
  }
  const client = createClient(access);
  const { body } = await client.request("GET", MAPS);
  await client.close();
  const items: WatchEvent["object"][] = Object(body).items;
  const found = new Map(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
  // Made by the server itself, or before the first watch.
  for (const name of ["kube-root-ca.crt", SHARED]) if (!expected.has(name)) found.delete(name);
  assert.deepEqual([...found].sort(), [...expected].sort());
}
