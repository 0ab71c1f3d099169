// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { dedupeOwners } from "./metadata.ts";

test("owner references that are given twice are found with a few looks at each, however many there are", () => {
  let looks = 0;
  const owner = (at: number) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    name: "a",
    get uid() {
      looks += 1;
      return `uid-${at}`;
    },
  });
  const ownerReferences = [...Array.from({ length: 2000 }, (_, at) => owner(at)), owner(7)];
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", ownerReferences } };
  const { object: deduped, warnings } = dedupeOwners(object, false);
  assert.equal(deduped.metadata.ownerReferences?.length, 2000);
  assert.match(warnings[0] ?? "", /duplicate UID\(s\) observed: uid-7$/);
  assert.ok(looks < 10 * ownerReferences.length, `${looks}`);
});
