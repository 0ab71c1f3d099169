// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CoreEvent, PersistentVolumeClaim } from "../../kube/index.ts";
import { machineHave } from "./machine-have.ts";
import { MARK, sampleInstance, sampleMachine, sampleWant } from "./testing/samples.ts";

const NOTHING = { claims: [], secrets: [], events: [] };

function haveOf(printableStatus: string | undefined, phase?: string) {
  const vm = sampleMachine(printableStatus === undefined ? {} : { status: { printableStatus } });
  const instance = phase === undefined ? undefined : sampleInstance({ phase });
  return machineHave({ ...NOTHING, vm, instance });
}

for (const [printableStatus, phase, state] of [
  [undefined, undefined, "pending"],
  ["Provisioning", undefined, "pending"],
  ["WaitingForVolumeBinding", undefined, "pending"],
  ["Starting", "Scheduling", "pending"],
  ["Running", "Running", "running"],
  ["Running", undefined, "pending"],
  ["Migrating", "Running", "running"],
  ["Stopping", "Running", "stopped"],
  ["Stopped", undefined, "stopped"],
  ["Stopped", "Succeeded", "stopped"],
  ["SomethingNew", undefined, "pending"],
] as const)
  test(`printable status ${printableStatus} with instance ${phase} means ${state}, without trouble`, () => {
    const have = haveOf(printableStatus, phase);
    assert.equal(have?.state, state);
    assert.equal(have?.trouble, undefined);
    assert.equal(have?.detail?.split(",")[0], printableStatus ?? "Accepted");
  });

for (const [printableStatus, state, kind, reason] of [
  ["ErrorUnschedulable", "pending", "exhausted", "Unschedulable"],
  ["ErrorPvcNotFound", "pending", "unavailable", "DiskNotFound"],
  ["DataVolumeError", "pending", "unavailable", "DiskFailed"],
  ["CrashLoopBackOff", "pending", "unavailable", "CrashLoop"],
  ["ErrImagePull", "pending", "unavailable", "ImagePullFailed"],
  ["ImagePullBackOff", "pending", "unavailable", "ImagePullFailed"],
  ["Paused", "stopped", "unavailable", "Paused"],
  ["Unknown", "pending", "unavailable", "NodeUnreachable"],
] as const)
  test(`W-23: printable status ${printableStatus} is told as trouble of kind ${kind}`, () => {
    const have = haveOf(printableStatus);
    assert.equal(have?.state, state);
    assert.equal(have?.trouble?.kind, kind);
    assert.equal(have?.trouble?.reason, reason);
    assert.match(
      have?.trouble?.message ?? "",
      new RegExp(`^machine "butler-mgmt-cp-0" \\(${printableStatus}\\): .+: .+`),
    );
  });

test("the words of a condition that explains the trouble are told along", () => {
  const vm = sampleMachine({
    status: {
      printableStatus: "ErrorUnschedulable",
      conditions: [
        { type: "Ready", status: "False", message: "Guest VM is not reported as running" },
        { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3 nodes are available" },
      ],
    },
  });
  assert.match(machineHave({ ...NOTHING, vm })?.trouble?.message ?? "", /Harvester says: 0\/3 nodes are available/);
});

test("a machine that Harvester stopped for want of quota waits, with what ran out", () => {
  const vm = sampleMachine({ status: { printableStatus: "Stopped" } });
  const annotations = { ...vm.metadata.annotations, "harvesterhci.io/insufficient-resource-quota": "limits.cpu 4 > 2" };
  const have = machineHave({ ...NOTHING, vm: { ...vm, metadata: { ...vm.metadata, annotations } } });
  assert.equal(have?.state, "pending");
  assert.equal(have?.trouble?.kind, "exhausted");
  assert.match(have?.trouble?.message ?? "", /limits\.cpu 4 > 2/);
});

function warning(message: string, changes: Partial<CoreEvent> = {}): CoreEvent {
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "e" },
    involvedObject: { uid: "vmi-uid" },
    type: "Warning",
    reason: "FailedCreate",
    message,
    lastTimestamp: "2026-01-01T00:00:00Z",
    ...changes,
  };
}

