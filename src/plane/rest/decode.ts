// SPDX-License-Identifier: Apache-2.0
import { parseYaml } from "../../lib/yaml.ts";
import { isObject } from "../../schema/go-text.ts";
import type { ResourceObject } from "../../schema/index.ts";
import { PROTOBUF, ProtobufError } from "../protobuf/index.ts";
import { badRequest, tooLarge, unsupportedMediaType } from "../status-error.ts";
import { scanJson, TOO_DEEP } from "./json-scan.ts";

/** What a body says, before any schema has seen it. */
export interface Body {
  readonly value: unknown;
  /** What strict decoding objects to, such as keys given twice. */
  readonly strictErrors: readonly string[];
  /** The first bytes, as messages quote them. */
  readonly summary: string;
}

const ACCEPTED = ["application/json", "application/yaml", PROTOBUF];

/** The media type of a header, without its parameters. */
export function mediaTypeOf(header: string | undefined): string {
  return (header ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

/** Reads a protobuf body into what it would be as JSON. */
export type ProtobufReader = (body: Uint8Array) => object;

/**
 * Reads a JSON, YAML or protobuf body. Throws 415 for another type; what is neither is a `BodyError`, for the caller's
 * words.
 */
export function readBody(
  bytes: Uint8Array | undefined,
  contentType: string | undefined,
  readProtobuf?: ProtobufReader,
): Body {
  const type = mediaTypeOf(contentType);
  const text = textOf(bytes);
  const summary = summarize(bytes);
  if (type === "" || type === "application/json") return { ...readJson(text, summary), summary };
  if (type === "application/yaml") return { ...readYaml(text, summary), summary };
  if (type !== PROTOBUF || readProtobuf === undefined) throw unsupportedMediaType(ACCEPTED);
  try {
    return { value: readProtobuf(bytes ?? new Uint8Array()), strictErrors: [], summary };
  } catch (error) {
    throw error instanceof ProtobufError ? new BodyError(error.message, summary) : error;
  }
}

/** A body that is no JSON or YAML at all. The message is the decoder's; `summary` the beginning of the body. */
export class BodyError extends Error {
  readonly summary: string;
  constructor(message: string, summary: string) {
    super(message);
    this.summary = summary;
  }
}

/** Reads JSON, or throws a `BodyError` in the words of Go's decoder. */
export function readJson(text: string, summary = ""): Omit<Body, "summary"> {
  const { error, duplicates } = scanJson(text);
  if (error !== undefined) throw new BodyError(error, summary);
  const value: unknown = JSON.parse(text);
  return { value, strictErrors: duplicates.map((field) => `duplicate field "${field}"`) };
}

/**
 * More YAML than this is not read: its parser takes time that grows with the square of some bodies, and everybody waits. JSON
 * has no such limit, and is what kubectl sends, also where it says YAML.
 */
const MAX_YAML_CHARS = 64 * 1024;
const MAX_YAML_DEPTH = 10_000;

/** Reads YAML, or throws a `BodyError`. Most of what is sent as YAML is JSON, which is read a hundred times faster. */
export function readYaml(text: string, summary = ""): Omit<Body, "summary"> {
  if (/^\s*[{[]/.test(text)) {
    const { error, duplicates } = scanJson(text);
    if (error === undefined && duplicates.length === 0) return { value: JSON.parse(text), strictErrors: [] };
    if (error === TOO_DEEP) throw new BodyError(error, summary);
  }
  if (text.length > MAX_YAML_CHARS) throw tooLarge(`limit for YAML is ${MAX_YAML_CHARS}`);
  if (bracketDepth(text) > MAX_YAML_DEPTH) throw new BodyError(`yaml: ${TOO_DEEP} of ${MAX_YAML_DEPTH}`, summary);
  const [document] = parseYaml(text).filter(({ isEmpty }) => !isEmpty);
  if (document === undefined) return { value: null, strictErrors: [] };
  if (document.value === undefined) {
    const [problem] = document.problems;
    throw new BodyError(`yaml: line ${problem?.line ?? 1}: ${parserWords(text, problem?.message ?? "")}`, summary);
  }
  const strictErrors = document.problems.map(({ line, message }) => `line ${line}: ${duplicateKeyWords(message)}`);
  return { value: document.value, strictErrors };
}

/** How deep brackets go, at most: those in texts are counted too. */
function bracketDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, ++depth);
    else if ((code === 0x5d || code === 0x7d) && depth > 0) depth--;
  }
  return deepest;
}

/** The server's parser has its own words for the commonest mistake, a bracket that is not closed. */
function parserWords(text: string, message: string): string {
  if (!message.includes("closing")) return message;
  const open = /[[{][^[\]{}]*$/.exec(text.trimEnd())?.[0] ?? "[";
  if (open.length === 1) return "did not find expected node content";
  return `did not find expected ',' or '${open.startsWith("[") ? "]" : "}"}'`;
}

function duplicateKeyWords(message: string): string {
  const key = /"([^"]*)"/.exec(message)?.[1];
  return key === undefined ? message : `key "${key}" already set in map`;
}

/** The body as text; bytes that are no UTF-8 become replacement characters, as in Go's decoder. */
export function textOf(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? "" : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

function summarize(bytes: Uint8Array | undefined): string {
  if (bytes === undefined || bytes.length === 0) return "<empty>";
  const start = Buffer.from(bytes.subarray(0, 30));
  const more = bytes.length > 30 ? " ..." : "";
  return (bytes[0] === 0x7b ? start.toString("utf8") : start.toString("hex")) + more;
}

const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** What a body claims to be; empty where it says nothing. */
export interface Claim {
  readonly object: ResourceObject;
  readonly apiVersion: string;
  readonly kind: string;
}

/** Finds kind and version in a body. Throws in the server's words where there can be none; `expected` is the kind asked for. */
export function claimOf({ value, summary }: Body, expected: string, isCustom: boolean): Claim {
  const refuse = (why: string) =>
    badRequest(`the object provided is unrecognized (must be of type ${expected}): ${why} (${summary})`);
  const unreadable = (why: string) => refuse(`couldn't get version/kind; json parse error: ${why}`);
  const object = value ?? {};
  if (!isObject(object)) {
    throw unreadable(`json: cannot unmarshal ${goWord(object)} into Go value of type ${TYPE_META}`);
  }
  const { apiVersion = "", kind = "" } = object;
  for (const [name, given] of [
    ["kind", kind],
    ["apiVersion", apiVersion],
  ] as const) {
    if (given === null || typeof given === "string") continue;
    throw unreadable(`json: cannot unmarshal ${goWord(given)} into Go struct field .${name} of type string`);
  }
  const claim = { object, apiVersion: String(apiVersion ?? ""), kind: String(kind ?? "") };
  if (isCustom && claim.kind === "") throw refuse(`Object 'Kind' is missing in '${JSON.stringify(object)}'`);
  if (isCustom && claim.apiVersion === "") {
    throw refuse(`Object 'apiVersion' is missing in '${JSON.stringify(object)}'`);
  }
  return claim;
}

/** How Go's decoder names the type of a JSON value. */
export function goWord(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return value === null ? "null" : typeof value;
}
