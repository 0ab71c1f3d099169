// SPDX-License-Identifier: Apache-2.0
import { createHash } from "node:crypto";
import type { Registry } from "../registry.ts";
import type { ResourceType } from "../types.ts";
import { documentV2, documentV3, type GroupVersion } from "./document.ts";

/** A document as text, and the hash of that text. */
export interface OpenApiDocument {
  readonly json: string;
  readonly hash: string;
}

interface Kept {
  readonly types: readonly ResourceType[];
  readonly versionCount: number;
  readonly document: OpenApiDocument;
}

interface Documents {
  generation: number;
  index: string | undefined;
  v2: OpenApiDocument | undefined;
  /** By path, such as `api/v1`; each stays as long as its types do. */
  readonly v3: Map<string, Kept>;
}

const kept = new WeakMap<Registry, Documents>();

/** The index of `/openapi/v3`: where each group version's document is, with its hash. JSON text. */
export function openApiV3Index(registry: Registry): string {
  const documents = documentsOf(registry);
  documents.index ??= JSON.stringify({
    paths: Object.fromEntries(
      groupVersions(registry).map((groupVersion) => {
        const path = pathOf(groupVersion);
        const { hash } = documentV3Of(registry, groupVersion);
        return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }];
      }),
    ),
  });
  return documents.index;
}

/** The document of a group version by its path below `/openapi/v3/`, such as `apis/apps/v1`. Undefined where none is served. */
export function openApiV3(registry: Registry, path: string): OpenApiDocument | undefined {
  const groupVersion = groupVersions(registry).find((one) => pathOf(one) === path);
  return groupVersion === undefined ? undefined : documentV3Of(registry, groupVersion);
}

/** The document of `/openapi/v2`: everything in one. */
export function openApiV2(registry: Registry): OpenApiDocument {
  const documents = documentsOf(registry);
  documents.v2 ??= hashed(documentV2(registry.all(), groupVersions(registry)));
  return documents.v2;
}

function documentsOf(registry: Registry): Documents {
  const { generation } = registry;
  const known = kept.get(registry);
  if (known?.generation === generation) return known;
  const documents = { generation, index: undefined, v2: undefined, v3: known?.v3 ?? new Map<string, Kept>() };
  kept.set(registry, documents);
  return documents;
}

function documentV3Of(registry: Registry, groupVersion: GroupVersion): OpenApiDocument {
  const { v3 } = documentsOf(registry);
  const path = pathOf(groupVersion);
  const versions = groupVersions(registry);
  const { group, version } = groupVersion;
  const types = registry.all().filter((type) => type.group === group && type.version === version);
  const known = v3.get(path);
  const isSame =
    known?.versionCount === versions.length &&
    known.types.length === types.length &&
    known.types.every((type, at) => type === types[at]);
  if (known !== undefined && isSame) return known.document;
  const document = hashed(documentV3(types, versions));
  v3.set(path, { types, versionCount: versions.length, document });
  return document;
}

function groupVersions(registry: Registry): GroupVersion[] {
  return registry.groups().flatMap(({ name, versions }) => versions.map((version) => ({ group: name, version })));
}

function pathOf({ group, version }: GroupVersion): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`;
}

function hashed(document: object): OpenApiDocument {
  const json = JSON.stringify(document);
  return { json, hash: createHash("sha512").update(json).digest("hex").toUpperCase() };
}
