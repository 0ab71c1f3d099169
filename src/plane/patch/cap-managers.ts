// SPDX-License-Identifier: Apache-2.0
import { compareText } from "../../schema/go-text.ts";
import { type FieldSet, unionOfAll } from "./fields/field-set.ts";
import { type Manager, type Managers, managerId, secondsOf } from "./managers.ts";

const MAX_UPDATERS = 10;

/**
 * Bounds how many managers an object can have by updates: the oldest of a version are made one, `ancient-changes`. Appliers
 * are never merged, since what they no longer apply must still be found.
 */
export function capManagers(managers: Managers): Managers {
  const updaters = [...managers].filter(([, { operation }]) => operation === "Update");
  if (updaters.length <= MAX_UPDATERS) return managers;
  updaters.sort(
    ([leftId, left], [rightId, right]) => secondsOf(left) - secondsOf(right) || compareText(leftId, rightId),
  );

  const capped = new Map(managers);
  const firstOfVersion = new Map<string, [string, Manager]>();
  // Joined at the end, all at once: one after the other would go through what is there already again and again.
  const joined = new Map<string, FieldSet[]>();
  let count = updaters.length;
  for (const [id, manager] of updaters) {
    if (count <= MAX_UPDATERS) break;
    const { apiVersion, fields, time } = manager;
    const first = firstOfVersion.get(apiVersion);
    if (first === undefined) {
      firstOfVersion.set(apiVersion, [id, manager]);
      continue;
    }
    const identity = { manager: "ancient-changes", operation: "Update", apiVersion, subresource: "" } as const;
    const bucketId = managerId(identity);
    const [firstId, { fields: firstFields }] = first;
    const bucket = capped.get(bucketId);
    if (bucket === undefined) capped.delete(firstId);
    const parts = joined.get(bucketId) ?? [bucket?.fields ?? firstFields];
    parts.push(fields);
    joined.set(bucketId, parts);
    capped.set(bucketId, { ...identity, time, fields });
    capped.delete(id);
    if (id === bucketId) joined.delete(id);
    count -= 1;
  }
  for (const [id, parts] of joined) {
    const bucket = capped.get(id);
    if (bucket !== undefined) capped.set(id, { ...bucket, fields: unionOfAll(parts) });
  }
  return capped;
}
