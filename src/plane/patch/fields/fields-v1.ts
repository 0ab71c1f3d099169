// SPDX-License-Identifier: Apache-2.0
import { isObject } from "../../../schema/go-text.ts";
import type { Json } from "../../../schema/index.ts";
import { MAX_DEPTH } from "../../../schema/json.ts";
import type { JsonObject } from "../json-object.ts";
import {
  addNode,
  type FieldNode,
  type FieldSet,
  LEAF,
  type MutableFieldSet,
  NO_FIELDS,
  sortedEntries,
} from "./field-set.ts";
import { readElement } from "./path-element.ts";

/** Reads `fieldsV1`. Undefined where it is malformed; steps of a kind we do not know are dropped. */
export function decodeFields(fields: Json | undefined): FieldSet | undefined {
  const node = decodeNode(fields, 0);
  return node === undefined ? undefined : node.below;
}

function decodeNode(fields: Json | undefined, depth: number): FieldNode | undefined {
  if (fields === null || fields === undefined) return LEAF;
  if (!isObject(fields) || depth > MAX_DEPTH) return undefined;
  let set: MutableFieldSet | undefined;
  let owned = false;
  for (const key of Object.keys(fields)) {
    if (key === ".") {
      owned = true;
      continue;
    }
    const element = readElement(key);
    if (element === "unknown") continue;
    const node = decodeNode(fields[key], depth + 1);
    if (element === undefined || node === undefined) return undefined;
    set ??= new Map();
    addNode(set, element, node);
  }
  if (set === undefined) return LEAF;
  return { owned, below: set };
}

const OWNED: JsonObject = Object.freeze({});

/** Writes a set as `fieldsV1`, its steps in the server's order. */
export function encodeFields(set: FieldSet): JsonObject {
  const fields: { [key: string]: JsonObject } = {};
  for (const [element, { owned, below }] of sortedEntries(set)) {
    if (below === NO_FIELDS || below.size === 0) fields[element] = OWNED;
    else fields[element] = owned ? { ".": OWNED, ...encodeFields(below) } : encodeFields(below);
  }
  return fields;
}
