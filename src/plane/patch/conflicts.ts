// SPDX-License-Identifier: Apache-2.0
import { compareText, floatText, quote } from "../../schema/go-text.ts";
import { type FieldSet, pathsOf } from "./fields/field-set.ts";
import { type PathElement, printElement } from "./fields/path-element.ts";
import type { Manager, Managers } from "./managers.ts";
import { PatchError } from "./patch-error.ts";

/** A field that somebody else owns and that an apply sets to another value. */
export interface Conflict {
  readonly manager: Manager;
  readonly path: readonly PathElement[];
}

/** The conflicts behind fields taken from managers, in the order they are reported. */
export function conflictsOf(taken: ReadonlyMap<string, FieldSet>, managers: Managers): Conflict[] {
  const ids = [...taken.keys()].sort(compareText);
  return ids.flatMap((id) => {
    const [manager, fields] = [managers.get(id), taken.get(id)];
    if (manager === undefined || fields === undefined) return [];
    return [...pathsOf(fields)].map((path) => ({ manager, path }));
  });
}

/** The refusal of an apply: the message groups by manager, the causes name field by field. */
export function conflictError(conflicts: readonly Conflict[]): PatchError {
  const causes = conflicts.map(({ manager, path }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${printManager(manager)}`,
    field: printPath(path),
  }));
  return new PatchError("conflict", conflictMessage(conflicts), causes);
}

function conflictMessage(conflicts: readonly Conflict[]): string {
  const [only, second] = conflicts;
  if (only !== undefined && second === undefined)
    return `Apply failed with 1 conflict: conflict with ${printManager(only.manager)}: ${printPath(only.path)}`;
  const lines = Map.groupBy(conflicts, ({ manager }) => manager)
    .entries()
    .flatMap(([manager, own]) => [
      `conflicts with ${printManager(manager)}:`,
      ...own.map(({ path }) => `- ${printPath(path)}`),
    ]);
  return `Apply failed with ${conflicts.length} conflicts: ${[...lines].join("\n")}`;
}

/** A path as it is printed: `.spec.ports[port=80].name`. */
function printPath(path: readonly PathElement[]): string {
  return path.map((element) => printElement(element, floatText)).join("");
}

function printManager({ manager, operation, apiVersion, subresource }: Manager): string {
  const name = quote(manager) + (subresource === "" ? "" : ` with subresource ${quote(subresource)}`);
  return operation === "Update" ? `${name} using ${apiVersion}` : name;
}
