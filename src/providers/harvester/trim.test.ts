// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { machineHave } from "./machine-have.ts";
import { ANNOTATIONS } from "./names.ts";
import { sampleInstance, sampleMachine, sampleWant } from "./testing/samples.ts";
import { trimInstance, trimMachine, trimPart } from "./trim.ts";

const INTERFACES = [
  { name: "default", ipAddress: "10.40.0.10", ipAddresses: ["10.40.0.10"], mac: "52:54:00:00:00:01" },
];
const READY = [{ type: "Ready", status: "True" as const }];

test("nothing that is told of a machine gets lost with what is not kept of it", () => {
  const want = sampleWant({ labels: { team: "a" }, failureDomain: "zone-a" });
  const instances = [
    undefined,
    sampleInstance(undefined),
    sampleInstance({
      phase: "Scheduling",
      conditions: [{ type: "Synchronized", status: "False", message: "no room" }],
    }),
    sampleInstance({ phase: "Running", nodeName: "node-0", interfaces: INTERFACES, conditions: READY }),
  ];
  for (const printableStatus of [undefined, "Provisioning", "Running", "ErrorUnschedulable", "Terminating"])
    for (const isDeleting of [false, true])
      for (const instance of instances) {
        const status =
          printableStatus === undefined ? undefined : { printableStatus, conditions: READY, created: true };
        const vm = sampleMachine({ want, isDeleting, status });
        const parts = { claims: [], secrets: [], events: [] };
        assert.deepEqual(
          machineHave({ ...parts, vm: trimMachine(vm), instance: instance && trimInstance(instance) }),
          machineHave({ ...parts, vm, instance }),
        );
      }
});

test("a quota that is used up is told all the same, and managed fields, templates and user data are not kept", () => {
  const vm = sampleMachine();
  const annotations = { ...vm.metadata.annotations, [ANNOTATIONS.quota]: "cpu" };
  const managedFields = [{ manager: "kubectl", operation: "Update" as const }];
  const inline = { name: "cloudinit", cloudInitNoCloud: { userDataBase64: "c2VjcmV0" } };
  const { volumes } = vm.spec.template.spec;
  const template = { ...vm.spec.template, spec: { ...vm.spec.template.spec, volumes: [...volumes, inline] } };
  const whole = { ...vm, metadata: { ...vm.metadata, annotations, managedFields }, spec: { ...vm.spec, template } };
  const parts = { claims: [], secrets: [], events: [] };
  assert.equal(machineHave({ ...parts, vm: trimMachine(whole) })?.trouble?.reason, "QuotaExceeded");
  assert.doesNotMatch(JSON.stringify(trimMachine(whole)), /c2VjcmV0|kubectl|volumeClaimTemplates|"domain"/);
  assert.deepEqual(Object.keys(trimPart(whole)), ["apiVersion", "kind", "metadata"]);
});
