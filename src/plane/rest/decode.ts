// SPDX-License-Identifier: Apache-2.0
import { isObject } from "../../schema/go-text.ts";
import type { ResourceObject } from "../../schema/index.ts";
import { PROTOBUF, ProtobufError } from "../protobuf/index.ts";
import { badRequest, unsupportedMediaType } from "../status-error.ts";
import { BodyError, type BodyValue } from "./body.ts";
import { NO_LOST_NUMBERS } from "./json-numbers.ts";
import { parseScanned, scanJson } from "./json-scan.ts";
import { readYaml } from "./read-yaml.ts";

/** What a body says, before any schema has seen it. */
export interface Body extends BodyValue {
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
    return { value: readProtobuf(bytes ?? new Uint8Array()), strictErrors: [], lostNumbers: NO_LOST_NUMBERS, summary };
  } catch (error) {
    throw error instanceof ProtobufError ? new BodyError(error.message, summary) : error;
  }
}

/** Reads JSON, or throws a `BodyError` in the words of Go's decoder. */
export function readJson(text: string, summary = ""): BodyValue {
  const scan = scanJson(text);
  if (scan.error !== undefined) throw new BodyError(scan.error, summary);
  const { lostNumbers } = scan;
  return {
    value: parseScanned(text, scan),
    strictErrors: scan.duplicates.map((field) => `duplicate field "${field}"`),
    lostNumbers,
  };
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
