// SPDX-License-Identifier: Apache-2.0
import type { Cidr, Ip } from "../../lib/ip.ts";
import type { Quantity } from "../../lib/quantity.ts";
import type { GoUrl } from "../go-url.ts";
import type { Json } from "../types.ts";
import type { Semver } from "./semver.ts";

/** A value while an expression runs. Integers are bigints, doubles are numbers. */
export type CelValue = null | boolean | bigint | number | string | Uint8Array | Tagged;

export type Tagged =
  | { readonly kind: "uint"; readonly value: bigint }
  | { readonly kind: "duration"; readonly nanoseconds: bigint }
  | { readonly kind: "timestamp"; readonly nanoseconds: bigint }
  | { readonly kind: "type"; readonly name: string }
  | { readonly kind: "optional"; readonly value: CelValue | undefined }
  | { readonly kind: "url"; readonly url: GoUrl }
  | { readonly kind: "ip"; readonly ip: Ip }
  | { readonly kind: "cidr"; readonly cidr: Cidr }
  | { readonly kind: "quantity"; readonly quantity: Quantity }
  | { readonly kind: "semver"; readonly version: Semver }
  | { readonly kind: "format"; readonly name: string; readonly problems: (text: string) => string[] }
  | { readonly kind: "preserved"; readonly raw: Json }
  | CelList
  | CelMap;

/** A list, perhaps one whose items are made from JSON only when asked for. */
export interface CelList {
  readonly kind: "list";
  /** Set for lists that own their items; see concat. */
  readonly items?: CelValue[];
  readonly size: number;
  /** The item at an index that is in range. */
  at(index: number): CelValue;
  /** Lists with a schema's list type compare and add in their own way. */
  readonly special?: ListBehaviour;
  /** The JSON behind the list, when it stems from an object. */
  readonly raw?: readonly Json[];
}

export interface ListBehaviour {
  equals(other: CelList): boolean;
  add(other: CelList): CelList;
}

/** A map, or an object with a schema. */
export interface CelMap {
  readonly kind: "map";
  readonly size: number;
  /** The value for a key; undefined when there is none. May throw a CelError for keys of a wrong type. */
  find(key: CelValue): CelValue | undefined;
  keys(): readonly CelValue[];
  /** The JSON behind the map, when it stems from an object. */
  readonly raw?: { readonly [key: string]: Json | undefined };
}

/** An error while an expression runs. `&&` and `||` may absorb it; otherwise it is what the rule's problem says. */
export class CelError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "CelError";
  }
}

export const NO_OVERLOAD = "no such overload";

export const uint = (value: bigint): CelValue => ({ kind: "uint", value });
export const duration = (nanoseconds: bigint): CelValue => ({ kind: "duration", nanoseconds });
export const timestamp = (nanoseconds: bigint): CelValue => ({ kind: "timestamp", nanoseconds });
export const optional = (value: CelValue | undefined): CelValue => ({ kind: "optional", value });
export const NONE: CelValue = optional(undefined);

/**
 * A list of values. Lists only ever grow at their end: `concat` shares the storage of the list it extends as long as
 * nobody else extended it, so that a loop that gathers a list takes linear time.
 */
export function listValue(items: CelValue[]): CelList {
  const size = items.length;
  return { kind: "list", size, items, at: (index) => items[index] ?? null };
}

/** The items of both lists. */
export function concat(left: CelList, right: CelList): CelList {
  const isTip = left.items !== undefined && left.items.length === left.size;
  const items = isTip && left.items !== undefined ? left.items : itemsOf(left);
  for (let at = 0; at < right.size; at++) items.push(right.at(at));
  return listValue(items);
}

/** A new array of the items. */
export function itemsOf(list: CelList): CelValue[] {
  return Array.from({ length: list.size }, (_, at) => list.at(at));
}

/** What Go calls the runtime type, as `type(x)` and error messages name it. */
export function typeName(value: CelValue): string {
  if (value === null) return "null_type";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "double";
    case "string":
      return "string";
  }
  if (value instanceof Uint8Array) return "bytes";
  return TYPE_NAMES[value.kind];
}

const TYPE_NAMES: Readonly<Record<Tagged["kind"], string>> = {
  uint: "uint",
  duration: "google.protobuf.Duration",
  timestamp: "google.protobuf.Timestamp",
  type: "type",
  optional: "optional_type",
  url: "kubernetes.URL",
  ip: "net.IP",
  cidr: "net.CIDR",
  quantity: "kubernetes.Quantity",
  semver: "kubernetes.Semver",
  format: "kubernetes.NamedFormat",
  preserved: "unknown",
  list: "list",
  map: "map",
};

/** The tag of a value that is not a plain JavaScript one. */
export function kindOf(value: CelValue): Tagged["kind"] | undefined {
  return typeof value === "object" && value !== null && !(value instanceof Uint8Array) ? value.kind : undefined;
}

/** The value itself when it has that tag. */
export function tagged<K extends Tagged["kind"]>(value: CelValue, kind: K): Extract<Tagged, { kind: K }> | undefined {
  return isTagged(value, kind) ? value : undefined;
}

/** Whether a value has a tag. */
export function isTagged<K extends Tagged["kind"]>(value: CelValue, kind: K): value is Extract<Tagged, { kind: K }> {
  return kindOf(value) === kind;
}

export function isCelList(value: CelValue): value is CelList {
  return kindOf(value) === "list";
}

export function isCelMap(value: CelValue): value is CelMap {
  return kindOf(value) === "map";
}
