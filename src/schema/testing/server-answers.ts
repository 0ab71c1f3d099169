// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from "node:timers/promises";
import {
  type Attempt,
  attemptOf,
  type Crd,
  collectionPath,
  installCrds,
  type TestServer,
} from "../../../test/kubernetes/harness.ts";
import { deepEqual, getOwn } from "../json.ts";
import type { Json, Schema } from "../types.ts";
import { changeRows } from "./cases-changes.ts";
import { formatRows } from "./cases-formats.ts";
import { metadataCases } from "./cases-metadata.ts";
import { structuralCases } from "./cases-structural.ts";
import { valueRows } from "./cases-values.ts";
import { ruleObject, ruleRows, structuralName, thing } from "./our-answers.ts";
import {
  type Answer,
  type Answers,
  caseName,
  combine,
  compactAnswer,
  propertyOf,
  type Row,
  sortCauses,
} from "./table.ts";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

function crdFor(table: string, schema: Json | Schema): Crd {
  const group = `${table}.example.com`;
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } };
  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
      versions: [version],
    },
  };
  return crd;
}

type Thing = { readonly [name: string]: Json };

const inGroup = (table: string, object: Thing): Thing => ({ ...object, apiVersion: `${table}.example.com/v1` });

/** What a real server answers to every case. The CRDs it takes for that are new to the server. */
export async function serverAnswers(server: TestServer): Promise<Answers> {
  const crds = {
    values: crdFor("values", combine(valueRows)),
    formats: crdFor("formats", combine(formatRows)),
    rules: crdFor("rules", combine(ruleRows)),
    changes: crdFor("changes", { type: "object", "x-kubernetes-preserve-unknown-fields": true }),
    metadata: crdFor("metadata", combine([])),
  };
  await installCrds(server, Object.values(crds));
  return {
    values: await valueAnswers(server, valueRows, crds.values),
    formats: await valueAnswers(server, formatRows, crds.formats),
    rules: await ruleAnswers(server, crds.rules),
    changes: await changeAnswers(server, crds.changes),
    metadata: await metadataAnswers(server, crds.metadata),
    structural: await structuralAnswers(server),
  };
}

/** Runs all, some at once. */
export async function inParallel<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length);
  const queue = items.entries();
  const worker = async () => {
    for (const [position, item] of queue) results[position] = await run(item);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  return results;
}

function tableOf(crd: Crd): string {
  return crd.spec.group.split(".")[0] ?? "";
}

async function create(server: TestServer, crd: Crd, object: Thing): Promise<Attempt> {
  const path = `${collectionPath(crd, {})}?fieldValidation=Warn&dryRun=All`;
  return attemptOf(await server.request("POST", path, inGroup(tableOf(crd), object)));
}

function answerOf(attempt: Attempt, given?: { readonly property: string; readonly value: Json }): Answer {
  if (attempt.status === 400) return { message: attempt.message.replace(/^.*cannot be handled as a Thing: /, "") };
  const warnings = attempt.warnings.filter((text) => !text.startsWith("unknown field"));
  const spec = (attempt.object as { spec?: { readonly [name: string]: Json } } | undefined)?.spec;
  const stored = given === undefined || spec === undefined ? undefined : getOwn(spec, given.property);
  const isChanged = attempt.accepted && stored !== undefined && !deepEqual(stored, given?.value);
  return compactAnswer({
    causes: sortCauses(attempt.causes),
    unknown: attempt.unknownFields,
    warnings: warnings.toSorted(),
    ...(isChanged ? { stored } : {}),
  });
}

async function valueAnswers(server: TestServer, rows: readonly Row[], crd: Crd): Promise<{ [name: string]: Answer }> {
  const cases = rows.flatMap((row, position) =>
    row.values.map((value, at) => ({ name: caseName(row, at), property: propertyOf(position), value })),
  );
  const answers = await inParallel(cases, async ({ name, property, value }) => {
    const attempt = await create(server, crd, thing({ [property]: value }));
    return [name, answerOf(attempt, { property, value })] as const;
  });
  return Object.fromEntries(answers);
}

