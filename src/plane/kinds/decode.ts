// SPDX-License-Identifier: Apache-2.0
import { parseQuantity, quantityText } from "../../lib/quantity.ts";
import { isInt64, isList, isObject, numberText } from "../../schema/go-text.ts";
import type { Json, UnknownField } from "../../schema/index.ts";
import { copyJson, getOwn, type MutableJson, type MutableObject, setOwn } from "../../schema/json.ts";
import { child, dottedOf, index, key, type Place, pathOf } from "../../schema/place.ts";
import { unknownFieldText } from "../../schema/pruning.ts";
import { type Field, goType, type Struct, type ValueType } from "./fields.ts";
import { base64Fault, canonicalBase64 } from "./go-base64.ts";
import { readTime } from "./go-time.ts";

/** What reading an object led to: the object as the server would write it back, and what was wrong with it. */
export interface Decoded {
  readonly object: MutableObject;
  /** In the order of the object. */
  readonly unknownFields: UnknownField[];
  /** Set when the server could not read the object: its words and where. */
  readonly malformed: Fault | undefined;
}

/** Something that cannot be read. */
export interface Fault {
  readonly place: Place;
  readonly words: string;
}

/** Ends the reading at once, as Go's decoder does for values that read themselves: times and quantities. */
class Unreadable extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.words);
    this.fault = fault;
  }
}

interface Reader {
  readonly unknown: UnknownField[];
  /** The first fault that reading went on after. */
  fault: Fault | undefined;
}

interface Spot {
  readonly place: Place;
  readonly reader: Reader;
  /** As Go names the field in its errors: the innermost struct's name, and the names of all fields down to it. */
  readonly struct: string;
  readonly trail: string;
}

/** Reads an object into a struct as the real server's JSON decoder does, and writes it back as its encoder does. */
export function decode(value: Json, struct: Struct): Decoded {
  const reader: Reader = { unknown: [], fault: undefined };
  let object: MutableObject = {};
  try {
    const root = { place: undefined, reader, struct: struct.shortName, trail: "" };
    if (isObject(value)) object = readStruct(value, struct, root);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { object, unknownFields: reader.unknown, malformed: error.fault };
  }
  return { object, unknownFields: reader.unknown, malformed: reader.fault };
}

type JsonObject = { readonly [name: string]: Json | undefined };

function readStruct(value: JsonObject, struct: Struct, spot: Spot): MutableObject {
  const given = new Map<string, MutableJson>();
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const field = getOwn(struct.fields, name);
    const place = child(spot.place, name);
    if (field === undefined) {
      const path = pathOf(place);
      spot.reader.unknown.push({ path, field: unknownFieldText(path) });
    } else if (item !== null) {
      const trail = spot.trail === "" ? name : `${spot.trail}.${name}`;
      const read = readValue(item, field.type, { place, reader: spot.reader, struct: struct.shortName, trail });
      if (read !== undefined) given.set(name, read);
    }
  }
  return writeStruct(struct, given);
}

/** The fields in the struct's own order, with or without the empty ones. */
function writeStruct(struct: Struct, given: ReadonlyMap<string, MutableJson>): MutableObject {
  const result: MutableObject = {};
  for (const [name, field] of Object.entries(struct.fields)) {
    const value = given.get(name);
    const written = value === undefined ? emptyOf(field) : isDropped(value, field) ? undefined : value;
    if (written !== undefined) result[name] = written;
  }
  return result;
}

function isDropped(value: MutableJson, { kept, type }: Field): boolean {
  if (kept !== "unless empty") return false;
  if (isList(value)) return value.length === 0;
  if (isObject(value)) return type.is === "map" && Object.keys(value).length === 0;
  return value === "" || value === 0 || value === false || value === null;
}

/** What a field that was not given is written as; undefined leaves it out. */
function emptyOf({ kept, type }: Field): MutableJson | undefined {
  if (kept === "when given") return undefined;
  if (kept === "or null") return null;
  if (type.is === "struct") return writeStruct(type.struct(), new Map());
  return kept === "always" ? zeroOf(type) : undefined;
}

function zeroOf(type: ValueType): MutableJson {
  switch (type.is) {
    case "text":
    case "bytes":
      return "";
    case "boolean":
      return false;
    case "integer":
    case "number":
      return 0;
    case "quantity":
      return "0";
    case "struct":
      return writeStruct(type.struct(), new Map());
    default:
      return null;
  }
}

