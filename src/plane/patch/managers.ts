// SPDX-License-Identifier: Apache-2.0
import { compareText, isList, isObject } from "../../schema/go-text.ts";
import type { Json } from "../../schema/index.ts";
import { type FieldSet, isSame } from "./fields/field-set.ts";
import { decodeFields, encodeFields } from "./fields/fields-v1.ts";
import type { JsonObject } from "./json-object.ts";

/** Who wrote: a name, and whether by apply or otherwise, in which version, through which subresource. */
export interface ManagerIdentity {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
}

/** One entry of managedFields. */
export interface Manager extends ManagerIdentity {
  readonly time: string | undefined;
  readonly fields: FieldSet;
  /** The entry as it was read, while it still says the same. */
  readonly entry?: JsonObject | undefined;
  /** The fields as they were read, while they are still the same. */
  readonly encoded?: JsonObject | undefined;
}

/** All managers of an object by their ids. */
export type Managers = ReadonlyMap<string, Manager>;

export const NO_MANAGERS: Managers = new Map();

/** What tells managers apart. An applier stays the same in whatever version it applies. */
export function managerId({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  return JSON.stringify({
    ...(manager === "" ? {} : { manager }),
    operation,
    ...(operation === "Apply" ? {} : { apiVersion }),
    ...(subresource === "" ? {} : { subresource }),
  });
}

/** Reads managedFields. Undefined where any entry is malformed: the server then takes none of them. */
export function readManagers(entries: Json | undefined): Managers | undefined {
  if (!isList(entries)) return NO_MANAGERS;
  const managers = new Map<string, Manager>();
  for (const entry of entries) {
    const manager = isObject(entry) ? readManager(entry) : undefined;
    if (manager === undefined) return undefined;
    managers.set(managerId(manager), manager);
  }
  return managers;
}

function readManager(entry: JsonObject): Manager | undefined {
  const { manager = "", operation, apiVersion, time, fieldsType, fieldsV1, subresource = "" } = entry;
  if (operation !== "Apply" && operation !== "Update") return undefined;
  if (typeof apiVersion !== "string" || apiVersion === "" || fieldsType !== "FieldsV1") return undefined;
  if (typeof manager !== "string" || typeof subresource !== "string") return undefined;
  const fields = decodeFields(fieldsV1 ?? {});
  if (fields === undefined) return undefined;
  const encoded = isObject(fieldsV1) ? fieldsV1 : undefined;
  return {
    manager,
    operation,
    apiVersion,
    subresource,
    fields,
    entry,
    encoded,
    time: typeof time === "string" ? time : undefined,
  };
}

/** Whether a client asks to forget all managers: an empty list, or a list of one empty entry. */
export function isReset(entries: Json | undefined): boolean {
  if (!isList(entries)) return false;
  const [first, second] = entries;
  if (first === undefined) return true;
  if (second !== undefined || !isObject(first)) return false;
  return Object.values(first).every((value) => value === "" || value === null || value === undefined);
}

/** Writes managedFields: appliers first, then by time, to the second, and by name. */
export function writeManagers(managers: Managers): JsonObject[] {
  return [...managers.values()].sort(compareManagers).map((manager) => manager.entry ?? entryOf(manager));
}

function entryOf({ manager, operation, apiVersion, time, fields, encoded, subresource }: Manager): JsonObject {
  return {
    ...(manager === "" ? {} : { manager }),
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: "FieldsV1",
    fieldsV1: encoded ?? encodeFields(fields),
    ...(subresource === "" ? {} : { subresource }),
  };
}

function compareManagers(left: Manager, right: Manager): number {
  return (
    compareText(left.operation, right.operation) ||
    secondsOf(left) - secondsOf(right) ||
    compareText(left.manager, right.manager) ||
    compareText(left.apiVersion, right.apiVersion) ||
    compareText(left.subresource, right.subresource)
  );
}

/** When a manager wrote last, in whole seconds; 0 where that is not known. */
export function secondsOf({ time }: Pick<Manager, "time">): number {
  const milliseconds = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(milliseconds) ? 0 : Math.floor(milliseconds / 1000);
}

/** The manager with other fields; its old entry no longer holds. */
export function withFields(manager: Manager, fields: FieldSet): Manager {
  return fields === manager.fields ? manager : { ...manager, fields, entry: undefined, encoded: undefined };
}

/** A manager that wrote just now. Where it has the same fields as before they need not be written anew. */
export function rewritten(manager: Manager, known: Manager | undefined): Manager {
  const isKnown = known !== undefined && isSame(known.fields, manager.fields);
  return { ...manager, entry: undefined, encoded: isKnown ? known.encoded : undefined };
}
