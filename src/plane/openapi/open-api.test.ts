// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { isObject } from "../../schema/go-text.ts";
import { compileResource } from "../../schema/index.ts";
import { builtInTypes } from "../kinds/index.ts";
import { customColumns } from "../printing/index.ts";
import { createRegistry } from "../registry.ts";
import type { ResourceType } from "../types.ts";
import { openApiV2, openApiV3, openApiV3Index, serveOpenApi } from "./index.ts";

function custom(kind: string): ResourceType {
  const schema = {
    type: "object" as const,
    description: `A ${kind}.`,
    properties: { spec: { type: "object" as const, properties: { size: { type: "integer" as const, minimum: 1 } } } },
  };
  const plural = `${kind.toLowerCase()}s`;
  return {
    group: "example.com",
    version: "v1",
    kind,
    listKind: `${kind}List`,
    plural,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: true,
    verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
    hasStatus: true,
    scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" },
    schema,
    resource: compileResource(schema, { scope: "Namespaced" }),
    columns: customColumns(undefined),
    selectableFields: [],
    isCustom: true,
  };
}

function registryWith(...types: readonly ResourceType[]) {
  const registry = createRegistry(builtInTypes());
  registry.setCustomTypes(types);
  return registry;
}

function parsed(text: string | undefined): Record<string, Record<string, Record<string, unknown>>> {
  return JSON.parse(text ?? "{}");
}

/** Every reference in a document. */
function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    name === "$ref" && typeof item === "string" ? [item] : referencesIn(item),
  );
}

test("the index names a document for each group version, with the hash of its contents", () => {
  const registry = registryWith(custom("Thing"));
  const { paths } = parsed(openApiV3Index(registry));
  assert.ok(paths !== undefined);
  assert.deepEqual(Object.keys(paths).slice(0, 2), ["api/v1", "apis/apiextensions.k8s.io/v1"]);
  const { hash } = openApiV3(registry, "apis/example.com/v1") ?? {};
  assert.deepEqual(paths["apis/example.com/v1"], {
    serverRelativeURL: `/openapi/v3/apis/example.com/v1?hash=${hash}`,
  });
});

test("everything a document refers to is in it", () => {
  const registry = registryWith(custom("Thing"));
  for (const path of Object.keys(parsed(openApiV3Index(registry)).paths ?? {})) {
    const document = parsed(openApiV3(registry, path)?.json);
    const known = Object.keys(document.components?.schemas ?? {});
    const missing = referencesIn(document).filter((name) => !known.includes(name.replace("#/components/schemas/", "")));
    assert.deepEqual(missing, [], path);
  }
  const document = parsed(openApiV2(registry).json);
  const known = Object.keys(document.definitions ?? {});
  const missing = referencesIn(document).filter((name) => !known.includes(name.replace("#/definitions/", "")));
  assert.deepEqual(missing, []);
});

test("a custom resource is described with its own schema, its subresources and the metadata of every object", () => {
  const document = parsed(openApiV3(registryWith(custom("Thing")), "apis/example.com/v1")?.json);
  const thing = Object(document.components?.schemas)["com.example.v1.Thing"];
  assert.deepEqual(thing["x-kubernetes-group-version-kind"], [{ group: "example.com", kind: "Thing", version: "v1" }]);
  assert.equal(thing.properties.spec.properties.size.minimum, 1);
  assert.match(thing.properties.metadata.allOf[0].$ref, /meta\.v1\.ObjectMeta$/);
  const root = "/apis/example.com/v1";
  assert.deepEqual(Object.keys(document.paths ?? {}).sort(), [
    `${root}/namespaces/{namespace}/things`,
    `${root}/namespaces/{namespace}/things/{name}`,
    `${root}/namespaces/{namespace}/things/{name}/scale`,
    `${root}/namespaces/{namespace}/things/{name}/status`,
    `${root}/things`,
  ]);
});

test("a document stays the same one until its own types change", () => {
  const thing = custom("Thing");
  const registry = registryWith(thing);
  const core = openApiV3(registry, "api/v1");
  const own = openApiV3(registry, "apis/example.com/v1");
  const index = openApiV3Index(registry);
  assert.equal(openApiV3Index(registry), index);
  registry.setCustomTypes([thing, custom("Other")]);
  assert.equal(openApiV3(registry, "api/v1"), core);
  assert.notEqual(openApiV3(registry, "apis/example.com/v1")?.hash, own?.hash);
  assert.notEqual(openApiV3Index(registry), index);
});

test("documents are served by hash for ever, by other hashes elsewhere, and not again to who has them", () => {
  const registry = registryWith(custom("Thing"));
  const path = "/openapi/v3/apis/example.com/v1";
  const { hash = "" } = openApiV3(registry, path.slice("/openapi/v3/".length)) ?? {};
  const serve = (target: string, query = "", headers: Record<string, string> = {}) =>
    serveOpenApi(registry, { path: target, query: new URLSearchParams(query) }, { headers, nowMs: 0 });
  assert.equal(serve(path)?.status, 200);
  assert.equal(serve(path)?.headers["cache-control"], "no-cache, private");
  assert.equal(serve(path, `hash=${hash}`)?.headers["cache-control"], "public, immutable");
  assert.equal(serve(path, "hash=old")?.status, 301);
  assert.equal(serve(path, "hash=old")?.headers.location, `${path}?hash=${hash}`);
  assert.equal(serve(path, "", { "if-none-match": `"${hash}"` })?.status, 304);
  assert.equal(serve("/openapi/v3")?.status, 200);
  assert.equal(serve("/openapi/v3/apis/none/v1")?.status, 404);
  const protobuf = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
  assert.equal(serve("/openapi/v2", "", { accept: protobuf })?.status, 406);
  assert.equal(serve("/openapi/v2", "", { accept: `${protobuf}, */*` })?.status, 200);
  assert.equal(serve("/elsewhere"), undefined);
});
