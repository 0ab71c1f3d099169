// SPDX-License-Identifier: Apache-2.0
import { ApiError, ConnectionError, type ErrorCause } from "../errors.ts";
import type { KindDescriptor, KubeObject, WatchEvent } from "../types.ts";
import type { ObjectList } from "./types.ts";
import type { AnswerHeaders } from "./wire.ts";

/** The annotation of the bookmark after which a watch has sent everything that was there. */
const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/** What was asked for, for messages: `get secrets "team-a/token"`. */
export interface Asked {
  readonly what: string;
  readonly requestId: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Parses JSON. What the parser says is not passed on: it quotes the text, and that may be a Secret. */
export function parseJson(text: string, asked: Asked): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badAnswer("the answer is not JSON, or only the beginning of it", asked);
  }
}

/** An answer that no API server gives. */
export function badAnswer(problem: string, { what, requestId }: Asked): ConnectionError {
  return new ConnectionError({ message: `${what}: ${problem}`, wasSent: true, code: "BAD_ANSWER", requestId });
}

/** Takes an answer as an object of the kind. The server is trusted with the rest of its shape: its schema has been there before. */
export function toObject<T extends KubeObject>(_kind: KindDescriptor<T>, value: unknown, asked: Asked): T {
  if (!isFields(value) || !isFields(value.metadata))
    throw badAnswer("the answer is not an object with metadata", asked);
  return value as unknown as T;
}

/** One page of a list, with the token for the next where there is one. */
export interface ParsedPage<T extends KubeObject> extends ObjectList<T> {
  readonly next: string | undefined;
}

/** Takes an answer as a list. Built-in kinds come without apiVersion and kind; they are put in. */
export function toPage<T extends KubeObject>(kind: KindDescriptor<T>, value: unknown, asked: Asked): ParsedPage<T> {
  if (!isFields(value) || !isFields(value.metadata)) throw badAnswer("the answer is not a list", asked);
  const { metadata } = value;
  const items = (value.items ?? []) as T[];
  if (!Array.isArray(items)) throw badAnswer("the answer is not a list", asked);
  const apiVersion = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
  for (const item of items) {
    if (!isFields(item) || !isFields(item.metadata)) throw badAnswer("an item of the list is not an object", asked);
    item.apiVersion ??= apiVersion;
    item.kind ??= kind.kind;
  }
  return { items, resourceVersion: text(metadata.resourceVersion), next: text(metadata.continue) || undefined };
}

/** Takes one line of a watch as an event; an ERROR event is thrown as the `ApiError` it carries. */
export function toEvent<T extends KubeObject>(kind: KindDescriptor<T>, line: string, asked: Asked): WatchEvent<T> {
  const event = parseJson(line, asked);
  if (!isFields(event)) throw badAnswer("an event is not an object", asked);
  const { type, object } = event;
  if (type === "ADDED" || type === "MODIFIED" || type === "DELETED")
    return { type, object: toObject(kind, object, asked) };
  if (type === "ERROR") throw toApiError({ status: 500, headers: {}, body: object }, asked, 0);
  if (type !== "BOOKMARK") throw badAnswer("an event has an unknown type", asked);
  const { metadata } = toObject(kind, object, asked);
  return {
    type,
    resourceVersion: text(metadata.resourceVersion),
    endsInitialEvents: metadata.annotations?.[INITIAL_EVENTS_END] === "true",
  };
}

/** What a refusal is made of. */
export interface Refusal {
  /** Used where the body does not say. */
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** A Status, parsed; or text of whoever stands between us and the server. */
  readonly body: unknown;
}

/** Makes an error of a Status, or of whatever else came with a status that is none of success. */
export function toApiError({ status, headers, body }: Refusal, { what, requestId }: Asked, nowMs: number): ApiError {
  const answer = isFields(body) && body.kind === "Status" ? body : {};
  const details = isFields(answer.details) ? answer.details : {};
  const code = typeof answer.code === "number" ? answer.code : status;
  const said = text(answer.message) || (typeof body === "string" ? firstLine(body) : "");
  return new ApiError({
    status: code,
    reason: text(answer.reason),
    message: `${what}: ${said === "" ? `the server answered ${code}` : said}`,
    causes: Array.isArray(details.causes) ? details.causes.filter(isFields).map(toCause) : [],
    retryAfterMs: retryAfterMs(headers, nowMs) ?? secondsToMs(details.retryAfterSeconds),
    requestId,
  });
}

/** A successful answer to a delete may be the object or a Status. */
export function isStatus(value: unknown): boolean {
  return isFields(value) && value.kind === "Status";
}

/** The uid of the object that a Status is about, where it says so. */
export function uidInStatus(value: unknown): string | undefined {
  const details = isFields(value) && isFields(value.details) ? value.details : {};
  return text(details.uid) || undefined;
}

/** The texts of `Warning` headers, which have the form `299 - "text"`. */
export function warningsOf(headers: AnswerHeaders): readonly string[] {
  const lines = headers.warning;
  if (lines === undefined) return [];
  return [lines]
    .flat()
    .flatMap((line) => [...line.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)])
    .map(([, quoted = ""]) => quoted.replace(/\\(.)/g, "$1"));
}

/** Seconds, or a date, which is by the clock of whoever sent it and not by ours. */
function retryAfterMs({ "retry-after": header, date }: AnswerHeaders, nowMs: number): number | undefined {
  if (typeof header !== "string") return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  const sentAt = Date.parse(String(date));
  return Number.isNaN(at) ? undefined : Math.max(0, at - (Number.isNaN(sentAt) ? nowMs : sentAt));
}

function secondsToMs(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 ? value * 1000 : undefined;
}

function toCause(cause: Fields): ErrorCause {
  return { reason: text(cause.reason), field: text(cause.field), message: text(cause.message) };
}

/** A page of HTML says nothing to the reader of a log. */
function firstLine(body: string): string {
  const line = body.trimStart().split("\n", 1)[0] ?? "";
  return line.startsWith("<") || line.startsWith("{") ? "" : line.trim().slice(0, 200);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
