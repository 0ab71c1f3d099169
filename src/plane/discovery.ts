// SPDX-License-Identifier: Apache-2.0
import { createHash } from "node:crypto";
import type { ApiGroup, Registry } from "./registry.ts";
import { apiVersionOf } from "./rest/admit.ts";
import type { ResourceType } from "./types.ts";

/** The documents that tell clients what is served. Each is kept until what is served changes. */
export interface Discovery {
  /** `/api` */
  coreVersions(serverAddress: string): object;
  /** `/apis` */
  groupList(): object;
  /** `/apis/<group>`; undefined where there is no such group. */
  group(name: string): object | undefined;
  /** `/api/v1` and `/apis/<group>/<version>`. */
  resources(group: string, version: string): object | undefined;
  /** Everything at once: of the core group or of all others. */
  aggregated(isCore: boolean): AggregatedDocument;
}

/** A document and what identifies its contents. */
export interface AggregatedDocument {
  readonly json: string;
  readonly etag: string;
}

/** Discovery of what a registry serves. */
export function createDiscovery(registry: Registry): Discovery {
  const kept = new Map<boolean, { generation: number; document: AggregatedDocument }>();
  const named = () => registry.groups().filter(({ name }) => name !== "");
  return {
    coreVersions: (serverAddress) => ({
      kind: "APIVersions",
      versions: ["v1"],
      serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
    }),
    groupList: () => ({ kind: "APIGroupList", apiVersion: "v1", groups: named().map(groupOf) }),
    group(name) {
      const group = named().find((one) => one.name === name);
      return group === undefined ? undefined : { kind: "APIGroup", apiVersion: "v1", ...groupOf(group) };
    },
    resources(group, version) {
      const types = typesIn(registry, group, version);
      if (types.length === 0) return undefined;
      return {
        kind: "APIResourceList",
        ...(group === "" ? {} : { apiVersion: "v1" }),
        groupVersion: apiVersionOf({ group, version }),
        resources: types.flatMap(resourcesOf),
      };
    },
    aggregated(isCore) {
      const known = kept.get(isCore);
      if (known?.generation === registry.generation) return known.document;
      const groups = registry.groups().filter(({ name }) => (name === "") === isCore);
      const json = JSON.stringify({
        kind: "APIGroupDiscoveryList",
        apiVersion: "apidiscovery.k8s.io/v2",
        metadata: {},
        items: groups.map((group) => groupDiscovery(registry, group)),
      });
      const etag = `"${createHash("sha512").update(json).digest("hex").toUpperCase()}"`;
      kept.set(isCore, { generation: registry.generation, document: { json, etag } });
      return { json, etag };
    },
  };
}

/** Types of one group and version; built-in ones by name, custom ones as their definitions came. */
function typesIn(registry: Registry, group: string, version: string): readonly ResourceType[] {
  const types = registry.all().filter((type) => type.group === group && type.version === version);
  return [...types].sort((one, other) => (one.plural < other.plural ? -1 : 1));
}

function groupOf({ name, versions }: ApiGroup): object {
  const entries = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

interface Subresource {
  readonly name: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly isForeign: boolean;
  readonly verbs: readonly string[];
}

const CHANGE_VERBS = ["get", "patch", "update"];

function subresourcesOf(type: ResourceType): readonly Subresource[] {
  const own = { group: type.group, version: type.version, kind: type.kind };
  const list: Subresource[] = [];
  if (type.hasStatus) list.push({ name: "status", kind: own, isForeign: false, verbs: CHANGE_VERBS });
  if (type.scale !== undefined) {
    const kind = { group: "autoscaling", version: "v1", kind: "Scale" };
    list.push({ name: "scale", kind, isForeign: true, verbs: CHANGE_VERBS });
  }
  for (const { name, verbs, kind } of type.subresources ?? [])
    list.push({ name, kind: kind ?? own, isForeign: kind !== undefined, verbs });
  return type.isCustom ? list : list.sort((one, other) => (one.name < other.name ? -1 : 1));
}

function resourcesOf(type: ResourceType): object[] {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories } = type;
  const main = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(type.isVirtual === true ? {} : { storageVersionHash: storageVersionHash(type) }),
  };
  const below = subresourcesOf(type).map((subresource) => ({
    name: `${plural}/${subresource.name}`,
    singularName: "",
    namespaced,
    ...(subresource.isForeign ? { group: subresource.kind.group, version: subresource.kind.version } : {}),
    kind: subresource.kind.kind,
    verbs: subresource.verbs,
  }));
  return [main, ...below];
}

/** What changes with the version that objects are stored in. */
function storageVersionHash({ group, version, kind }: ResourceType): string {
  return createHash("sha256").update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString("base64");
}

function groupDiscovery(registry: Registry, { name, versions }: ApiGroup): object {
  return {
    metadata: name === "" ? {} : { name },
    versions: versions.map((version) => ({
      version,
      resources: typesIn(registry, name, version).map(resourceDiscovery),
      freshness: "Current",
    })),
  };
}

function resourceDiscovery(type: ResourceType): object {
  const subresources = subresourcesOf(type).map(({ name, kind, isForeign, verbs }) => ({
    subresource: name,
    responseKind: type.isCustom || isForeign ? kind : { group: "", version: "", kind: kind.kind },
    verbs,
  }));
  const { group, version, kind } = type;
  return {
    resource: type.plural,
    responseKind: type.isCustom ? { group, version, kind } : { group: "", version: "", kind },
    scope: type.namespaced ? "Namespaced" : "Cluster",
    singularResource: type.singular,
    verbs: type.verbs,
    ...(type.shortNames.length === 0 ? {} : { shortNames: type.shortNames }),
    ...(type.categories.length === 0 ? {} : { categories: type.categories }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}