async function ruleAnswers(server: TestServer, crd: Crd): Promise<{ [name: string]: Answer }> {
  const { causes } = await create(server, crd, thing(ruleObject));
  return Object.fromEntries(
    ruleRows.map(({ name }, position) => {
      const own = new RegExp(`^spec\\.${propertyOf(position)}(?![0-9])`);
      return [name, compactAnswer({ causes: sortCauses(causes.filter(({ field }) => own.test(field))) })];
    }),
  );
}

/** Old objects may break the schema: they are stored before it is given to the server. */
async function changeAnswers(server: TestServer, crd: Crd): Promise<{ [name: string]: Answer }> {
  const cases = changeRows.flatMap((row, position) =>
    row.changes.map(([from, to], at) => ({
      name: caseName(row, at),
      object: `change-${position}-${at}`,
      from: { [propertyOf(position)]: from },
      to: { [propertyOf(position)]: to },
    })),
  );
  const path = collectionPath(crd, {});
  await inParallel(cases, async ({ object, from }) => {
    const stored = inGroup("changes", thing(from, { name: object }));
    const { status, body } = await server.request("POST", path, stored);
    if (status !== 201) throw new Error(`store "${object}": ${JSON.stringify(body)}`);
  });
  await replaceSchema(server, crdFor("changes", combine(changeRows)));
  const answers = await inParallel(cases, async ({ name, object, to }) => {
    const { body } = await server.request("GET", `${path}/${object}`);
    const { metadata } = body as { metadata: { readonly [name: string]: Json } };
    const changed = inGroup("changes", { ...thing(to), metadata });
    const answer = await server.request("PUT", `${path}/${object}?fieldValidation=Warn&dryRun=All`, changed);
    return [name, answerOf(attemptOf(answer))] as const;
  });
  return Object.fromEntries(answers);
}

const IN_EFFECT_WITHIN_MS = 20_000;

async function replaceSchema(server: TestServer, crd: Crd): Promise<void> {
  const path = `${CRDS}/${crd.metadata.name}`;
  const { body } = await server.request("GET", path);
  const { metadata } = body as { metadata: Json };
  const { status, body: refusal } = await server.request("PUT", path, { ...crd, metadata });
  if (status !== 200) throw new Error(`replace the schema of "${crd.metadata.name}": ${JSON.stringify(refusal)}`);
  const deadline = performance.now() + IN_EFFECT_WITHIN_MS;
  // The new schema is in effect once it prunes what it does not know.
  for (;;) {
    const { unknownFields } = await create(server, crd, thing({ nobodyKnowsThis: 1 }));
    if (unknownFields.length > 0) return;
    if (performance.now() > deadline) throw new Error(`schema of "${crd.metadata.name}" did not take effect`);
    await delay(50);
  }
}

async function metadataAnswers(server: TestServer, crd: Crd): Promise<{ [name: string]: Answer }> {
  const answers = await inParallel(Object.entries(metadataCases), async ([name, metadata]) => {
    const attempt = await create(server, crd, thing(undefined, metadata));
    return [name, answerOf(attempt)] as const;
  });
  return Object.fromEntries(answers);
}

/** What a server says to a CRD with that schema, without the names it makes up. */
export async function crdAnswer(server: TestServer, schema: Json | Schema): Promise<Answer> {
  const attempt = attemptOf(await server.request("POST", `${CRDS}?dryRun=All`, crdFor("structural", schema)));
  const causes = attempt.causes.map((cause) => ({
    ...cause,
    message: cause.message.replace(/selfType\d+/g, "selfType"),
  }));
  return compactAnswer({ causes: sortCauses(causes) });
}

async function structuralAnswers(server: TestServer): Promise<{ [name: string]: Answer }> {
  const answers = await inParallel(
    structuralCases,
    async (schema) => [structuralName(schema), await crdAnswer(server, schema)] as const,
  );
  return Object.fromEntries(answers);
}
