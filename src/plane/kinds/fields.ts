// SPDX-License-Identifier: Apache-2.0

/** The type of a value in a built-in kind, with what its schema, its decoding and its messages need. */
export type ValueType =
  | { readonly is: "text"; readonly go: string; readonly choices?: readonly string[] }
  | { readonly is: "boolean" }
  | { readonly is: "integer"; readonly bits: 32 | 64 }
  | { readonly is: "number" }
  | { readonly is: "bytes" }
  | { readonly is: "time"; readonly isMicro: boolean }
  | { readonly is: "quantity" }
  | { readonly is: "anything" }
  | { readonly is: "list"; readonly of: ValueType; readonly go?: string; readonly merging: Merging }
  | { readonly is: "map"; readonly of: ValueType; readonly go?: string; readonly isGranular?: boolean }
  /** With `isOpaque` the schema does not say what is in it: for structs that contain themselves in many ways. */
  | { readonly is: "struct"; readonly struct: () => Struct; readonly isOpaque?: boolean }
  /** A struct, or something simpler in its place, as JSON schemas have it. */
  | { readonly is: "struct or"; readonly struct: () => Struct; readonly other: "boolean" | "structs" | "texts" };

/** How patches and applies merge a list. `patch` says that strategic merge patches do too. */
export type Merging =
  | { readonly type: "atomic" }
  | { readonly type: "set"; readonly patch: boolean }
  | { readonly type: "map"; readonly keys: readonly string[]; readonly patch: boolean };

/**
 * A named field. `kept` says when it is written back: never when empty, whenever it was given, always, or
 * with null in its place, as the Go types behind the real server do.
 */
export interface Field {
  readonly type: ValueType;
  readonly about: string;
  readonly kept: "unless empty" | "when given" | "always" | "or null";
  readonly isRequired: boolean;
}

/** An object with named fields. */
export interface Struct {
  /** The name of its definition in OpenAPI documents; its last parts are its Go type. */
  readonly name: string;
  /** The last part of the name. */
  readonly shortName: string;
  readonly about: string;
  readonly fields: Readonly<Record<string, Field>>;
  /** Applies replace it as a whole. */
  readonly isAtomic: boolean;
}

/** A struct. The name's last two parts must be its Go package and type. */
export function struct(
  name: string,
  about: string,
  fields: Readonly<Record<string, Field>>,
  { isAtomic = false }: { isAtomic?: boolean } = {},
): Struct {
  return { name, shortName: name.slice(name.lastIndexOf(".") + 1), about, fields, isAtomic };
}

/** A field that is left out when it is empty. */
export function optional(type: ValueType, about: string): Field {
  return { type, about, kept: "unless empty", isRequired: false };
}

/** A field that tells "empty" from "not given". */
export function pointer(type: ValueType, about: string): Field {
  return { type, about, kept: "when given", isRequired: false };
}

/** A field that tells "empty" from "not given", and says so with a null. */
export function nullable(type: ValueType, about: string): Field {
  return { type, about, kept: "or null", isRequired: false };
}

/** A field that every object must have; it is written back even when empty. */
export function needed(type: ValueType, about: string): Field {
  return { type, about, kept: "always", isRequired: true };
}

/** A field that nobody has to give but that is always written back. */
export function shown(type: ValueType, about: string): Field {
  return { type, about, kept: "always", isRequired: false };
}

/** The same field, required by the schema. */
export function required(field: Field): Field {
  return { ...field, isRequired: true };
}

/** Text. */
export const text: ValueType = { is: "text", go: "string" };
/** True or false. */
export const boolean: ValueType = { is: "boolean" };
/** An integer of 32 bits. */
export const int32: ValueType = { is: "integer", bits: 32 };
/** An integer of 64 bits, as far as JSON numbers carry it. */
export const int64: ValueType = { is: "integer", bits: 64 };
/** Any number. */
export const number: ValueType = { is: "number" };
/** Bytes, as base64 text. */
export const bytes: ValueType = { is: "bytes" };
/** A time in whole seconds. */
export const time: ValueType = { is: "time", isMicro: false };
/** A time in microseconds. */
export const microTime: ValueType = { is: "time", isMicro: true };
/** An amount such as `1500m` or `2Gi`. */
export const quantity: ValueType = { is: "quantity" };
/** Any JSON, kept as it is. */
export const anything: ValueType = { is: "anything" };

/** Text of a named Go type, with the values that are known where there is a list of them. */
export function named(go: string, choices?: readonly string[]): ValueType {
  return { is: "text", go, ...(choices === undefined ? {} : { choices }) };
}

/** A list that is replaced as a whole; `go` is its type's name where it has one. */
export function list(of: ValueType, go?: string): ValueType {
  return { is: "list", of, merging: { type: "atomic" }, ...(go === undefined ? {} : { go }) };
}

/** A list of distinct values that applies merge. */
export function set(of: ValueType): ValueType {
  return { is: "list", of, merging: { type: "set", patch: true } };
}

/** A list whose items are known by keys. */
export function listBy(
  key: string,
  of: ValueType,
  { patch = true, go }: { patch?: boolean; go?: string } = {},
): ValueType {
  return { is: "list", of, merging: { type: "map", keys: [key], patch }, ...(go === undefined ? {} : { go }) };
}

/** A map from text; `go` is its type's name where it has one. */
export function map(of: ValueType, { go, isGranular }: { go?: string; isGranular?: boolean } = {}): ValueType {
  return { is: "map", of, ...(go === undefined ? {} : { go }), ...(isGranular === undefined ? {} : { isGranular }) };
}

/** A value that is a struct. */
export function of(struct: Struct): ValueType {
  return { is: "struct", struct: () => struct };
}

/** The Go type of a value, as the server's decoder names it in its errors. */
export function goType(type: ValueType): string {
  switch (type.is) {
    case "text":
      return type.go;
    case "boolean":
      return "bool";
    case "integer":
      return `int${type.bits}`;
    case "number":
      return "float64";
    case "bytes":
      return "[]uint8";
    case "list":
      return type.go ?? `[]${goType(type.of)}`;
    case "map":
      return type.go ?? `map[string]${goType(type.of)}`;
    case "struct":
    case "struct or":
      return type.struct().name.split(".").slice(-2).join(".");
    case "time":
    case "quantity":
    case "anything":
      return "string";
  }
}
