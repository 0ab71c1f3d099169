// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { CheckReport, Finding } from "../../engine/provider.ts";
import { refusal } from "../../engine/testing/contract-stage.ts";
import { clusterRoleBinding } from "../../kube/index.ts";
import { RIGHTS, resourceText } from "./rights.ts";
import { type HarvesterStage, type LinkChanges, onHarvester } from "./testing/harvester-stage.ts";

async function check(stage: HarvesterStage, changes: LinkChanges = {}): Promise<CheckReport> {
  const { machines } = await stage.link(changes);
  return machines.check(stage.call());
}

function finding({ findings }: CheckReport, condition: string): Finding | undefined {
  return findings.find((each) => each.condition === condition);
}

test("with all rights everything is looked at and fine, and the version is told", () =>
  onHarvester(async (stage) => {
    const report = await check(stage);
    assert.deepEqual(
      report.findings.map(({ condition, result }) => `${condition} ${result}`),
      [
        "CredentialsValid fine",
        "PermissionsGranted fine",
        "NamespaceAvailable fine",
        "NetworkAvailable fine",
        "ImageAvailable fine",
        "StorageAvailable fine",
        "VersionSupported fine",
      ],
    );
    assert.equal(report.providerVersion, "v1.4.3");
  }));

test("with the rights of the older controller the rest is unverified, not failed, and what is missing is told", () =>
  onHarvester(async (stage) => {
    const report = await check(stage, { secret: stage.sim.basicAccess.secret });
    assert.deepEqual(
      report.findings.map(({ condition, result }) => `${condition} ${result}`),
      [
        "CredentialsValid fine",
        "PermissionsGranted fine",
        "NetworkAvailable unverified",
        "ImageAvailable unverified",
        "StorageAvailable unverified",
      ],
    );
    const permissions = finding(report, "PermissionsGranted");
    assert.equal(permissions?.reason, "NeededOnesGranted");
    assert.match(permissions?.message ?? "", /patch virtualmachines\.kubevirt\.io in "default"/);
    assert.match(permissions?.message ?? "", /limited to 2,048 bytes/);
    assert.equal(report.providerVersion, undefined);
  }));

test("rights without which nothing works block, and are named", () =>
  onHarvester(async (stage) => {
    await stage.admin.delete(clusterRoleBinding, { name: "simulated-butler-basic" });
    const permissions = finding(await check(stage, { secret: stage.sim.basicAccess.secret }), "PermissionsGranted");
    assert.equal(permissions?.result, "failed");
    assert.equal(permissions?.isBlocking, true);
    assert.equal(permissions?.kind, "denied");
    assert.match(
      permissions?.message ?? "",
      /may not create, get, list, watch, delete virtualmachines\.kubevirt\.io in "default" and get, list, watch virtualmachineinstances/,
    );
  }));

test("rights that the server does not tell are unverified, not failed", () =>
  onHarvester(async (stage) => {
    stage.sim.inject({
      on: ({ path }) => /selfsubject(access|rules)reviews/.test(path),
      effect: { type: "refuse", status: 403 },
    });
    assert.equal(finding(await check(stage), "PermissionsGranted")?.result, "unverified");
  }));

test("rights are asked for all at once, and one by one where the server does not tell all", () =>
  onHarvester(async (stage) => {
    const asked = () => stage.sim.requests().filter(({ path }) => path.includes("selfsubject")).length;
    assert.equal(finding(await check(stage), "PermissionsGranted")?.reason, "AllGranted");
    const together = asked();
    assert.ok(together <= 5, `${together} questions`);
    stage.sim.inject({
      on: ({ path }) => path.includes("selfsubjectrulesreviews"),
      effect: { type: "refuse", status: 403 },
    });
    assert.equal(finding(await check(stage), "PermissionsGranted")?.reason, "AllGranted");
    assert.ok(asked() - together > 20);
  }));

test("bad credentials block, and nothing else is said", () =>
  onHarvester(async (stage) => {
    const report = await check(stage, { secret: stage.sim.badAccess.secret });
    assert.deepEqual(
      report.findings.map(({ condition, result, kind, isBlocking }) => ({ condition, result, kind, isBlocking })),
      [{ condition: "CredentialsValid", result: "failed", kind: "denied", isBlocking: true }],
    );
  }));

