// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findKind, kinds } from "../../src/kinds.ts";
import { parseYaml } from "../../src/lib/yaml.ts";
import { compileResource } from "../../src/schema/index.ts";
import type { JsonObject } from "../rules/changes.ts";
import { ruleTables } from "../rules/index.ts";
import { seedBlocks } from "../seeds/blocks.ts";
import {
  attemptOf,
  createNamespace,
  type InstalledCrd,
  installCrds,
  kubernetesTest,
  type TestServer,
} from "./harness.ts";

let installed: Promise<readonly InstalledCrd[]> | undefined;

/** Installs all kinds once for this file. */
function install(server: TestServer): Promise<readonly InstalledCrd[]> {
  installed ??= installCrds(
    server,
    kinds.map((kind) => kind.crd()),
  );
  return installed;
}

kubernetesTest("all kinds are established, structural and without a warning", async (server) => {
  const quiet = kinds.map((kind) => ({ name: kind.crd().metadata.name, warnings: [] }));
  assert.deepEqual(await install(server), quiet);
});

kubernetesTest("every example is served, with the defaults that we give it", async (server, t) => {
  await install(server);
  const examples = join(import.meta.dirname, "../../examples");
  const objects = globSync("**/*.yaml", { cwd: examples }).flatMap((file) =>
    parseYaml(readFileSync(join(examples, file), "utf8")).map(({ value }) => value as JsonObject),
  );
  for (const object of objects) await expectServed(server, object);
  const shown = new Set(objects.map(({ kind }) => kind));
  assert.deepEqual(
    kinds.filter(({ kind }) => !shown.has(kind)).map(({ kind }) => kind),
    [],
    "kinds without an example",
  );
  t.diagnostic(`${objects.length} objects`);
});

kubernetesTest("the objects that rule cases start from are served", async (server) => {
  await install(server);
  for (const { base } of ruleTables) await expectServed(server, base);
});

kubernetesTest("every YAML block of the seed documents is served", async (server, t) => {
  await install(server);
  const blocks = seedBlocks();
  for (const { object, isStatus } of blocks)
    await (isStatus ? expectStatusServed(server, object) : expectServed(server, object));
  t.diagnostic(`${blocks.length} blocks`);
});

async function expectServed(server: TestServer, object: JsonObject): Promise<void> {
  await createNamespace(server, namespaceOf(object));
  const answer = await server.request("POST", `${pathOf(object)}?dryRun=All&fieldValidation=Strict`, object);
  const { accepted, message, warnings, object: result } = attemptOf(answer);
  assert.ok(accepted, `${nameOf(object)}: ${message}`);
  assert.deepEqual(warnings, []);
  const kind = findKind(String(object.kind));
  if (kind === undefined) return;
  const { status: _, ...created } = object;
  const { spec, status } = compileResource(kind.schema(), { scope: kind.scope }).admit(created).object as JsonObject;
  assert.deepEqual({ spec, status }, { spec: Object(result).spec, status: Object(result).status }, nameOf(object));
}

async function expectStatusServed(server: TestServer, object: JsonObject): Promise<void> {
  const path = pathOf(object);
  const { body } = await server.request("POST", path, object);
  const written = await server.request("PUT", `${path}/${nameOf(object)}/status?fieldValidation=Strict`, {
    ...Object(body),
    status: object.status,
  });
  const { accepted, message, object: result } = attemptOf(written);
  assert.ok(accepted, `${nameOf(object)}: ${message}`);
  assert.deepEqual(Object(result).status, object.status);
  await server.request("DELETE", `${path}/${nameOf(object)}`);
}

function nameOf({ metadata }: JsonObject): string {
  return String(Object(metadata).name);
}

function namespaceOf({ metadata }: JsonObject): string {
  return Object(metadata).namespace ?? "default";
}

function pathOf(object: JsonObject): string {
  const { apiVersion, kind } = object;
  const known = findKind(String(kind));
  const base = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
  const space = known?.scope === "Cluster" ? "" : `/namespaces/${namespaceOf(object)}`;
  return `${base}${space}/${known?.plural ?? "secrets"}`;
}
