// SPDX-License-Identifier: Apache-2.0
import type { Schema } from "../../schema/index.ts";
import { type MutableJson, type MutableObject, setOwn } from "../../schema/json.ts";
import { timeText } from "../../schema/time.ts";
import { definitionName } from "../kinds/struct-schema.ts";
import { fieldsOf } from "./field-numbers.ts";
import { ProtobufError, wireFields } from "./wire.ts";

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";
const MAGIC = Buffer.from("k8s\0");

/** What a protobuf body holds: an object of some kind, and what it says it is. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** The object itself, to be read by its schema. */
  readonly message: Uint8Array;
}

/** Opens a body of type `application/vnd.kubernetes.protobuf`. Throws a `ProtobufError` where it is none. */
export function openEnvelope(body: Uint8Array): Envelope {
  if (!MAGIC.equals(body.subarray(0, MAGIC.length)))
    throw new ProtobufError("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  let [apiVersion, kind] = ["", ""];
  let message: Uint8Array = new Uint8Array();
  for (const { number, value } of wireFields(body.subarray(MAGIC.length))) {
    if (number === 2) message = bytesOf(value);
    if (number !== 1) continue;
    for (const field of wireFields(bytesOf(value))) {
      if (field.number === 1) apiVersion = textOf(field.value);
      if (field.number === 2) kind = textOf(field.value);
    }
  }
  return { apiVersion, kind, message };
}

/** Reads a message by the schema of a built-in kind into what the same object would be as JSON. */
export function readMessage(message: Uint8Array, schema: Schema): MutableObject {
  const names = fieldsOf(definitionName(schema) ?? "");
  if (names === undefined) throw new ProtobufError("this kind is not read from protobuf");
  const object: MutableObject = {};
  for (const { number, value } of wireFields(message)) {
    const name = names[number - 1];
    const property = name === undefined ? undefined : schema.properties?.[name];
    if (name !== undefined && property !== undefined) readField(object, { name, value, schema: property });
  }
  return object;
}

interface FieldValue {
  readonly name: string;
  readonly value: bigint | Uint8Array;
  readonly schema: Schema;
}

/** Lists and maps are written entry by entry, each as a field of its own. */
function readField(object: MutableObject, { name, value, schema }: FieldValue): void {
  const { items, additionalProperties } = schema;
  const known = object[name];
  if (items !== undefined) {
    const list = Array.isArray(known) ? known : [];
    list.push(readValue(value, items));
    object[name] = list;
  } else if (typeof additionalProperties === "object") {
    const map = typeof known === "object" && known !== null && !Array.isArray(known) ? known : {};
    readEntry(map, bytesOf(value), additionalProperties);
    object[name] = map;
  } else object[name] = readValue(value, schema);
}

function readEntry(map: MutableObject, entry: Uint8Array, schema: Schema): void {
  let key = "";
  let value: bigint | Uint8Array | undefined;
  for (const field of wireFields(entry)) {
    if (field.number === 1) key = textOf(field.value);
    if (field.number === 2) value = field.value;
  }
  setOwn(map, key, readValue(value ?? new Uint8Array(), schema));
}

function readValue(value: bigint | Uint8Array, schema: Schema): MutableJson {
  switch (definitionName(schema)) {
    case `${META}.Time`:
    case `${META}.MicroTime`:
      return readTime(bytesOf(value));
    case "io.k8s.apimachinery.pkg.api.resource.Quantity":
      return readText(bytesOf(value));
    case undefined:
      break;
    default:
      return readMessage(bytesOf(value), schema);
  }
  switch (schema.type) {
    case "boolean":
      return value !== 0n;
    case "integer":
      return typeof value === "bigint" ? Number(value) : 0;
    case "string":
      return schema.format === "byte" ? Buffer.from(bytesOf(value)).toString("base64") : textOf(value);
    case "array":
      // A list within a map is a message that has nothing but the list.
      return [...wireFields(bytesOf(value))].map((field) => textOf(field.value));
    default:
      return readRaw(bytesOf(value));
  }
}

/** Seconds and nanoseconds; no time at all where there is neither. */
function readTime(message: Uint8Array): string | null {
  let [seconds, nanoseconds] = [0n, 0n];
  for (const { number, value } of wireFields(message)) {
    if (typeof value !== "bigint") continue;
    if (number === 1) seconds = value;
    if (number === 2) nanoseconds = value;
  }
  if (seconds === 0n && nanoseconds === 0n) return null;
  if (seconds < -62_135_596_800n || seconds > 253_402_300_799n) throw new ProtobufError("a time is out of range");
  return timeText(seconds * 1_000_000_000n + nanoseconds);
}

function readText(message: Uint8Array): string {
  let text = "";
  for (const { number, value } of wireFields(message)) if (number === 1) text = textOf(value);
  return text;
}

/** What has no fixed fields travels as JSON within a message. */
function readRaw(message: Uint8Array): MutableJson {
  try {
    return JSON.parse(readText(message));
  } catch {
    return null;
  }
}

function bytesOf(value: bigint | Uint8Array): Uint8Array {
  if (typeof value === "bigint") throw new ProtobufError("proto: wrong wireType");
  return value;
}

function textOf(value: bigint | Uint8Array): string {
  return Buffer.from(bytesOf(value)).toString("utf8");
}
