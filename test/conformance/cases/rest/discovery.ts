// SPDX-License-Identifier: Apache-2.0
import type { Answer, Case, JsonObject } from "../../framework/types.ts";
import { GROUP } from "./kinds.ts";

/** The kinds every target has; a real server has many more. */
const CORE = /^(namespaces|secrets|configmaps|serviceaccounts|events|persistentvolumeclaims)(\/|$)/;

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

type Named = JsonObject & { readonly name: string };

function byName(a: Named, b: Named): number {
  return a.name < b.name ? -1 : 1;
}

/** A list of resources: those every target has, in a fixed order, without the opaque hash. */
function resources(wanted: RegExp) {
  return ({ resources, ...rest }: JsonObject) => ({
    ...rest,
    resources: (resources as Named[])
      .filter(({ name }) => wanted.test(name))
      .map(({ storageVersionHash, ...resource }) => resource as Named)
      .toSorted(byName),
  });
}

/** One group of a list of groups. */
function group(wanted: string) {
  return ({ groups, ...rest }: JsonObject) => ({
    ...rest,
    groups: (groups as Named[]).filter(({ name }) => name === wanted),
  });
}

/** One group of aggregated discovery, its resources sorted. */
function aggregated(wanted: string, { items, ...rest }: JsonObject): JsonObject {
  const found = (items as { metadata: { name?: string }; versions: { resources: JsonObject[] }[] }[])
    .filter(({ metadata }) => (metadata.name ?? "") === wanted)
    .map(({ metadata, versions }) => ({
      metadata: { name: metadata.name },
      versions: versions.map((version) => ({
        ...version,
        resources: version.resources
          .filter(({ resource }) => wanted !== "" || CORE.test(String(resource)))
          .toSorted((a, b) => (String(a.resource) < String(b.resource) ? -1 : 1)),
      })),
    }));
  return { ...rest, metadata: {}, items: found };
}

/** Whether aggregated discovery knows all four kinds of the suite; it learns of CRDs in its own time. */
function isComplete({ body }: Answer): boolean {
  return JSON.stringify(aggregated(GROUP, body)).split('"responseKind"').length > 5;
}

const SCHEMA = "com.example.rest.v1.Widget";

function schemaOf({ components }: JsonObject): JsonObject | undefined {
  return (components as { schemas?: Record<string, JsonObject> } | undefined)?.schemas?.[SCHEMA];
}

