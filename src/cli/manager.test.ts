// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { kinds } from "../kinds.ts";
import {
  createClient,
  customResourceDefinition,
  lease,
  loadKubeconfig,
  namespace as namespaceKind,
} from "../kube/index.ts";
import { startPlane } from "../plane/plane.ts";
import { run } from "./run.ts";
import { type FakeIo, fakeIo } from "./testing/fake-io.ts";

const folder = mkdtempSync(join(tmpdir(), "butler-cli-manager-"));
const plane = await startPlane({ memory: true });
const client = createClient(loadKubeconfig({ text: plane.kubeconfig }));
after(async () => {
  await client.close();
  await plane.stop();
  rmSync(folder, { recursive: true, force: true });
});
writeFileSync(join(folder, "config.yaml"), plane.kubeconfig);
await client.create(namespaceKind, { metadata: { name: "butler-system" } });
for (const kind of kinds) await client.create(customResourceDefinition, kind.crd());
const leaseKey = { namespace: "butler-system", name: "butler-provider-harvester" };

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Goes on when this holds; what is waited for happens on a real network. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail("it never happened");
}

/** A manager under way, to be told to end. */
async function started(...words: string[]) {
  const port = await freePort();
  const told = Promise.withResolvers<void>();
  const io: FakeIo = fakeIo({ directory: folder, home: folder });
  io.untilTold = () => told.promise;
  const code = run("butleradm", ["manager", "--health-port", String(port), ...words], io);
  const url = `http://127.0.0.1:${port}`;
  const isReady = async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.status === 200;
  return { io, code, url, isReady, tell: () => told.resolve() };
}

const holder = async () => (await client.get(lease, leaseKey)).spec?.holderIdentity ?? "";

test("runs until it is told to end: ready, with metrics and JSON logs, and gives its lease back", async () => {
  const { io, code, url, isReady, tell } = await started(
    ...["--kubeconfig", "config.yaml", "--leader-elect-lease-duration", "1m", "--leader-elect-renew-deadline", "40s"],
  );
  await until(isReady);
  await until(async () => (await holder().catch(() => "")) !== "");
  assert.equal((await client.get(lease, leaseKey)).spec?.leaseDurationSeconds, 60);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  for (const name of [
    'butler_machines{phase="Running"} 0',
    "rest_client_requests_total",
    "leader_election_master_status",
  ])
    assert.ok(metrics.includes(name), name);
  tell();
  assert.equal(await code, 0);
  assert.equal(await holder(), "");
  assert.equal(io.output, "");
  for (const line of io.complaints.trim().split("\n")) assert.equal(typeof JSON.parse(line).message, "string");
});

test("one that loses its lease ends with exit code 1 and says why", async () => {
  const { io, code, isReady } = await started("--kubeconfig", "config.yaml", "--providers", "harvester");
  await until(isReady);
  await until(async () => (await holder()) !== "");
  await client.mergePatch(lease, leaseKey, {
    spec: { holderIdentity: "another", leaseDurationSeconds: 60, renewTime: "2030-01-01T00:00:00.000000Z" },
  });
  assert.equal(await code, 1);
  assert.match(io.complaints, /butleradm: .*lease.*another process may lead now.*\n$/);
  await client.delete(lease, leaseKey);
});

test("a health port that is in use is one line and exit code 1", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const io = fakeIo({ directory: folder, home: folder });
  io.untilTold = () => new Promise(() => {});
  const words = ["manager", "--kubeconfig", "config.yaml", "--leader-elect=false", "--health-port", String(port)];
  assert.equal(await run("butleradm", words, io), 1);
  assert.match(io.complaints, new RegExp(`\nbutleradm: port ${port} is in use by another process; choose another`));
  server.close();
});

const wrong: readonly [string, RegExp][] = [
  [
    "--providers harvster",
    /--providers: there is no provider "harvster" \(did you mean "harvester"\?\); there are harvester/,
  ],
  ["--providers aws", /--providers: "aws" cannot make machines yet; those that can: harvester/],
  ["--providers ,", /--providers: name at least one of harvester/],
  ["--namespaces A_b", /--namespaces: "A_b" is no name of a namespace; write a,b or all/],
  ["--leader-elect maybe", /--leader-elect: "maybe" is not one of true, false/],
  ["--leader-elect-lease-duration 15", /--leader-elect-lease-duration: "15" is not a time; write 15s or 1m30s/],
  ["--leader-elect-retry-period 0s", /--leader-elect-retry-period: "0s" is not a time/],
  [
    "--leader-elect-lease-duration 10s",
    /--leader-elect-lease-duration, renew-deadline and retry-period: the lease duration must be longer than the renew deadline/,
  ],
  ["--health-port x", /--health-port: "x" is not a port/],
  ["--log-level loud", /--log-level: "loud" is not one of debug, info, warn, error/],
  ["--kubeconfig missing.yaml", /missing\.yaml/],
  ["", /no kubeconfig: neither KUBECONFIG nor HOME is set/],
];
for (const [words, message] of wrong)
  test(`manager ${words}: one clear message and exit code 2`, async () => {
    const io = fakeIo({ directory: folder, home: folder });
    assert.equal(await run("butleradm", ["manager", ...words.split(" ").filter((word) => word !== "")], io), 2);
    assert.match(io.complaints, message);
    assert.equal(io.complaints.trim().split("\n").length, 1);
  });
