// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import { compileResource, type Schema, structuralProblems } from "./index.ts";

/** CRDs of others that our plane must serve, as published in Go modules. KubeVirt's come with Harvester's. */
const MODULES = [
  { module: "sigs.k8s.io/cluster-api@v1.14.2", crds: "**/config/crd/bases/*.yaml" },
  { module: "github.com/harvester/harvester@v1.8.0", crds: "deploy/charts/harvester-crd/templates/*.yaml" },
] as const;

interface Crd {
  readonly kind?: string;
  readonly metadata?: { readonly name: string };
  readonly spec?: {
    readonly versions: readonly { readonly name: string; readonly schema?: { readonly openAPIV3Schema?: Schema } }[];
  };
}

/** The folder of a module; undefined where Go is missing or cannot reach it. */
async function download(module: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)("go", ["mod", "download", "-json", module], { cwd: "/" });
    return (JSON.parse(stdout) as { Dir?: string }).Dir;
  } catch {
    return undefined;
  }
}

function schemasIn(file: string): { name: string; schema: Schema }[] {
  const documents = parseAllDocuments(readFileSync(file, "utf8"), { version: "1.1" });
  return documents.flatMap((document) => {
    const crd = document.toJS() as Crd | null;
    if (crd?.kind !== "CustomResourceDefinition") return [];
    return (crd.spec?.versions ?? []).flatMap(({ name, schema }) =>
      schema?.openAPIV3Schema === undefined
        ? []
        : [{ name: `${crd.metadata?.name} ${name}`, schema: schema.openAPIV3Schema }],
    );
  });
}

for (const { module, crds } of MODULES) {
  test(`every CRD of ${module} is taken, and serves`, async (t) => {
    const folder = await download(module);
    if (folder === undefined) return t.skip(`no Go to download ${module} with`);
    const schemas = globSync(crds, { cwd: folder }).flatMap((file) => schemasIn(join(folder, file)));
    assert.ok(schemas.length > 10, `${schemas.length} schemas`);
    const began = performance.now();
    for (const { name, schema } of schemas) {
      assert.deepEqual(structuralProblems(schema), [], name);
      const resource = compileResource(schema, { scope: "Namespaced" });
      const { malformed } = resource.admit({ apiVersion: "x/v1", kind: "X", metadata: { name: "x" }, spec: {} });
      assert.equal(malformed, undefined, name);
    }
    t.diagnostic(`${schemas.length} schemas in ${Math.round(performance.now() - began)} ms`);
  });
}
