// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { installCrds, kubernetesTest, type TestServer } from "../../../test/kubernetes/harness.ts";
import { kinds } from "../../kinds.ts";
import { isObject } from "../../schema/go-text.ts";
import { compileResource } from "../../schema/index.ts";
import { builtInTypes } from "../kinds/index.ts";
import { customColumns } from "../printing/index.ts";
import { createRegistry } from "../registry.ts";
import type { ResourceType } from "../types.ts";
import { openApiV3 } from "./index.ts";

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

/** The real server's document, which is there, and follows its definitions, only after a moment. */
async function realDocument(server: TestServer, path: string, paths: readonly string[] = []): Promise<Document> {
  for (let tries = 0; ; tries += 1) {
    const { status, body } = await server.request("GET", `/openapi/v3/${path}`);
    const served: Document["paths"] = Object(body).paths ?? {};
    if (status === 200 && paths.every((each) => each in served)) return Object(body);
    assert.ok(tries < 600, `${path}: ${status}, not there: ${paths.filter((each) => !(each in served)).join(", ")}`);
    await delay(100);
  }
}

function ownDocument(types: readonly ResourceType[], path: string): Document {
  const registry = createRegistry(builtInTypes());
  registry.setCustomTypes(types);
  const document = openApiV3(registry, path);
  assert.ok(document !== undefined, path);
  return JSON.parse(document.json);
}

/** Words are our own, and what the Go types fill in says nothing to clients. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([name, item]) => name !== "description" || typeof item !== "string");
  const shape = Object.fromEntries(entries.map(([name, item]) => [name, shapeOf(item)]));
  if (JSON.stringify(shape.default) === "{}" || shape.default === "") delete shape.default;
  const [only, ...more] = Array.isArray(shape.allOf) ? shape.allOf : [];
  // A reference alone, or beside a description: the same.
  return Object.keys(shape).length === 1 && more.length === 0 && isObject(only) && only.$ref !== undefined
    ? only
    : shape;
}

/** Verbs, kinds and names of the operations of a path. */
function operationsOf(item: Readonly<Record<string, unknown>> | undefined): unknown {
  const operations = Object.entries(item ?? {}).filter(([method]) => method !== "parameters");
  return Object.fromEntries(
    operations.map(([method, operation]) => {
      const { operationId, "x-kubernetes-action": action, "x-kubernetes-group-version-kind": kind } = Object(operation);
      return [method, { operationId, action, kind }];
    }),
  );
}

function comparePaths(own: Document, real: Document): void {
  for (const [path, item] of Object.entries(own.paths)) {
    const { [path]: other } = real.paths;
    assert.deepEqual(operationsOf(item), operationsOf(other), path);
  }
}

kubernetesTest("the documents of our own kinds are the real server's", async (server) => {
  const crds = kinds.map((kind) => kind.crd());
  await installCrds(server, crds);
  const types = crds.map(({ spec }): ResourceType => {
    const { group, names, scope, versions } = spec;
    const [version] = versions;
    assert.ok(version !== undefined);
    const schema = version.schema.openAPIV3Schema;
    return {
      group,
      version: version.name,
      ...names,
      categories: [],
      namespaced: scope === "Namespaced",
      verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
      hasStatus: true,
      schema,
      resource: compileResource(schema, { scope }),
      columns: customColumns(version.additionalPrinterColumns),
      selectableFields: [],
      isCustom: true,
    };
  });
  const path = `apis/${types[0]?.group}/${types[0]?.version}`;
  const own = ownDocument(types, path);
  const real = await realDocument(server, path, Object.keys(own.paths));
  comparePaths(own, real);
  assert.deepEqual(Object.keys(own.paths).sort(), Object.keys(real.paths).sort());
  for (const [name, schema] of Object.entries(own.components.schemas)) {
    if (!name.startsWith("dev.butlerlabs")) continue;
    const { [name]: other } = real.components.schemas;
    assert.deepEqual(shapeOf(schema), shapeOf(other), name);
  }
});

kubernetesTest("the documents of built-in kinds have the real server's operations and fields", async (server) => {
  const paths = builtInTypes().map(({ group, version }) =>
    group === "" ? `api/${version}` : `apis/${group}/${version}`,
  );
  const differences: string[] = [];
  for (const path of new Set(paths)) {
    const own = ownDocument([], path);
    const real = await realDocument(server, path);
    comparePaths(own, real);
    for (const [name, schema] of Object.entries(own.components.schemas)) {
      const { [name]: other } = real.components.schemas;
      if (other === undefined) differences.push(`${path}: ${name} is not there`);
      else differences.push(...fieldDifferences(name, Object(schema), Object(other)));
    }
  }
  assert.deepEqual([...new Set(differences)], []);
});

const MARKS = [
  "type",
  "format",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-patch-strategy",
  "x-kubernetes-patch-merge-key",
];

/** What merging, explaining and validating go by: each field's type, and how lists and maps are merged. */
function fieldDifferences(name: string, own: Record<string, unknown>, real: Record<string, unknown>): string[] {
  const differences: string[] = [];
  const compare = (what: string, one: unknown, other: unknown) => {
    const [left, right] = [JSON.stringify(one), JSON.stringify(other)];
    if (left !== right) differences.push(`${what}: ${left} should be ${right}`);
  };
  compare(`${name} required`, own.required ?? [], real.required ?? []);
  const kind = (schema: Record<string, unknown>) => Object(schema["x-kubernetes-group-version-kind"])[0];
  if (!name.endsWith("DeleteOptions")) compare(`${name} kind`, kind(own), kind(real));
  for (const [field, schema] of Object.entries(Object(own.properties))) {
    const { [field]: other } = Object(real.properties);
    if (other === undefined) differences.push(`${name}.${field} is not there`);
    else for (const mark of MARKS) compare(`${name}.${field} ${mark}`, markOf(schema, mark), markOf(other, mark));
  }
  return differences;
}

/** Types that take anything: the real server names them, we do not. */
const ANYTHING = /\.(JSON|JSONSchemaPropsOr[A-Za-z]+)$/;

function markOf(schema: unknown, mark: string): unknown {
  const { [mark]: value, allOf, $ref } = Object(schema);
  if (mark !== "type") return value;
  const reference = $ref ?? Object(allOf)[0]?.$ref;
  return reference === undefined ? value : ANYTHING.test(reference) ? undefined : reference;
}
