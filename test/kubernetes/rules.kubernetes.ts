// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import type { Kind } from "../../src/api/kind.ts";
import { findKind } from "../../src/kinds.ts";
import { compileResource } from "../../src/schema/index.ts";
import type { Schema } from "../../src/schema/types.ts";
import { ruleTables } from "../rules/index.ts";
import { isNoticed, judge, printed } from "../rules/judge.ts";
import { type Mutant, mutants } from "../rules/mutants.ts";
import type { RuleCase, RuleTable } from "../rules/rule-case.ts";
import { type Crd, installCrds, kubernetesTest, type TestServer } from "./harness.ts";
import { serverJudge } from "./server-judge.ts";

for (const table of ruleTables) {
  const kind = findKind(table.kind);
  if (kind === undefined) throw new Error(`no kind ${table.kind}`);

  kubernetesTest(`${table.kind}: the server refuses what we refuse, in the same words`, async (server, t) => {
    const crd = kind.crd();
    await installCrds(server, [crd]);
    const resource = compileResource(kind.schema(), { scope: kind.scope });
    const { judge: askServer } = serverJudge(server, crd);
    for (const broken of table.cases) {
      const { causes, message } = await askServer(table, broken, kind.version);
      assert.ok(isNoticed(broken, causes), `${broken.name}: the server says ${message || "yes"}`);
      assert.deepEqual(printed(judge(resource, table, broken)), printed(causes), broken.name);
    }
    t.diagnostic(`${table.cases.length} cases`);
  });

  kubernetesTest(`${table.kind}: a server without a rule lets its case pass`, async (server, t) => {
    const removed = [...mutants(kind.schema())];
    for (const batch of batches(removed, VERSIONS_PER_CRD)) await checkBatch(server, kind, table, batch);
    t.diagnostic(`${removed.length} rules removed`);
  });
}

/** One CRD serves many mutants, each as a version of its own: installing one CRD per rule would take minutes. */
const VERSIONS_PER_CRD = 20;
let groups = 0;

async function checkBatch(server: TestServer, kind: Kind, table: RuleTable, batch: readonly Mutant[]): Promise<void> {
  groups += 1;
  const crd = crdOf(kind, `g${groups}.rules.example.com`, batch);
  await installCrds(server, [crd]);
  const { judge: askServer } = serverJudge(server, crd);
  for (const [index, { rule, schema }] of batch.entries()) {
    const killers = killersOf(kind, table, schema);
    assert.ok(killers.length > 0, `${rule}: no case notices`);
    for (const killer of killers) {
      const { causes } = await askServer(table, killer, versionName(index));
      assert.ok(!isNoticed(killer, causes), `${rule} is gone, yet the server still refuses: ${killer.name}`);
    }
  }
}

function killersOf(kind: Kind, table: RuleTable, schema: Schema): RuleCase[] {
  const resource = compileResource(schema, { scope: kind.scope });
  return table.cases.filter((broken) => !isNoticed(broken, judge(resource, table, broken)));
}

function crdOf(kind: Kind, group: string, batch: readonly Mutant[]): Crd {
  const crd = structuredClone(kind.crd());
  const [version] = crd.spec.versions;
  if (version === undefined) throw new Error(`${kind.kind} has no version`);
  return {
    ...crd,
    metadata: { name: `${kind.plural}.${group}` },
    spec: {
      ...crd.spec,
      group,
      versions: batch.map(({ schema }, index) => ({
        ...version,
        name: versionName(index),
        storage: index === 0,
        schema: { openAPIV3Schema: schema },
      })),
    },
  };
}

function versionName(index: number): string {
  return `v${index + 1}`;
}

function* batches<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
