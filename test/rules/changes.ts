// SPDX-License-Identifier: Apache-2.0
import type { Json } from "../../src/schema/types.ts";
import type { Changes } from "./rule-case.ts";

export type JsonObject = { [key: string]: Json };

/** A deep copy of the object with the changes made. Throws where a path leads nowhere, since the case would then test nothing. */
export function applyChanges(object: JsonObject, changes: Changes): JsonObject {
  const copy = structuredClone(object);
  for (const [path, value] of Object.entries(changes)) {
    const names = path.split(".");
    const last = names.pop() ?? "";
    const parent = names.reduce<Json>((at, name) => childOf(at, name, path), copy);
    if (typeof parent !== "object" || parent === null) throw new Error(`${path} leads nowhere`);
    setField(parent, last, value);
  }
  return copy;
}

function childOf(value: Json, name: string, path: string): Json {
  const child = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
  if (child === undefined) throw new Error(`${path} leads nowhere at ${name}`);
  return child;
}

function setField(parent: object, name: string, value: Json | undefined): void {
  if (value === undefined) Reflect.deleteProperty(parent, name);
  else Reflect.set(parent, name, structuredClone(value));
}
