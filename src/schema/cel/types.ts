// SPDX-License-Identifier: Apache-2.0

export type TypeKind =
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "null"
  | "duration"
  | "timestamp"
  | "dyn"
  | "error"
  | "list"
  | "map"
  | "struct"
  | "opaque"
  | "type"
  | "param";

/** A type as the checker reasons about it. */
export interface CelType {
  readonly kind: TypeKind;
  readonly name: string;
  readonly params: readonly CelType[];
  /** Of structs: the fields by their CEL names. */
  readonly fields?: ReadonlyMap<string, CelType>;
}

function simple(kind: TypeKind, name: string = kind): CelType {
  return { kind, name, params: [] };
}

export const BOOL = simple("bool");
export const INT = simple("int");
export const UINT = simple("uint");
export const DOUBLE = simple("double");
export const STRING = simple("string");
export const BYTES = simple("bytes");
export const NULL = simple("null", "null_type");
export const DURATION = simple("duration", "google.protobuf.Duration");
export const TIMESTAMP = simple("timestamp", "google.protobuf.Timestamp");
export const DYN = simple("dyn");
export const ERROR = simple("error", "error");
export const TYPE = simple("type");

export const listOf = (element: CelType): CelType => ({ kind: "list", name: "list", params: [element] });
export const mapOf = (key: CelType, value: CelType): CelType => ({ kind: "map", name: "map", params: [key, value] });
export const typeOf = (type: CelType): CelType => ({ kind: "type", name: "type", params: [type] });
export const optionalOf = (type: CelType): CelType => ({ kind: "opaque", name: "optional_type", params: [type] });
export const opaque = (name: string): CelType => simple("opaque", name);
/** A type of the Kubernetes libraries, which CEL treats like a message without fields. */
export const object = (name: string): CelType => ({ kind: "struct", name, params: [], fields: new Map() });
export const param = (name: string): CelType => simple("param", name);
export const struct = (name: string, fields: ReadonlyMap<string, CelType>): CelType => ({
  kind: "struct",
  name,
  params: [],
  fields,
});

export const IP = opaque("net.IP");
export const CIDR = opaque("net.CIDR");
export const URL_TYPE = object("kubernetes.URL");
export const QUANTITY = object("kubernetes.Quantity");
export const SEMVER = object("kubernetes.Semver");
export const NAMED_FORMAT = object("kubernetes.NamedFormat");

/** Types that expressions can name. `list` and `map` stand for all lists and maps. */
export const NAMED_TYPES: ReadonlyMap<string, CelType> = new Map(
  [
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    INT,
    listOf(param("A")),
    mapOf(param("A"), param("B")),
    NULL,
    STRING,
    TIMESTAMP,
    TYPE,
    UINT,
    optionalOf(param("V")),
    IP,
    CIDR,
  ].map((type) => [type.name, type]),
);

const PRINTED: Partial<Record<TypeKind, string>> = {
  duration: "duration",
  timestamp: "timestamp",
  null: "null",
  error: "!error!",
};

/** A type as compile errors print it: `map(string, list(int))`. */
export function typeText(type: CelType): string {
  const printed = PRINTED[type.kind];
  if (printed !== undefined) return printed;
  return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(typeText).join(", ")})`;
}

/** Whether two types are the same, parameters included. */
export function isSameType(left: CelType, right: CelType): boolean {
  if (left === right) return true;
  if (left.kind !== right.kind || left.name !== right.name || left.params.length !== right.params.length) return false;
  return left.params.every((type, at) => isSameType(type, right.params[at] ?? ERROR));
}

export const isOptional = (type: CelType): boolean => type.kind === "opaque" && type.name === "optional_type";
