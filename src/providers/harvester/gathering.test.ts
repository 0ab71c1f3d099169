// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { createGathering } from "./gathering.ts";
import { ANNOTATIONS, LABELS } from "./names.ts";
import { MARK, sampleInstance, sampleMachine } from "./testing/samples.ts";

test("a machine is put together from its parts, in whatever order they come", () => {
  const vm = sampleMachine({ status: { printableStatus: "Running" } });
  const instance = sampleInstance({ phase: "Running" });
  for (const isReverse of [false, true]) {
    const gathering = createGathering(MARK.installation);
    const steps = [() => gathering.put("vms", vm), () => gathering.put("instances", instance)];
    for (const step of isReverse ? steps.reverse() : steps) step();
    const [key = "", ...others] = gathering.keys();
    assert.deepEqual(others, []);
    assert.equal(gathering.machine(key)?.state, "running");
    gathering.remove("vms", vm);
    assert.equal(gathering.machine(key)?.state, "remains");
    gathering.remove("instances", instance);
    assert.equal(gathering.machine(key), undefined);
    assert.deepEqual(gathering.keys(), []);
  }
});

test("an object whose mark somebody changed or removed does not stay where it was", () => {
  const gathering = createGathering(MARK.installation);
  const vm = sampleMachine();
  const [before = ""] = gathering.put("vms", vm);
  const annotations = { ...vm.metadata.annotations, [ANNOTATIONS.owner]: "default/other" };
  const moved = { ...vm, metadata: { ...vm.metadata, annotations } };
  assert.equal(gathering.put("vms", moved).length, 2);
  assert.equal(gathering.machine(before), undefined);
  const { [LABELS.machineId]: _, ...labels } = vm.metadata.labels ?? {};
  gathering.put("vms", { ...vm, metadata: { ...vm.metadata, labels } });
  assert.deepEqual(gathering.keys(), []);
});

test("objects of another installation are passed over", () => {
  const gathering = createGathering("another");
  assert.deepEqual(gathering.put("vms", sampleMachine()), []);
  assert.deepEqual(gathering.keys(), []);
});

test("an object that was made anew under the same name is not taken out by the end of the old one", () => {
  const gathering = createGathering(MARK.installation);
  const old = sampleMachine();
  const anew = { ...old, metadata: { ...old.metadata, uid: "another" } };
  const [key = ""] = gathering.put("vms", old);
  gathering.put("vms", anew);
  gathering.remove("vms", old);
  assert.equal(gathering.machine(key)?.providerId, "another");
});

test("a clone is no machine of ours, and its instance, which has our whole mark, is no part of one", () => {
  const gathering = createGathering(MARK.installation);
  const vm = sampleMachine();
  const { [ANNOTATIONS.owner]: _, ...annotations } = vm.metadata.annotations ?? {};
  const clone = { ...vm, metadata: { ...vm.metadata, name: "clone", uid: "clone-uid", annotations } };
  const instance = sampleInstance({ phase: "Running" });
  const cloned = { ...instance, metadata: { ...instance.metadata, name: "clone", uid: "clone-instance" } };
  const [key = ""] = gathering.put("vms", vm);
  gathering.put("instances", instance);
  assert.deepEqual(gathering.put("vms", clone), []);
  gathering.put("instances", cloned);
  assert.equal(gathering.machine(key)?.providerId, vm.metadata.uid);
  assert.deepEqual(gathering.keys(), [key]);
  gathering.remove("vms", vm);
  gathering.remove("instances", instance);
  assert.equal(gathering.machine(key), undefined);
  gathering.remove("vms", clone);
  assert.equal(gathering.machine(key)?.state, "remains", "an instance that nobody's machine stands behind");
});
