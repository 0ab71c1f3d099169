// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MachineRequest } from "../api/index.ts";
import { ANNOTATIONS, holderOf, identityOf, launchText, tokenOf } from "./identity.ts";
import { launchHashOf, wantOf } from "./machine-want.ts";

const ID = "9f8a864b-34c0-442a-8429-ddd8431404b7";

const request = (
  more: Partial<MachineRequest["spec"]> = {},
  annotations: Record<string, string> = {},
): MachineRequest => ({
  apiVersion: "butler.butlerlabs.dev/v1alpha1",
  kind: "MachineRequest",
  metadata: { name: "web", namespace: "ns", annotations, creationTimestamp: "2026-01-01T00:00:00Z" },
  spec: {
    providerRef: { name: "prod" },
    machineName: "web-1",
    role: "worker",
    cpu: 2,
    memoryMB: 2048,
    diskGB: 20,
    deletionPolicy: "Delete",
    ...more,
  },
});

const launch = {
  time: "2026-01-01T00:00:00.000Z",
  hash: "h",
  providerConfig: "ns/prod",
  place: "here",
  owner: "ns/web",
  name: "web-1",
  tries: 1,
};

test("the launch hash never changes for the same parameters, in whatever version", () => {
  assert.equal(launchHashOf(request()), "39c302c06d735223");
  assert.equal(
    launchHashOf(request({ extraDisks: [{ sizeGB: 5 }], userData: "x", network: { address: "10.0.0.1" } })),
    "fc798afdac136fef",
  );
});

test("the launch hash changes with what the machine is made from, and with nothing else", () => {
  const hash = launchHashOf(request());
  for (const same of [{ labels: { a: "b" } }, { deletionPolicy: "Retain" }, { providerRef: { name: "x" } }] as const)
    assert.equal(launchHashOf(request(same)), hash);
  const others = [
    { cpu: 3 },
    { memoryMB: 4096 },
    { diskGB: 21 },
    { machineName: "web-2" },
    { role: "control-plane" },
    { image: "i" },
  ] as const;
  const more = [
    { userData: "u" },
    { networkData: "n" },
    { extraDisks: [{ sizeGB: 1 }] },
    { failureDomain: "z" },
    { spreadGroup: "g" },
  ];
  const hashes = [...others, ...more, { network: { poolRef: { name: "p" } } }].map((each) =>
    launchHashOf(request(each)),
  );
  assert.equal(new Set([hash, ...hashes]).size, hashes.length + 1);
  assert.notEqual(launchHashOf(request({}, { [ANNOTATIONS.instanceType]: "m5.large" })), hash);
});

test("what is wanted is frozen, marked, and the same for every try of an attempt", () => {
  const mark = { machineId: ID, installation: "i", attempt: 1, launch: "h" };
  const want = wantOf(request({ labels: { a: "b" }, extraDisks: [{ sizeGB: 5, storageClass: "fast" }] }), mark);
  assert.deepEqual(want.mark, { ...mark, owner: "ns/web" });
  assert.deepEqual(want.extraDisks, [{ sizeGb: 5, storageClass: "fast" }]);
  assert.throws(() => Object.assign(want.labels, { c: "d" }), TypeError);
  assert.equal(want.token, wantOf(request(), mark).token);
});

test("tokens are UUIDs, and others for another attempt or owner", () => {
  const token = tokenOf({ machineId: ID, attempt: 1, owner: "ns/web" });
  assert.match(token, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.notEqual(tokenOf({ machineId: ID, attempt: 2, owner: "ns/web" }), token);
  assert.notEqual(tokenOf({ machineId: ID, attempt: 1, owner: "ns/copy" }), token);
});

test("an identity is read back as it was written", () => {
  const annotations = {
    [ANNOTATIONS.machineId]: ID,
    [ANNOTATIONS.attempt]: "3",
    [ANNOTATIONS.launch]: launchText(launch),
  };
  assert.deepEqual(identityOf(request({}, annotations)), { machineId: ID, attempt: 3, launch });
  assert.equal(identityOf(request()), undefined);
  assert.equal(identityOf(request({}, { ...annotations, [ANNOTATIONS.machineId]: "mine" })), undefined);
});

test("a launch that cannot be read is not forgotten", () => {
  for (const text of ["", "{", "[]", '{"time":"now"}', "null"]) {
    const annotations = { [ANNOTATIONS.machineId]: ID, [ANNOTATIONS.attempt]: "x", [ANNOTATIONS.launch]: text };
    const { attempt, launch: read } = identityOf(request({}, annotations)) ?? {};
    assert.equal(attempt, 1);
    assert.equal(read?.time, "2026-01-01T00:00:00Z");
    assert.ok((read?.tries ?? 0) > 1, "nobody knows how many calls there were");
  }
});

test("annotations of another request are no identity of this one", () => {
  const copied = launchText({ ...launch, owner: "ns/original" });
  const annotations = { [ANNOTATIONS.machineId]: ID, [ANNOTATIONS.attempt]: "2", [ANNOTATIONS.launch]: copied };
  assert.deepEqual(identityOf(request({}, annotations)), {
    machineId: ID,
    attempt: 2,
    launch: undefined,
    copiedFrom: "ns/original",
  });
});

test("the finalizer says which provider holds a request", () => {
  const held = {
    ...request(),
    metadata: { name: "web", finalizers: ["x/y", "machinerequest.butler.butlerlabs.dev/aws-finalizer"] },
  };
  assert.equal(holderOf(held), "aws");
  assert.equal(holderOf(request()), undefined);
});
