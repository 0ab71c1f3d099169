// SPDX-License-Identifier: Apache-2.0
import type { ResourceType } from "./types.ts";

/** A group of resources and its versions, the preferred one first. */
export interface ApiGroup {
  readonly name: string;
  readonly versions: readonly string[];
}

/** What the server serves right now. Built-in kinds stay; custom ones come and go with their definitions. */
export interface Registry {
  find(group: string, version: string, plural: string): ResourceType | undefined;
  /** The type in its group's preferred version, or the version asked for. */
  findKind(group: string, kind: string, version?: string): ResourceType | undefined;
  /** Every type in every version. */
  all(): readonly ResourceType[];
  /** Each resource once, in the version it is stored in or else the preferred one: for whoever goes through all objects. */
  resources(): readonly ResourceType[];
  groups(): readonly ApiGroup[];
  /** Grows with every change, so that what is derived can be kept until then. */
  readonly generation: number;
  /** Replaces all custom types. */
  setCustomTypes(types: readonly ResourceType[]): void;
  /** Called after each change. Returns how to stop. */
  subscribe(listener: () => void): () => void;
}

/** Makes a registry of the built-in types. */
export function createRegistry(builtIn: readonly ResourceType[]): Registry {
  let types: readonly ResourceType[] = [];
  let byPath = new Map<string, ResourceType>();
  let byKind = new Map<string, ResourceType>();
  let groups: readonly ApiGroup[] = [];
  let generation = 0;
  const listeners = new Set<() => void>();

  const set = (custom: readonly ResourceType[]) => {
    types = [...builtIn, ...custom];
    byPath = new Map(types.map((type) => [pathKey(type.group, type.version, type.plural), type]));
    groups = groupsOf(types);
    byKind = new Map();
    const order = new Map(groups.map(({ name, versions }) => [name, versions]));
    const preferredFirst = [...types].sort((one, other) => rank(order, one) - rank(order, other));
    for (const type of preferredFirst) {
      const key = `${type.group}/${type.kind}`;
      if (!byKind.has(key)) byKind.set(key, type);
      byKind.set(`${key}/${type.version}`, type);
    }
    generation += 1;
    for (const listener of listeners) listener();
  };
  set([]);

  return {
    find: (group, version, plural) => byPath.get(pathKey(group, version, plural)),
    findKind: (group, kind, version) => byKind.get(`${group}/${kind}${version === undefined ? "" : `/${version}`}`),
    all: () => types,
    resources: () => {
      const stored = types.filter((type) => type.isVirtual !== true);
      const first = new Map<string, ResourceType>();
      for (const type of stored) {
        const key = storagePrefix(type);
        const isOwn = type.storage === undefined || type.storage.group === type.group;
        if (!first.has(key) || (isOwn && first.get(key)?.group !== type.group)) first.set(key, type);
      }
      return [...first.values()];
    },
    groups: () => groups,
    get generation() {
      return generation;
    },
    setCustomTypes: set,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function pathKey(group: string, version: string, plural: string): string {
  return `${group}/${version}/${plural}`;
}

function rank(order: ReadonlyMap<string, readonly string[]>, { group, version }: ResourceType): number {
  return order.get(group)?.indexOf(version) ?? 0;
}

function groupsOf(types: readonly ResourceType[]): ApiGroup[] {
  const versions = new Map<string, Set<string>>();
  for (const { group, version } of types) {
    const known = versions.get(group) ?? new Set();
    versions.set(group, known.add(version));
  }
  return [...versions].map(([name, set]) => ({ name, versions: [...set].sort(compareVersions) }));
}

/** Kubernetes' order of versions: v2, v1, v1beta2, v1beta1, v1alpha1, then the rest by name. */
export function compareVersions(one: string, other: string): number {
  const left = parseVersion(one);
  const right = parseVersion(other);
  if (left === undefined && right === undefined) return one < other ? -1 : one > other ? 1 : 0;
  if (left === undefined) return 1;
  if (right === undefined) return -1;
  return right.stability - left.stability || right.major - left.major || right.minor - left.minor;
}

function parseVersion(version: string): { stability: number; major: number; minor: number } | undefined {
  const match = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/.exec(version);
  if (match === null) return undefined;
  const stability = match[2] === undefined ? 2 : match[2] === "beta" ? 1 : 0;
  return { stability, major: Number(match[1]), minor: Number(match[3] ?? 0) };
}

/** Below which keys the objects of a type are kept. */
export function storagePrefix({ group, plural, storage }: ResourceType): string {
  return `${storage?.group ?? group}/${storage?.plural ?? plural}/`;
}

/** Whether an object can have this name at all: the store keeps no others, so there is none to be found. */
export function isStorable(name: string): boolean {
  return name.isWellFormed() && !/[/\0]/.test(name);
}

/** The key of one object of a type. */
export function storageKey(type: ResourceType, namespace: string, name: string): string {
  return `${storagePrefix(type)}${namespace}/${name}`;
}
