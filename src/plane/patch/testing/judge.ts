// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from "node:timers/promises";
import type { Client, Response } from "../../../../test/kubernetes/request.ts";
import type { Json } from "../../../schema/index.ts";
import type { JsonObject } from "../json-object.ts";
import { type Answer, addressed, type Sequence, type Step, type Subject } from "./sequence.ts";

/** One step as a server took it. */
export interface Taken {
  readonly step: Step;
  readonly live: JsonObject | undefined;
  readonly answer: Answer;
  /** When it was, as managedFields say; a time that nobody has where they do not. */
  readonly time: string;
}

/** A sequence on a server. */
export interface Run {
  readonly sequence: Sequence;
  readonly name: string;
  readonly taken: Taken[];
  live: JsonObject | undefined;
}

/**
 * Runs sequences on a server, all of them step by step at once: the first steps of all, then, in a later second, the second
 * ones and so on. So it can be told from the times in managedFields which step set them.
 */
export async function runSequences(server: Client, sequences: readonly Sequence[], prefix: string): Promise<Run[]> {
  const runs = sequences.map(
    (sequence, index): Run => ({ sequence, name: `${prefix}-${index}`, taken: [], live: undefined }),
  );
  const rounds = Math.max(...sequences.map(({ steps }) => steps.length));
  for (let round = 0; round < rounds; round += 1) {
    const waiting = runs.filter(({ sequence }) => sequence.steps.length > round);
    await Promise.all(Array.from({ length: 8 }, () => takeTurns(server, waiting, round)));
    await nextSecond();
  }
  return runs;
}

async function takeTurns(server: Client, waiting: Run[], round: number): Promise<void> {
  for (let run = waiting.pop(); run !== undefined; run = waiting.pop()) {
    const step = run.sequence.steps[round];
    if (step === undefined) continue;
    const { live } = run;
    const answer = answerOf(await ask(server, run, step));
    if ("object" in answer) run.live = answer.object;
    run.taken.push({ step, live, answer, time: timeOf(answer, live) });
  }
}

async function nextSecond(): Promise<void> {
  await delay(1000 - (Date.now() % 1000) + 5);
}

function ask(server: Client, { sequence, name, live }: Run, step: Step): Promise<Response> {
  const { subject } = sequence;
  const collection = collectionOf(subject);
  const below = step.subresource === undefined ? "" : `/${step.subresource}`;
  const path = `${collection}/${name}${below}?fieldManager=${step.by}`;
  if ("create" in step)
    return server.request("POST", `${collection}?fieldManager=${step.by}`, addressed(subject, step.create, name));
  if ("update" in step) return server.request("PUT", path, step.update(live ?? {}));
  if ("merge" in step) return patch(server, path, step.merge, "merge-patch+json");
  if ("json" in step) return patch(server, path, step.json, "json-patch+json");
  if ("strategic" in step) return patch(server, path, step.strategic, "strategic-merge-patch+json");
  const force = step.force === true ? "&force=true" : "";
  return patch(server, path + force, addressed(subject, step.apply, name), "apply-patch+yaml");
}

function patch(server: Client, path: string, body: Json, type: string): Promise<Response> {
  return server.request("PATCH", path, JSON.stringify(body), { contentType: `application/${type}` });
}

/** The path objects of a kind are created at. */
export function collectionOf({ apiVersion, plural, isNamespaced }: Subject): string {
  const base = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${base}/${isNamespaced ? "namespaces/default/" : ""}${plural}`;
}

function answerOf({ status, body }: Response): Answer {
  const object = Object(body) as JsonObject;
  if (status < 300) return { object };
  const { message, details } = object;
  return { refusal: { code: status, message: String(message), causes: Object(details).causes ?? [] } };
}

/** Times that sequences themselves set are older than this. */
const GIVEN = "2021";

function timeOf(answer: Answer, live: JsonObject | undefined): string {
  const unused = "2000-01-01T00:00:00Z";
  if ("refusal" in answer) return unused;
  const before = new Set(timesOf(live));
  return timesOf(answer.object).find((time) => !before.has(time) && time > GIVEN) ?? unused;
}

function timesOf(object: JsonObject | undefined): string[] {
  const entries: { time?: string }[] = Object(object?.metadata).managedFields ?? [];
  return entries.flatMap(({ time }) => time ?? []);
}
