// SPDX-License-Identifier: Apache-2.0
import { compareText, isList, isObject, jsonText, numberText, quote } from "../../../schema/go-text.ts";
import type { Json } from "../../../schema/index.ts";
import type { JsonObject } from "../json-object.ts";

/**
 * One step of a path, as FieldsV1 writes it: `f:name` a field, `k:{"type":"Ready"}` a list's item by its keys, `v:"a"` a
 * set's item, `i:0` an item by its place. The text is canonical, so that equal steps are equal texts.
 */
export type PathElement = string;

/** The step to a field of an object or a key of a map. */
export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** The step to the item that has these keys. */
export function keyElement(keys: JsonObject): PathElement {
  const names = Object.keys(keys);
  const [only = ""] = names;
  const value = keys[only];
  if (names.length === 1 && typeof value === "string" && PLAIN_TEXT.test(only))
    return `k:{"${only}":${valueText(value)}}`;
  return `k:${valueText(keys)}`;
}

/** The step to a set's item. */
export function valueElement(value: Json): PathElement {
  return `v:${valueText(value)}`;
}

/** The field's name where the step is to a field. */
export function fieldNameOf(element: PathElement): string | undefined {
  return element.startsWith("f:") ? element.slice(2) : undefined;
}

/** Reads a step that somebody else wrote. `"unknown"` for kinds of steps that later versions may have, undefined for nonsense. */
export function readElement(text: string): PathElement | "unknown" | undefined {
  if (text[1] !== ":") return undefined;
  const rest = text.slice(2);
  switch (text[0]) {
    case "f":
      return text;
    case "i":
      return /^[-+]?[0-9]+$/.test(rest) ? `i:${Number(rest)}` : undefined;
    case "k": {
      if (CANONICAL_KEY.test(text)) return text;
      const keys = parse(rest);
      return isObject(keys) ? keyElement(keys) : undefined;
    }
    case "v": {
      if (CANONICAL_VALUE.test(text)) return text;
      const value = parse(rest);
      return value === undefined ? undefined : valueElement(value);
    }
    default:
      return "unknown";
  }
}

/**
 * A step as messages print it: `.name`, `[type="Ready"]`, `[="a"]`, `[0]`. Steps that were read from managedFields, as those
 * of conflicts, have only float64 numbers to a server, and large ones look it.
 */
export function printElement(element: PathElement, printNumber = numberText): string {
  const print = (value: Json | undefined) => printValue(value ?? null, printNumber);
  const rest = element.slice(2);
  switch (element[0]) {
    case "f":
      return `.${rest}`;
    case "k": {
      const keys = parse(rest);
      const parts = Object.entries(isObject(keys) ? keys : {});
      return `[${parts.map(([name, value]) => `${name}=${print(value)}`).join(",")}]`;
    }
    case "v":
      return `[=${print(parse(rest))}]`;
    default:
      return `[${rest}]`;
  }
}

const ORDER = "fkvi";

/** What an element is sorted by; made once per element, since it may have to be parsed. */
export interface SortKey {
  readonly element: PathElement;
  readonly rank: number;
  readonly value: Json;
}

export function sortKey(element: PathElement): SortKey {
  const rank = ORDER.indexOf(element.charAt(0));
  return { element, rank, value: rank === 0 ? null : (parse(element.slice(2)) ?? null) };
}

/** The order in which FieldsV1 is written and conflicts are listed: fields, then items by key, by value, by place. */
export function compareSortKeys(left: SortKey, right: SortKey): number {
  if (left.rank !== right.rank) return left.rank - right.rank;
  return left.rank === 0 ? compareText(left.element, right.element) : compareValues(left.value, right.value);
}

const RARE_ESCAPES: Readonly<Record<string, string>> = { "\\b": "\\u0008", "\\f": "\\u000c" };

/** Text that JSON writes as it is, and that is nearly all there is. */
const PLAIN = "[ !#-%'-;=?-[\\]-~]*";
const PLAIN_TEXT = new RegExp(`^${PLAIN}$`);
const CANONICAL_KEY = new RegExp(`^k:\\{"${PLAIN}":(?:"${PLAIN}"|0|[1-9][0-9]{0,14})\\}$`);
const CANONICAL_VALUE = new RegExp(`^v:(?:"${PLAIN}"|0|[1-9][0-9]{0,14})$`);

/** Keys sorted by name, everything as the server's encoder writes it. */
function valueText(value: Json): string {
  if (typeof value === "string" && PLAIN_TEXT.test(value)) return `"${value}"`;
  return jsonText(value).replaceAll(/\\./g, (pair) => RARE_ESCAPES[pair] ?? pair);
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function printValue(value: Json, printNumber: (number: number) => string): string {
  const print = (item: Json | undefined) => printValue(item ?? null, printNumber);
  if (typeof value === "string") return quote(value);
  if (typeof value === "number") return printNumber(value);
  if (isList(value)) return `[${value.map(print).join(",")}]`;
  if (!isObject(value)) return String(value);
  return Object.entries(value)
    .map(([name, item]) => `${name}=${print(item)}`)
    .join("");
}

/** Numbers, texts, booleans, lists, objects, null; each kind in its own order. */
function compareValues(left: Json, right: Json): number {
  const [one, other] = [kindRank(left), kindRank(right)];
  if (one !== other) return one - other;
  if (typeof left === "string" && typeof right === "string") return compareText(left, right);
  if (isList(left) && isList(right)) return compareLists(left, right);
  if (isObject(left) && isObject(right)) return compareLists(entriesOf(left), entriesOf(right));
  return Number(left) - Number(right);
}

function kindRank(value: Json): number {
  if (typeof value === "number") return 0;
  if (typeof value === "string") return 1;
  if (typeof value === "boolean") return 2;
  if (isList(value)) return 3;
  return value === null ? 5 : 4;
}

function compareLists(left: readonly Json[], right: readonly Json[]): number {
  for (const [index, item] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const order = compareValues(item, other);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function entriesOf(value: JsonObject): Json[] {
  return Object.entries(value).flatMap(([name, item]) => [name, item ?? null]);
}
