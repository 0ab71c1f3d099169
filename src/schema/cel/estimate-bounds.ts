// SPDX-License-Identifier: Apache-2.0
import { valueSchema } from "../json.ts";
import type { Schema } from "../types.ts";
import { escapeName } from "./escape.ts";
import { type FieldPath, stepsOf } from "./estimate-path.ts";
import { type Size, wrap } from "./estimate-size.ts";
import { withTypeMeta } from "./schema-type.ts";

/** How large values of a schema can be, by its limits or because a request must carry them. */
export interface Bounds {
  /** Characters, bytes, items or entries; 0 for objects and for values that have no size. */
  readonly maxElements: bigint;
  /** The least a value takes in JSON. */
  readonly minBytes: number;
  readonly key?: Bounds;
  readonly element?: Bounds;
  /** By their names in rules. */
  readonly fields?: ReadonlyMap<string, Bounds>;
}

const MAX_REQUEST_BYTES = 3 * 1024 * 1024;
const MAX_TEXT = MAX_REQUEST_BYTES - 2;
const BYTES_PER_CHARACTER = 4n;

const NO_SIZE = { maxElements: 0n } as const;

/** Keys have no limit in a schema; the server takes them for empty. */
const KEY: Bounds = { ...NO_SIZE, minBytes: 2 };

/** The bounds of a schema's values; undefined for what rules cannot see. `isResource`: the schema is of a whole resource. */
export function schemaBounds(schema: Schema, isResource: boolean): Bounds | undefined {
  if (schema["x-kubernetes-int-or-string"]) return { maxElements: maxText(schema), minBytes: 1 };
  switch (schema.type) {
    case "array":
      return listBounds(schema);
    case "object":
      return objectBounds(isResource ? withTypeMeta(schema) : schema);
    case "string":
      return textBounds(schema);
    case "boolean":
      return { ...NO_SIZE, minBytes: 4 };
    case "number":
    case "integer":
      return { ...NO_SIZE, minBytes: 1 };
    default:
      return undefined;
  }
}

/** How often values of these bounds fit into one request: the worst case below lists and maps without limits. */
export function mostInRequest({ minBytes }: Bounds): bigint {
  return BigInt(Math.floor(MAX_REQUEST_BYTES / (minBytes + 1)));
}

/** The size of what stands at a path from a value with these bounds; undefined where the path leads nowhere. */
export function sizeAt(root: Bounds, path: FieldPath | undefined): Size | undefined {
  if (path === undefined || path.length === 0) return undefined;
  let bounds: Bounds | undefined = root;
  for (const step of stepsOf(path)) {
    if (step === "@items" || step === "@values") bounds = bounds.element;
    else if (step === "@keys") bounds = bounds.key;
    else bounds = bounds.fields?.get(step);
    if (bounds === undefined) return undefined;
  }
  return { min: 0n, max: wrap(bounds.maxElements) };
}

/** A limit of a schema as a whole number. */
export function limitOf(limit: number): bigint {
  return Number.isFinite(limit) && limit > 0 ? BigInt(Math.trunc(limit)) : 0n;
}

function below(schema: Schema): Bounds | undefined {
  return schemaBounds(schema, schema["x-kubernetes-embedded-resource"] === true);
}

function listBounds({ items, maxItems }: Schema): Bounds | undefined {
  const element = items === undefined ? undefined : below(items);
  if (element === undefined) return undefined;
  const fitting = Math.floor((MAX_REQUEST_BYTES - 2) / (element.minBytes + 1));
  return { maxElements: maxItems === undefined ? BigInt(fitting) : limitOf(maxItems), minBytes: 2, element };
}

function objectBounds(schema: Schema): Bounds | undefined {
  const values = valueSchema(schema);
  if (values !== undefined) return mapBounds(schema, below(values));
  const fields = new Map<string, Bounds>();
  let minBytes = 2;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const bounds = below(property);
    if (bounds === undefined) continue;
    const escaped = escapeName(name);
    if (escaped !== undefined) fields.set(escaped, bounds);
    const hasDefault = property.default !== undefined && property.default !== null;
    // Two quotes, a colon and a comma.
    if (schema.required?.includes(name) && !hasDefault) minBytes += Buffer.byteLength(name) + bounds.minBytes + 4;
  }
  return { ...NO_SIZE, minBytes, fields };
}

function mapBounds({ maxProperties }: Schema, element: Bounds | undefined): Bounds | undefined {
  if (element === undefined) return undefined;
  const fitting = Math.floor((MAX_REQUEST_BYTES - 2) / (element.minBytes + 6));
  const maxElements = maxProperties === undefined ? BigInt(fitting) : limitOf(maxProperties);
  return { maxElements, minBytes: 2, key: KEY, element };
}

function textBounds(schema: Schema): Bounds {
  const { format, maxLength, enum: values = [] } = schema;
  switch (format) {
    case "byte":
      return { maxElements: maxLength === undefined ? BigInt(MAX_TEXT) : limitOf(maxLength), minBytes: 2 };
    case "duration":
      return { maxElements: 32n, minBytes: 3 };
    case "date":
      return { maxElements: 12n, minBytes: 12 };
    case "date-time":
      return { maxElements: 32n, minBytes: 21 };
  }
  if (maxLength !== undefined || values.length === 0) return { maxElements: maxText(schema), minBytes: 2 };
  const lengths = values.map((value) => (typeof value === "string" ? Buffer.byteLength(value) : 0));
  return { maxElements: BigInt(Math.max(...lengths)), minBytes: 2 };
}

/** Limits count characters, sizes of texts are bytes. */
function maxText({ maxLength }: Schema): bigint {
  return maxLength === undefined ? BigInt(MAX_TEXT) : limitOf(maxLength) * BYTES_PER_CHARACTER;
}