function readValue(value: Json, type: ValueType, spot: Spot): MutableJson | undefined {
  switch (type.is) {
    case "anything":
      return copyJson(value);
    case "text":
      return typeof value === "string" ? value : refuse(value, type, spot);
    case "boolean":
      return typeof value === "boolean" ? value : refuse(value, type, spot);
    case "integer":
      return typeof value === "number" && fits(value, type.bits) ? value : refuse(value, type, spot);
    case "number":
      return typeof value === "number" ? value : refuse(value, type, spot);
    case "bytes":
      return typeof value === "string" ? readBytes(value, spot) : refuse(value, type, spot);
    case "time":
      return readTimeValue(value, type.isMicro, spot);
    case "quantity":
      return readQuantity(value, spot);
    case "list":
      return isList(value)
        ? value.map((item, at) => readItem(item, type.of, below(spot, index(spot.place, at))))
        : refuse(value, type, spot);
    case "map":
      return isObject(value) ? readMap(value, type.of, spot) : refuse(value, type, spot);
    case "struct":
      return isObject(value) ? readStruct(value, type.struct(), spot) : refuse(value, type, spot);
    case "struct or":
      return readAlternative(value, type, spot);
  }
}

function below(spot: Spot, place: Place): Spot {
  return { ...spot, place };
}

function readItem(item: Json, type: ValueType, spot: Spot): MutableJson {
  const zero = () => (type.is === "anything" ? null : zeroOf(type));
  return item === null ? zero() : (readValue(item, type, spot) ?? zero());
}

function readMap(value: JsonObject, type: ValueType, spot: Spot): MutableObject {
  const result: MutableObject = {};
  for (const [name, item] of Object.entries(value))
    if (item !== undefined) setOwn(result, name, readItem(item, type, below(spot, key(spot.place, name))));
  return result;
}

function fits(value: number, bits: 32 | 64): boolean {
  if (!isInt64(value)) return false;
  return bits === 64 || (value >= -(2 ** 31) && value < 2 ** 31);
}

function readBytes(value: string, spot: Spot): string | undefined {
  const fault = base64Fault(value);
  if (fault === undefined) return canonicalBase64(value);
  return note(spot, `illegal base64 data at input byte ${fault}`);
}

function readTimeValue(value: Json, isMicro: boolean, spot: Spot): MutableJson {
  if (typeof value !== "string") throw new Unreadable({ place: spot.place, words: mismatch(value, "string", spot) });
  const read = readTime(value, isMicro);
  if ("words" in read) throw new Unreadable({ place: spot.place, words: read.words });
  return read.text === "" ? null : read.text;
}

function readQuantity(value: Json, spot: Spot): string {
  const written = typeof value === "string" ? value : typeof value === "number" ? numberText(value) : "?";
  try {
    return quantityText(parseQuantity(written));
  } catch (error) {
    throw new Unreadable({ place: spot.place, words: error instanceof Error ? error.message : String(error) });
  }
}

type Alternative = Extract<ValueType, { is: "struct or" }>;

/** Such values read themselves: nothing unknown below them is noticed, and the first fault ends the reading. */
function readAlternative(value: Json, { struct, other }: Alternative, spot: Spot): MutableJson | undefined {
  const readAnew = (item: Json): MutableObject => {
    const reader: Reader = { unknown: [], fault: undefined };
    const object = isObject(item) ? readStruct(item, struct(), { ...spot, reader }) : {};
    if (reader.fault !== undefined) throw new Unreadable(reader.fault);
    return object;
  };
  if (isObject(value)) return readAnew(value);
  if (other === "boolean") {
    if (typeof value === "boolean") return value;
    throw new Unreadable({ place: spot.place, words: "boolean or JSON schema expected" });
  }
  if (!isList(value)) return undefined;
  return other === "structs" ? value.map(readAnew) : value.map((item) => (typeof item === "string" ? item : ""));
}

function refuse(value: Json, type: ValueType, spot: Spot): undefined {
  return note(spot, mismatch(value, goType(type), spot));
}

/** Reading goes on, and only the first such fault is reported. */
function note(spot: Spot, words: string): undefined {
  spot.reader.fault ??= { place: spot.place, words };
  return undefined;
}

function mismatch(value: Json, expected: string, { struct, trail }: Spot): string {
  const isNumber = typeof value === "number" && expected.startsWith("int");
  const found = `${wordFor(value)}${isNumber ? ` ${numberText(value)}` : ""}`;
  return `json: cannot unmarshal ${found} into Go struct field ${struct}.${trail} of type ${expected}`;
}

function wordFor(value: Json): string {
  if (isList(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** Where a fault stands, as text. */
export function faultField({ place }: Fault): string {
  return dottedOf(place);
}