for (const [message, kind, reason] of [
  ["Failed to locate network attachment definition default/nope", "invalid", "NetworkNotFound"],
  ['network-attachment-definitions.k8s.cni.cncf.io "nope" not found', "invalid", "NetworkNotFound"],
  ["pods is forbidden: exceeded quota: default-quota", "exhausted", "QuotaExceeded"],
  ['secret "web-1-cloudinit" not found', "unavailable", "UserDataMissing"],
  ["something else", "unavailable", "FailedCreate"],
] as const)
  test(`an event says why a machine does not start: ${message}`, () => {
    const vm = sampleMachine({ status: { printableStatus: "Starting" } });
    const have = machineHave({ ...NOTHING, vm, events: [warning(message)] });
    assert.equal(have?.trouble?.kind, kind);
    assert.equal(have?.trouble?.reason, reason);
    assert.match(have?.trouble?.message ?? "", /^machine "butler-mgmt-cp-0"/);
  });

test("the newest telling event counts, and none once the machine runs", () => {
  const events = [
    warning("newest", { lastTimestamp: "2026-01-01T00:00:02Z" }),
    warning("older"),
    warning("a probe", { reason: "Unhealthy", lastTimestamp: "2026-01-01T00:00:03Z" }),
  ];
  const starting = machineHave({ ...NOTHING, vm: sampleMachine(), events });
  assert.match(starting?.trouble?.message ?? "", /newest/);
  const running = machineHave({
    ...NOTHING,
    vm: sampleMachine({ status: { printableStatus: "Running" } }),
    instance: sampleInstance({ phase: "Running" }),
    events,
  });
  assert.equal(running?.trouble, undefined);
});

test("a condition of the instance says why it does not start", () => {
  const instance = sampleInstance({
    phase: "Pending",
    conditions: [
      {
        type: "Synchronized",
        status: "False",
        reason: "FailedCreate",
        message: "failed to render launch manifest: Failed to locate network attachment definition default/nope",
      },
    ],
  });
  const have = machineHave({ ...NOTHING, vm: sampleMachine({ status: { printableStatus: "Starting" } }), instance });
  assert.equal(have?.trouble?.reason, "NetworkNotFound");
});

test("a machine without the guest agent says so while it has no address", () => {
  assert.equal(haveOf("Running", "Running")?.detail, "Running, guest agent not connected");
});

test("providerID is the bare uid of the virtual machine", () => {
  assert.equal(haveOf("Running", "Running")?.providerId, "vm-uid");
});

test("a machine on its way out is deleting, whatever it says", () => {
  const vm = sampleMachine({ status: { printableStatus: "ErrorUnschedulable" }, isDeleting: true });
  const have = machineHave({ ...NOTHING, vm });
  assert.equal(have?.state, "deleting");
  assert.equal(have?.trouble, undefined);
});

test("W-18: disks and Secrets without their machine are what remains of it", () => {
  const { metadata } = sampleMachine();
  const claim: PersistentVolumeClaim = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { ...metadata, name: "butler-mgmt-cp-0-rootdisk" },
  };
  const have = machineHave({ ...NOTHING, claims: [claim] });
  assert.deepEqual(have, {
    name: "butler-mgmt-cp-0",
    mark: MARK,
    providerId: undefined,
    state: "remains",
    addresses: [],
    detail: "left: PersistentVolumeClaim butler-mgmt-cp-0-rootdisk",
    labels: {},
  });
  assert.equal(machineHave(NOTHING), undefined);
});

test("only labels that came from the request are told, as they are now", () => {
  const vm = sampleMachine({ want: sampleWant({ labels: { team: "a", tier: "b" } }) });
  const labels = { ...vm.metadata.labels, team: "changed", "harvesterhci.io/os": "linux" };
  delete (labels as Record<string, string>).tier;
  const have = machineHave({ ...NOTHING, vm: { ...vm, metadata: { ...vm.metadata, labels } } });
  assert.deepEqual(have?.labels, { team: "changed" });
});

test("the failure domain is told once the machine has a node", () => {
  const vm = sampleMachine({ want: sampleWant({ failureDomain: "rack-1" }) });
  assert.equal(machineHave({ ...NOTHING, vm })?.failureDomain, undefined);
  const instance = sampleInstance({ phase: "Running", nodeName: "node-1" });
  assert.equal(machineHave({ ...NOTHING, vm, instance })?.failureDomain, "rack-1");
});
