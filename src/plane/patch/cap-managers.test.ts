// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { capManagers } from "./cap-managers.ts";
import { type FieldNode, type FieldSet, LEAF } from "./fields/field-set.ts";
import { type Manager, managerId } from "./managers.ts";

/** A set that counts how often it is asked. */
function countingSet(element: string, count: () => void): FieldSet {
  const set = new Map<string, FieldNode>([[element, LEAF]]);
  const get = set.get.bind(set);
  set.get = (key) => {
    count();
    return get(key);
  };
  return set;
}

test("the oldest of very many updaters become one, with all their fields, and are looked at a few times each", () => {
  let looks = 0;
  const managers = new Map<string, Manager>();
  for (let at = 0; at < 2000; at++) {
    const fields = countingSet(`f:k${at}`, () => {
      looks += 1;
    });
    const identity = { manager: `m${at}`, operation: "Update", apiVersion: "v1", subresource: "" } as const;
    managers.set(managerId(identity), { ...identity, time: "2026-01-01T00:00:00Z", fields });
  }
  const capped = [...capManagers(managers).values()];
  assert.equal(capped.length, 10);
  const ancient = capped.find(({ manager }) => manager === "ancient-changes");
  assert.equal(ancient?.fields.size, 1991);
  assert.ok(looks < 20 * 2000, `${looks}`);
});
