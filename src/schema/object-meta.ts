// SPDX-License-Identifier: Apache-2.0
import { isInt64, isList, isObject, numberText } from "./go-text.ts";
import { copyJson, getOwn, type MutableJson, type MutableObject, setOwn } from "./json.ts";
import { child, dottedOf, index, key, type Place, pathOf } from "./place.ts";
import { typeInvalid } from "./problems.ts";
import { type UnknownField, unknownFieldText } from "./pruning.ts";
import { parseTime, timeText } from "./time.ts";
import type { Json, Problem } from "./types.ts";

/** What is wrong in a resource's metadata so that the server cannot even read it: its answer is 400, not 422. */
export interface Malformed {
  /** The same fault in the words of validation, at its place. */
  readonly problem: Problem;
  /** The server's own words for it. */
  readonly words: string;
}

/** Metadata as the server reads and writes it back: known fields only, times in UTC, empty fields left out. */
export interface DecodedMetadata {
  readonly metadata: MutableObject;
  readonly unknown: UnknownField[];
  readonly malformed: Malformed[];
}

type FieldType =
  | "string"
  | "integer"
  | "boolean"
  | "time"
  | "strings"
  | "string map"
  | "anything"
  | { readonly listOf: Struct };

interface Struct {
  readonly name: string;
  /** Always written back, also when empty. */
  readonly always?: readonly string[];
  readonly fields: Readonly<Record<string, FieldType>>;
}

const OWNER_REFERENCE: Struct = {
  name: "OwnerReference",
  always: ["apiVersion", "kind", "name", "uid"],
  fields: {
    apiVersion: "string",
    kind: "string",
    name: "string",
    uid: "string",
    controller: "boolean",
    blockOwnerDeletion: "boolean",
  },
};

const MANAGED_FIELDS: Struct = {
  name: "ManagedFieldsEntry",
  fields: {
    manager: "string",
    operation: "string",
    apiVersion: "string",
    time: "time",
    fieldsType: "string",
    fieldsV1: "anything",
    subresource: "string",
  },
};

const OBJECT_META: Struct = {
  name: "ObjectMeta",
  fields: {
    name: "string",
    generateName: "string",
    namespace: "string",
    selfLink: "string",
    uid: "string",
    resourceVersion: "string",
    generation: "integer",
    creationTimestamp: "time",
    deletionTimestamp: "time",
    deletionGracePeriodSeconds: "integer",
    labels: "string map",
    annotations: "string map",
    ownerReferences: { listOf: OWNER_REFERENCE },
    finalizers: "strings",
    managedFields: { listOf: MANAGED_FIELDS },
  },
};

/** Reads metadata as a server does. Nothing is thrown: what cannot be read is listed and left out. */
export function decodeMetadata(value: Json, place: Place): DecodedMetadata {
  const reader = makeReader();
  if (value === null) return { metadata: {}, unknown: [], malformed: [] };
  if (!isObject(value)) {
    reader.refuse(value, "object", { place, target: `Go value of type v1.${OBJECT_META.name}` });
    return { metadata: {}, unknown: [], malformed: reader.malformed };
  }
  const metadata = readStruct(value, OBJECT_META, { place, reader, trail: OBJECT_META.name });
  return { metadata, unknown: reader.unknown, malformed: reader.malformed };
}

interface Reader {
  readonly unknown: UnknownField[];
  readonly malformed: Malformed[];
  refuse(value: Json, expected: string, target: { place: Place; target: string; isTime?: boolean }): undefined;
}

function makeReader(): Reader {
  const malformed: Malformed[] = [];
  return {
    unknown: [],
    malformed,
    refuse(value, expected, { place, target, isTime = false }) {
      const found = wordFor(value);
      const detail = `${dottedOf(place)} in body must be of type ${isTime ? "date-time" : expected}: "${found}"`;
      const location = { path: pathOf(place), field: dottedOf(place) };
      const shown = expected === "int64" && typeof value === "number" ? ` ${numberText(value)}` : "";
      malformed.push({
        problem: typeInvalid(location, found, detail),
        words: isTime
          ? `parsing time ${JSON.stringify(value)} as "2006-01-02T15:04:05Z07:00": cannot parse`
          : `json: cannot unmarshal ${goWordFor(value)}${shown} into ${target}`,
      });
      return undefined;
    },
  };
}

