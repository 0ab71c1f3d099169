// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseYaml } from "../lib/yaml.ts";
import { run } from "./run.ts";
import { fakeIo } from "./testing/fake-io.ts";

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string };
}

function objects(stream: string): readonly Manifest[] {
  const values = parseYaml(stream).flatMap(({ isEmpty, value }) => (isEmpty ? [] : [value]));
  return JSON.parse(JSON.stringify(values));
}

async function printed(...words: string[]) {
  const io = fakeIo();
  const code = await run("butleradm", ["manifests", ...words], io);
  return { code, text: io.output, complaints: io.complaints };
}

test("prints everything in an order that can be applied, and the same bytes at every call", async () => {
  const { code, text } = await printed();
  assert.equal(code, 0);
  assert.equal((await printed()).text, text);
  const kinds = objects(text).map(({ kind }) => kind);
  assert.equal(kinds[0], "Namespace");
  assert.equal(kinds.at(-1), "Deployment");
  assert.deepEqual(
    kinds.filter((kind) => kind !== "CustomResourceDefinition"),
    [
      "Namespace",
      "ServiceAccount",
      "ClusterRole",
      "ClusterRoleBinding",
      "Role",
      "RoleBinding",
      "Role",
      "RoleBinding",
      "Deployment",
    ],
  );
});

test("the Deployment has probes and limits, runs as nobody and writes nowhere, with the image and flags asked for", async () => {
  const { text } = await printed("--image", "registry.example/butler:v9", "--namespaces", "team-a,team-b");
  const deployment = objects(text).at(-1);
  const shown = JSON.stringify(deployment);
  for (const part of [
    '"image":"registry.example/butler:v9"',
    '"args":["manager","--providers=harvester","--namespaces=team-a,team-b","--health-host=$(POD_IP)","--health-port=8081"]',
    '"readOnlyRootFilesystem":true',
    '"runAsNonRoot":true',
    '"allowPrivilegeEscalation":false',
    '"drop":["ALL"]',
    '"path":"/healthz"',
    '"path":"/readyz"',
    '"memory":"512Mi"',
  ])
    assert.ok(shown.includes(part), part);
  const roles = objects(text).filter(({ kind }) => kind === "Role");
  assert.deepEqual(
    roles.map(({ metadata }) => metadata.namespace),
    ["butler-system", "butler-system", "team-a", "team-b"],
  );
});

test("the image is this version's unless told otherwise", async () => {
  assert.match((await printed()).text, /image: ghcr\.io\/butlerdotdev\/butler:v1\.2\.3/);
});

test("an image that is none is refused", async () => {
  const { code, complaints } = await printed("--image", "a b");
  assert.deepEqual([code, complaints], [2, 'butleradm: --image: "a b" is no image; write it as registry/name:tag\n']);
});
