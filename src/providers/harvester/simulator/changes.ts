// SPDX-License-Identifier: Apache-2.0
import type { AdmissionFunction } from "../../../plane/rest/machinery.ts";
import type { Objects } from "../../../plane/rest/objects.ts";
import type { KubeObject } from "../../../plane/types.ts";
import { type KindName, kind, kinds } from "./kinds.ts";

/** One object that was written, as it is now; undefined once it is gone. */
export interface Change {
  readonly kind: KindName;
  readonly key: string;
  readonly object: KubeObject | undefined;
  readonly previous: KubeObject | undefined;
}

/** Knows every object of the kinds that matter, and tells of each write once it is done. */
export interface Changes {
  /** Sees every write on its way: the last of a plane's admission functions. */
  readonly notice: AdmissionFunction;
  /** What there is of a kind, in the order it came. */
  list(name: KindName): readonly KubeObject[];
  get(name: KindName, key: string): KubeObject | undefined;
  /** How many there are of a kind by some text in them. It is kept up to date: give the same function each time. */
  tally(name: KindName, by: (object: KubeObject) => string): ReadonlyMap<string, number>;
  /** Resolves when everything written so far has been told. */
  told(): Promise<void>;
  /** How many writes were noticed so far. */
  readonly count: number;
}

/** `namespace/name`, or the name alone for what is in no namespace. */
export function keyOf({ metadata: { namespace = "", name = "" } }: KubeObject): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

/** Where a key leads. */
export function placeOf(key: string): { namespace: string; name: string } {
  const slash = key.indexOf("/");
  return slash < 0 ? { namespace: "", name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/**
 * Follows a plane's writes. Admission sees them before they are done; a write that changes nothing comes after them and
 * resolves only once they are, and then it is time to look.
 */
export function followChanges(objects: () => Objects, tell: (change: Change) => void): Changes {
  const names = new Map([...kinds()].map(([name, { group, plural }]) => [`${group}/${plural}`, name]));
  const known = new Map<KindName, Map<string, KubeObject>>();
  const dirty = new Map<string, { readonly kind: KindName; readonly key: string }>();
  const tallies = new Map<KindName, Map<(object: KubeObject) => string, Map<string, number>>>();
  let telling: Promise<void> | undefined;
  let count = 0;

  const tellAll = async () => {
    await Promise.resolve();
    while (dirty.size > 0) {
      await objects().updateObject(kind("namespace"), { namespace: "", name: "default" }, (current) => current);
      const written = [...dirty.values()];
      dirty.clear();
      for (const one of written) look(one);
    }
    telling = undefined;
  };
  const look = ({ kind: name, key }: { readonly kind: KindName; readonly key: string }) => {
    const all = known.get(name) ?? new Map<string, KubeObject>();
    known.set(name, all);
    const previous = all.get(key);
    const object = objects().get(kind(name), placeOf(key));
    if (object === previous) return;
    if (object === undefined) all.delete(key);
    else all.set(key, object);
    for (const [by, counts] of tallies.get(name) ?? []) {
      if (previous !== undefined) add(counts, by(previous), -1);
      if (object !== undefined) add(counts, by(object), 1);
    }
    tell({ kind: name, key, object, previous });
  };

  return {
    notice({ type, namespace, name, dryRun }) {
      const known = names.get(`${type.group}/${type.plural}`);
      if (dryRun || known === undefined || known === "event") return undefined;
      count += 1;
      const key = namespace === "" ? name : `${namespace}/${name}`;
      dirty.set(`${known} ${key}`, { kind: known, key });
      // Whoever waits for this must not be the one who is asked; what fails is the plane stopping.
      telling ??= tellAll().catch(() => {
        telling = undefined;
      });
      return undefined;
    },
    list: (name) => [...(known.get(name)?.values() ?? [])],
    get: (name, key) => known.get(name)?.get(key),
    tally(name, by) {
      const own = tallies.get(name) ?? new Map<(object: KubeObject) => string, Map<string, number>>();
      tallies.set(name, own);
      const kept = own.get(by);
      if (kept !== undefined) return kept;
      const counts = new Map<string, number>();
      own.set(by, counts);
      for (const object of known.get(name)?.values() ?? []) add(counts, by(object), 1);
      return counts;
    },
    async told() {
      while (telling !== undefined) await telling;
    },
    get count() {
      return count;
    },
  };
}

function add(counts: Map<string, number>, text: string, more: number): void {
  counts.set(text, (counts.get(text) ?? 0) + more);
}
