// SPDX-License-Identifier: Apache-2.0
import { isList, isObject } from "../../schema/go-text.ts";
import type { Json } from "../../schema/index.ts";
import { deepEqual, getOwn, setOwn } from "../../schema/json.ts";
import type { KubeObject } from "../types.ts";
import { expectShallow, type JsonObject, jsonKind, jsonOf, outcomeOf } from "./json-object.ts";
import { PatchError, unprocessable } from "./patch-error.ts";

const MAX_OPERATIONS = 10_000;
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

/**
 * Applies a JSON Patch (RFC 6902) with the server's liberties: `replace` also adds, negative indexes count from the end,
 * a path's first segment is taken for the empty one before the slash. The object stays as it is.
 */
export function jsonPatch(object: KubeObject, operations: unknown): KubeObject {
  const list = readOperations(operations);
  const document = openDocument(jsonOf(object));
  for (const operation of list) apply(document, operation);
  const outcome = document.read();
  expectShallow(outcome);
  return outcomeOf(outcome);
}

/** The fields of operations that no operation has, as the server's warnings word them; with strict validation they refuse. */
export function jsonPatchUnknownFields(operations: unknown): string[] {
  if (!isList(operations)) return [];
  return operations.flatMap((operation, index) =>
    isObject(operation)
      ? Object.keys(operation)
          .filter((name) => !["op", "path", "from", "value"].includes(name))
          .map((name) => `json patch unknown field "[${index}].${name}"`)
      : [],
  );
}

function readOperations(operations: unknown): JsonObject[] {
  if (operations === null) return [];
  const go = "error decoding patch: json: cannot unmarshal";
  if (!isList(operations))
    throw new PatchError("badRequest", `${go} ${jsonKind(operations)} into Go value of type []handlers.jsonPatchOp`);
  const read = operations.map((operation): JsonObject => {
    if (operation === null) return {};
    if (!isObject(operation))
      throw new PatchError("badRequest", `${go} ${jsonKind(operation)} into Go value of type handlers.jsonPatchOp`);
    for (const name of ["op", "path", "from"]) {
      const kind = jsonKind(getOwn(operation, name) ?? null);
      if (kind === "string" || kind === "null") continue;
      const words = `${go} ${kind} into Go struct field jsonPatchOp.${name} of type string`;
      throw new PatchError("badRequest", words);
    }
    return operation;
  });
  if (read.length > MAX_OPERATIONS)
    throw new PatchError(
      "tooLarge",
      `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${read.length}`,
    );
  expectShallow(read);
  return read;
}

type Container = Json[] | { [key: string]: Json | undefined };

/** A value that is changed in place, containers being copied the first time something below them changes. */
interface Document {
  read(): Json;
  replace(value: Json): void;
  /** The container a path's last segment stands in, and that segment; refuses paths that lead nowhere. */
  find(path: string): { container: Container; key: string };
  /** Counts what `copy` adds: doubling a value again and again would outgrow any memory. */
  countCopy(value: Json): void;
}

function openDocument(start: JsonObject): Document {
  const own = new Map<object, Container>();
  let copiedBytes = 0;
  let root = takeOver(start);

  function takeOver(value: readonly Json[] | JsonObject): Container {
    const known = own.get(value);
    if (known !== undefined) return known;
    const copy = isList(value) ? [...value] : { ...value };
    own.set(copy, copy);
    return copy;
  }

  return {
    read: () => root,
    replace(value) {
      if (!isList(value) && !isObject(value)) throw unprocessable();
      root = takeOver(value);
    },
    find(path) {
      const segments = path.split("/").slice(1).map(unescaped);
      const key = segments.pop();
      if (key === undefined) throw unprocessable();
      let container = root;
      for (const segment of segments) {
        const next = get(container, segment);
        if (!isList(next) && !isObject(next)) throw unprocessable();
        const mine = takeOver(next);
        put(container, segment, mine);
        container = mine;
      }
      return { container, key };
    },
    countCopy(value) {
      copiedBytes += Buffer.byteLength(JSON.stringify(value));
      if (copiedBytes > MAX_COPIED_BYTES) throw unprocessable();
    },
  };
}

function apply(document: Document, operation: JsonObject): void {
  const path = textOf(operation, "path");
  const value = operation.value ?? null;
  const from = () => textOf(operation, "from");
  switch (operation.op) {
    case "add":
      add(document, path, value);
      break;
    case "remove":
      remove(document, path);
      break;
    case "replace":
      replace(document, path, value);
      break;
    case "move": {
      const moved = at(document, from());
      remove(document, from());
      add(document, path, moved);
      break;
    }
    case "copy": {
      const copied = at(document, from());
      document.countCopy(copied);
      add(document, path, structuredClone(copied));
      break;
    }
    case "test":
      if (!deepEqual(path === "" ? document.read() : at(document, path), value)) throw unprocessable();
      break;
    default:
      throw unprocessable();
  }
}

function textOf(operation: JsonObject, name: string): string {
  const text = operation[name];
  if (typeof text !== "string") throw unprocessable();
  return text;
}

/** What stands at a path; a key that is not there counts as null. */
function at(document: Document, path: string): Json {
  const { container, key } = document.find(path);
  return get(container, key) ?? null;
}

function add(document: Document, path: string, value: Json): void {
  const { container, key } = document.find(path);
  if (isList(container))
    container.splice(key === "-" ? container.length : indexOf(key, container.length + 1), 0, value);
  else setOwn(container, key, value);
}

function remove(document: Document, path: string): void {
  const { container, key } = document.find(path);
  if (isList(container)) container.splice(indexOf(key, container.length), 1);
  else if (Object.hasOwn(container, key)) delete container[key];
  else throw unprocessable();
}

function replace(document: Document, path: string, value: Json): void {
  if (path === "") {
    document.replace(value);
    return;
  }
  const { container, key } = document.find(path);
  put(container, key, value);
}

function get(container: Container, key: string): Json | undefined {
  return isList(container) ? container[indexOf(key, container.length)] : getOwn(container, key);
}

function put(container: Container, key: string, value: Json): void {
  if (isList(container)) container[indexOf(key, container.length)] = value;
  else setOwn(container, key, value);
}

/** A list's index below `length`, counted from the end when negative; refuses any other. */
function indexOf(key: string, length: number): number {
  const index = /^[-+]?[0-9]+$/.test(key) ? Number(key) : Number.NaN;
  const counted = index < 0 ? index + length : index;
  if (!(counted >= 0 && counted < length)) throw unprocessable();
  return counted;
}

function unescaped(segment: string): string {
  return segment.replaceAll(/~[01]/g, (escaped) => (escaped === "~1" ? "/" : "~"));
}
