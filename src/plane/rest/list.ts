// SPDX-License-Identifier: Apache-2.0
import { storagePrefix } from "../registry.ts";
import { badRequest, expired, tooLargeResourceVersion } from "../status-error.ts";
import type { Entry, ResourceType, Store } from "../types.ts";
import { continueExpired, decodeContinue, encodeContinue } from "./continue-token.ts";
import { type ListOptions, parseRevision } from "./list-options.ts";
import { selection } from "./selection.ts";
import { type Shown, shown } from "./view.ts";

/** One page of a list. */
export interface Page {
  readonly items: readonly Shown[];
  readonly revision: number;
  /** For the next page; undefined on the last one. */
  readonly continueText: string | undefined;
  /** How many are behind this page, where that is known without looking. */
  readonly remaining: number | undefined;
}

/** The keys that a list of a type goes through: one namespace or, with an empty one, all. */
export function listPrefix(type: ResourceType, namespace: string, { fields }: Pick<ListOptions, "fields">): string {
  const within = namespace === "" && type.namespaced ? (fields?.exactly("metadata.namespace") ?? "") : namespace;
  if (!type.namespaced) return `${storagePrefix(type)}/`;
  return within === "" ? storagePrefix(type) : `${storagePrefix(type)}${within}/`;
}

/** Lists what is asked for, at the revision that is asked for. All pages of one list show the same moment. */
export function listPage(store: Store, type: ResourceType, namespace: string, options: ListOptions): Page {
  const prefix = listPrefix(type, namespace, options);
  const { entries, revision } = snapshot(store, prefix, options);
  const { limit, selects, maySelect = () => true } = options;
  const isSelected = selection(options);
  if (limit === undefined) {
    const items = entries.flatMap((entry) => {
      if (!maySelect(entry.json)) return [];
      const view = shown(type, entry);
      return isSelected(entry, view) ? [view] : [];
    });
    return { items, revision, continueText: undefined, remaining: undefined };
  }
  const items: Shown[] = [];
  let at = 0;
  for (; at < entries.length && items.length < limit; at++) {
    const entry = entries[at];
    if (entry === undefined) break;
    if (!maySelect(entry.json)) continue;
    const view = shown(type, entry);
    if (isSelected(entry, view)) items.push(view);
  }
  const last = entries[at - 1];
  if (last === undefined || at >= entries.length)
    return { items, revision, continueText: undefined, remaining: undefined };
  const continueText = encodeContinue({ revision, start: `${last.key.slice(prefix.length)}\0` });
  return { items, revision, continueText, remaining: selects === undefined ? entries.length - at : undefined };
}

interface Snapshot {
  readonly entries: readonly Entry[];
  readonly revision: number;
}

function snapshot(store: Store, prefix: string, options: ListOptions): Snapshot {
  const { continueText, resourceVersion, resourceVersionMatch, limit } = options;
  if (continueText !== "") return continued(store, prefix, options);
  const asked = parseRevision(resourceVersion);
  if (asked !== undefined && asked > store.revision) throw tooLargeResourceVersion(resourceVersion, store.revision);
  // Before there was resourceVersionMatch, a limit meant exactly that revision; it still does.
  const isExact = resourceVersionMatch === "Exact" || (resourceVersionMatch === "" && limit !== undefined);
  if (asked === undefined || !isExact) return { entries: store.list(prefix), revision: store.revision };
  const entries = store.listAt(prefix, asked);
  if (entries === undefined) throw expired("The resourceVersion for the provided list is too old.");
  return { entries, revision: asked };
}

function continued(store: Store, prefix: string, { continueText, resourceVersion }: ListOptions): Snapshot {
  const token = decodeContinue(continueText);
  if (resourceVersion !== "" && resourceVersion !== "0")
    throw badRequest("specifying resource version is not allowed when using continue");
  const revision = token.revision < 0 ? store.revision : token.revision;
  const all =
    token.revision < 0 ? store.list(prefix) : revision > store.revision ? undefined : store.listAt(prefix, revision);
  if (all === undefined) throw continueExpired(token);
  return { entries: all.slice(firstAtOrAfter(all, prefix + token.start)), revision };
}

/** The index of the first entry that has the key or one behind it. Entries are in key order. */
export function firstAtOrAfter(entries: readonly Entry[], key: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.key ?? "") < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