test("a token that ends within a week is announced", () =>
  onHarvester(async (stage) => {
    const { secret } = stage.sim.renewCredentials({ livesMs: 3 * 24 * 3_600_000 });
    const credentials = finding(await check(stage, { secret }), "CredentialsValid");
    assert.equal(credentials?.result, "fine");
    assert.equal(credentials?.reason, "CredentialsExpireSoon");
    assert.match(credentials?.message ?? "", /ends on 2026-01-04T00:00Z/);
  }));

test("an endpoint that differs from the kubeconfig's server is told, and does not block", () =>
  onHarvester(async (stage) => {
    const report = await check(stage, { settings: { endpoint: "https://10.0.0.1:6443" } });
    const endpoint = finding(report, "EndpointMatches");
    assert.equal(endpoint?.result, "failed");
    assert.equal(endpoint?.isBlocking, false);
    assert.match(endpoint?.message ?? "", /10\.0\.0\.1/);
    const same = await check(stage, { settings: { endpoint: "https://harvester.invalid:6443/" } });
    assert.equal(finding(same, "EndpointMatches"), undefined);
  }));

for (const [what, settings, condition, reason] of [
  ["network", { networkName: "default/nope" }, "NetworkAvailable", "NetworkNotFound"],
  ["image", { imageName: "default/nope" }, "ImageAvailable", "ImageNotFound"],
  ["storage class", { storageClassName: "nope" }, "StorageAvailable", "StorageClassNotFound"],
  ["namespace", { namespace: "nope" }, "NamespaceAvailable", "NamespaceNotFound"],
] as const)
  test(`a ${what} that does not exist is found`, () =>
    onHarvester(async (stage) => {
      const report = await check(stage, { settings });
      const failed = report.findings.filter((each) => each.condition === condition && each.result === "failed");
      assert.equal(failed[0]?.reason, reason);
      assert.match(failed[0]?.message ?? "", /nope/);
    }));

test("an image on its way, and one that failed, is found; none at all is no failure", () =>
  onHarvester(async (stage) => {
    await stage.sim.addImage("default/new");
    const importing = finding(await check(stage, { settings: { imageName: "default/new" } }), "ImageAvailable");
    assert.equal(importing?.reason, "ImageImporting");
    assert.equal(importing?.isBlocking, false);
    await stage.sim.loseBackingImage("default/image-5rs6d");
    assert.equal(finding(await check(stage), "ImageAvailable")?.reason, "ImageFailed");
    const none = finding(await check(stage, { settings: { imageName: undefined } }), "ImageAvailable");
    assert.equal(none?.result, "unverified");
    assert.equal(none?.reason, "NoDefaultImage");
  }));

test("where Harvester does not answer, check throws instead of guessing", () =>
  onHarvester(async (stage) => {
    stage.sim.inject({ effect: { type: "cut-before" } });
    await assert.rejects(check(stage), { kind: "unavailable" });
  }));

test("the permissions in the readme are those that are made use of", () => {
  const readme = readFileSync(join(import.meta.dirname, "readme.md"), "utf8");
  for (const { kind, verbs, isNeeded, without } of RIGHTS) {
    const line = readme
      .split("\n")
      .find((each) => each.startsWith(`| \`${resourceText(kind)}\``) && each.includes(`| ${verbs.join(", ")} |`));
    assert.ok(line !== undefined, `${verbs.join(", ")} ${resourceText(kind)}`);
    assert.ok(line.endsWith(`| ${isNeeded ? "nothing works" : without} |`), line);
  }
});

test("a Harvester that does not answer is asked one question and not all of them", () =>
  onHarvester(async (stage) => {
    const connection = await stage.link();
    stage.sim.inject({ effect: { type: "cut-before" } });
    const before = stage.sim.requests().length;
    const error = await refusal(connection.machines.check(stage.call()), "check");
    assert.equal(error.kind, "unavailable");
    // A read is tried three times.
    assert.equal(stage.sim.requests().length - before, 3);
  }));