function wordFor(value: Json): string {
  if (value === null) return "null";
  if (isList(value)) return "array";
  return typeof value;
}

function goWordFor(value: Json): string {
  return typeof value === "boolean" ? "bool" : wordFor(value);
}

interface Spot {
  readonly place: Place;
  readonly reader: Reader;
  /** As Go names the field in its errors: the struct, then the JSON names from the outermost one. */
  readonly trail: string;
}

function readStruct(value: { readonly [name: string]: Json | undefined }, struct: Struct, spot: Spot): MutableObject {
  const result: MutableObject = {};
  for (const name of struct.always ?? []) result[name] = "";
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const type = getOwn(struct.fields, name);
    const place = child(spot.place, name);
    if (type === undefined) {
      const path = pathOf(place);
      spot.reader.unknown.push({ path, field: unknownFieldText(path) });
    } else if (item !== null) {
      const read = readField(item, type, { place, reader: spot.reader, trail: `${spot.trail}.${name}` });
      const isPointer = name === "deletionGracePeriodSeconds" || type === "boolean" || type === "anything";
      if (read !== undefined && (isPointer || !isEmpty(read))) result[name] = read;
    }
  }
  return result;
}

function isEmpty(value: MutableJson): boolean {
  if (isList(value)) return value.length === 0;
  if (isObject(value)) return Object.keys(value).length === 0;
  return value === "" || value === 0;
}

function readField(value: Json, type: FieldType, spot: Spot): MutableJson | undefined {
  if (typeof type === "object") return readList(value, type.listOf, spot);
  switch (type) {
    case "anything":
      return copyJson(value);
    case "string":
      return typeof value === "string" ? value : refuse(value, "string", spot);
    case "boolean":
      return typeof value === "boolean" ? value : refuse(value, "bool", spot);
    case "integer":
      return typeof value === "number" && isInt64(value) ? value : refuse(value, "int64", spot);
    case "time":
      return readTime(value, spot);
    case "strings":
      return isList(value) ? readStrings(value, spot) : refuse(value, "[]string", spot);
    case "string map":
      return isObject(value) ? readStringMap(value, spot) : refuse(value, "map[string]string", spot);
  }
}

function refuse(value: Json, expected: string, { place, reader, trail }: Spot): undefined {
  return reader.refuse(value, expected, { place, target: `Go struct field ${trail} of type ${expected}` });
}

function readTime(value: Json, spot: Spot): string | undefined {
  if (typeof value !== "string") return refuse(value, "string", spot);
  const nanoseconds = parseTime(value);
  if (nanoseconds === undefined)
    return spot.reader.refuse(value, "date-time", { place: spot.place, target: "", isTime: true });
  const text = timeText(nanoseconds).replace(/\.\d+Z$/, "Z");
  return text === "0001-01-01T00:00:00Z" ? "" : text;
}

function readStrings(items: readonly Json[], { place, reader, trail }: Spot): string[] {
  return items.map((item, at) => {
    if (typeof item === "string") return item;
    if (item !== null) refuse(item, "string", { place: index(place, at), reader, trail });
    return "";
  });
}

function readStringMap(map: { readonly [key: string]: Json | undefined }, spot: Spot): MutableObject {
  const result: MutableObject = {};
  for (const [name, item] of Object.entries(map)) {
    if (item === undefined) continue;
    if (typeof item === "string" || item === null) setOwn(result, name, item ?? "");
    else refuse(item, "string", { ...spot, place: key(spot.place, name) });
  }
  return result;
}

function readList(value: Json, struct: Struct, spot: Spot): MutableJson[] | undefined {
  if (!isList(value)) return refuse(value, `[]v1.${struct.name}`, spot);
  const trail = `${struct.name}.${spot.trail.split(".").slice(1).join(".")}`;
  return value.map((item, at) => {
    const place = index(spot.place, at);
    if (item === null || isObject(item)) return readStruct(item ?? {}, struct, { place, reader: spot.reader, trail });
    refuse(item, `v1.${struct.name}`, { ...spot, place });
    return {};
  });
}
