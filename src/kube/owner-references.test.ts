// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { configMap } from "./core.ts";
import { controllerOf, ownerReference, removeOwnerReference, setOwnerReference } from "./owner-references.ts";
import type { ObjectMeta } from "./types.ts";

const object = (name: string, uid?: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...(uid === undefined ? {} : { uid }) },
});

test("an owner is set once, and the very same list comes back where it is there", () => {
  const mine = ownerReference(configMap, object("a", "1"));
  const list = setOwnerReference(undefined, mine);
  assert.deepEqual(list, [
    { apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "1", controller: true, blockOwnerDeletion: true },
  ]);
  assert.equal(setOwnerReference(list, mine), list);
  assert.equal(removeOwnerReference(list, "2"), list);
  assert.deepEqual(removeOwnerReference(list, "1"), []);
  const owned = { ...object("b", "2"), metadata: { name: "b", ownerReferences: [...list] } };
  assert.equal(controllerOf(owned)?.uid, "1");
});

test("references go back into an object's metadata without a cast", () => {
  const metadata: ObjectMeta = { name: "b" };
  metadata.ownerReferences = setOwnerReference(metadata.ownerReferences, ownerReference(configMap, object("a", "1")));
  metadata.ownerReferences = removeOwnerReference(metadata.ownerReferences, "1");
  assert.deepEqual(metadata.ownerReferences, []);
});

test("a second controller is refused, a second owner is not", () => {
  const list = setOwnerReference(undefined, ownerReference(configMap, object("a", "1")));
  assert.throws(
    () => setOwnerReference(list, ownerReference(configMap, object("b", "2"))),
    /controlled by ConfigMap "a"/,
  );
  const other = ownerReference(configMap, object("b", "2"), { isController: false, blocksDeletion: false });
  assert.equal(setOwnerReference(list, other).length, 2);
});

test("what the server does not know yet cannot own", () => {
  assert.throws(() => ownerReference(configMap, object("a")), TypeError);
});