export const discovery: readonly Case[] = [
  {
    name: "the server says that it is alive, ready and which version it is",
    answers: [200, 200, 200, 200],
    async run(t) {
      for (const path of ["/livez", "/readyz", "/healthz"]) await t.request("GET", path);
      await t.request("GET", "/version", undefined, { show: ({ major, minor }) => ({ major, minor }) });
    },
  },
  {
    name: "the core group and its kinds can be discovered",
    answers: [200, 200],
    async run(t) {
      const show = ({ serverAddressByClientCIDRs, ...rest }: JsonObject) => rest;
      await t.request("GET", "/api", undefined, { show });
      await t.request("GET", "/api/v1", undefined, { show: resources(CORE) });
    },
  },
  {
    name: "groups and their versions can be discovered, those of CRDs among them",
    answers: [200, 200, 200, 200, 404],
    async run(t) {
      await t.eventually("/apis", ({ text }) => text.includes(`"${GROUP}/v1"`), { show: group(GROUP) });
      await t.request("GET", "/apis", undefined, { show: group("coordination.k8s.io") });
      await t.request("GET", `/apis/${GROUP}`);
      await t.request("GET", "/apis/coordination.k8s.io");
      await t.request("GET", "/apis/nobody.example.com");
    },
  },
  {
    name: "the resources of a group are told with verbs, short names, categories and subresources",
    answers: [200, 200, 200, 200],
    async run(t) {
      const path = `/apis/${GROUP}/v1`;
      const isComplete = ({ text }: Answer) =>
        ["widgets/status", "planets", "fleets/scale", "plains"].every((name) => text.includes(`"${name}"`));
      await t.eventually(path, isComplete, { show: resources(/./) });
      await t.request("GET", "/apis/coordination.k8s.io/v1", undefined, { show: resources(/^leases/) });
      const definitions = resources(/^customresourcedefinitions/);
      await t.request("GET", "/apis/apiextensions.k8s.io/v1", undefined, { show: definitions });
      const roles = resources(/^(cluster)?role(binding)?s$/);
      await t.request("GET", "/apis/rbac.authorization.k8s.io/v1", undefined, { show: roles });
    },
  },
  {
    name: "everything below /apis or /api can be discovered in one request",
    answers: [200, 200],
    async run(t) {
      const show = (body: JsonObject) => aggregated(GROUP, body);
      await t.eventually("/apis", isComplete, { accept: AGGREGATED, show });
      await t.request("GET", "/api", undefined, { accept: AGGREGATED, show: (body) => aggregated("", body) });
    },
  },
  {
    name: "OpenAPI v3 lists a document per group and version, under an address that changes with it",
    answers: [200],
    async run(t) {
      const wanted = ["api/v1", "apis/coordination.k8s.io/v1", `apis/${GROUP}/v1`];
      const show = ({ paths }: JsonObject) =>
        wanted.map((path) => {
          const { serverRelativeURL } = (paths as Record<string, { serverRelativeURL: string }>)[path] ?? {};
          return serverRelativeURL?.replace(/hash=[0-9A-F]+$/, "hash={hash}");
        });
      await t.eventually("/openapi/v3", ({ text }) => text.includes(`"apis/${GROUP}/v1"`), { show });
    },
  },
  {
    name: "OpenAPI v3 describes a custom resource and what can be done with it",
    answers: [200, 200],
    async run(t) {
      const path = `/openapi/v3/apis/${GROUP}/v1`;
      const isThere = ({ body }: Answer) => schemaOf(body) !== undefined;
      await t.eventually(path, isThere, { show: (body) => withoutProse(schemaOf(body)) });
      const namespaced = `/apis/${GROUP}/v1/namespaces/{namespace}/widgets/{name}`;
      const show = ({ paths }: JsonObject) => {
        const operations = (paths as Record<string, Record<string, JsonObject>>)[namespaced] ?? {};
        return {
          paths: Object.keys(paths as JsonObject)
            .filter((name) => name.includes("widgets"))
            .toSorted(),
          operations: ["get", "put", "patch", "delete"].map((method) => [
            method,
            operations[method]?.["x-kubernetes-action"],
            operations[method]?.["x-kubernetes-group-version-kind"],
          ]),
        };
      };
      await t.request("GET", path, undefined, { show });
    },
  },
  {
    name: "OpenAPI v3 describes built-in kinds with their list types and merge keys",
    answers: [200],
    async run(t) {
      const prefix = "io.k8s.api.core.v1";
      const shape = (schema: JsonObject) => withoutZeroes(schema.properties as Record<string, JsonObject>);
      const show = ({ components }: JsonObject) => {
        const { schemas } = components as { schemas: Record<string, JsonObject> };
        const wanted = ["ConfigMap", "Secret", "ServiceAccount", "NamespaceStatus"];
        return Object.fromEntries(wanted.map((kind) => [kind, shape(schemas[`${prefix}.${kind}`] ?? {})]));
      };
      await t.request("GET", "/openapi/v3/api/v1", undefined, { show });
    },
  },
  {
    name: "OpenAPI v2 describes a custom resource too",
    answers: [200],
    async run(t) {
      const definition = ({ definitions }: JsonObject) => (definitions as Record<string, JsonObject>)[SCHEMA];
      await t.eventually("/openapi/v2", ({ body }) => definition(body) !== undefined, {
        show: (body) => withoutProse(definition(body)),
      });
    },
  },
];

/** A schema without the server's own descriptions of what every kind has: its prose promises nothing. */
function withoutProse(schema: JsonObject | undefined): JsonObject | undefined {
  if (schema === undefined) return undefined;
  const properties = { ...(schema.properties as Record<string, JsonObject>) };
  for (const name of ["apiVersion", "kind", "metadata"]) {
    const { description: _, ...rest } = properties[name] ?? {};
    properties[name] = rest;
  }
  return { ...schema, properties };
}

/** Schemas without prose, and without the zero values that Go's own types put there as defaults. */
function withoutZeroes(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const isZero = (child: unknown) => child === "" || JSON.stringify(child) === "{}";
  const kept = Object.entries(value).filter(
    ([name, child]) => !(name === "description" && typeof child === "string") && !(name === "default" && isZero(child)),
  );
  return Object.fromEntries(kept.map(([name, child]) => [name, withoutZeroes(child)]));
}
