// SPDX-License-Identifier: Apache-2.0
import { badRequest, expired, tooLargeResourceVersion } from "../status-error.ts";
import type { ResourceType, Store } from "../types.ts";
import { firstAtOrAfter, listPrefix } from "./list.ts";
import { type ListOptions, parseRevision } from "./list-options.ts";
import type { Machinery } from "./machinery.ts";
import type { Rendering } from "./render.ts";
import { type Shown, shown } from "./view.ts";
import { createWaker } from "./waker.ts";
import { createEventWriter } from "./watch-events.ts";

/** How many changes are looked at before what was found is handed on, and how much text at most is handed on at once. */
const BATCH = 500;
const MAX_CHUNK_CHARS = 256 * 1024;
const BOOKMARK_EVERY_MS = 60_000;
/** A last bookmark comes this long before a watch ends by its timeout. */
const LAST_BOOKMARK_MS = 2_000;
const DEFAULT_TIMEOUT_MS = 30 * 60_000;

/** What is watched, by whom. */
export interface WatchRequest {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly options: ListOptions;
  readonly rendering: Rendering;
  readonly signal: AbortSignal;
}

/**
 * The events of a watch as JSON lines. A watch is a place in the store's history: it is pulled as fast as its client reads,
 * and holds nothing but that place, also while its initial events are sent: they are read from the history piece by piece. Who falls behind the history is told so by an ERROR event, 410, and the watch ends.
 */
export function watch(machinery: Machinery, request: WatchRequest): AsyncIterable<string> {
  // What is wrong with the request is thrown here and not in the stream.
  if (request.rendering.representation.format === "yaml") throw badRequest("watches are served as JSON only");
  return events(machinery, request, startOf(machinery.store, request));
}

interface Start {
  readonly revision: number;
  /** Whether what is there when the watch begins is told as ADDED. */
  readonly hasInitial: boolean;
  /** Whether a bookmark says that all initial events were sent. */
  readonly marksInitial: boolean;
}

function startOf(store: Store, { options }: WatchRequest): Start {
  const asked = parseRevision(options.resourceVersion, { prefix: "" });
  const { sendsInitialEvents, allowsBookmarks } = options;
  if (sendsInitialEvents !== true) {
    const revision = asked ?? store.revision;
    return { revision, hasInitial: false, marksInitial: false };
  }
  if (asked !== undefined && asked > store.revision)
    throw tooLargeResourceVersion(options.resourceVersion, store.revision);
  return { revision: store.revision, hasInitial: true, marksInitial: allowsBookmarks };
}

async function* events(machinery: Machinery, request: WatchRequest, start: Start): AsyncGenerator<string> {
  const { store, registry, clock } = machinery;
  const { namespace, options, signal } = request;
  const waker = createWaker({ clock, signal, subscribe: [store.subscribe, registry.subscribe] });
  const writer = createEventWriter(request.rendering, clock);
  const prefix = listPrefix(request.type, namespace, options);
  const selects = (view: Shown) => options.selects === undefined || options.selects(view.object);
  const timeoutMs = options.timeoutSeconds === undefined ? DEFAULT_TIMEOUT_MS : options.timeoutSeconds * 1000;
  const endsAt = clock.now() + timeoutMs;
  let bookmarkAt = nextBookmark(clock.now(), endsAt);
  let type: ResourceType | undefined = request.type;
  let cursor = start.revision;
  try {
    const isComplete = !start.hasInitial || (yield* initialEvents(request.type));
    if (isComplete && start.marksInitial) yield writer.bookmark(type, cursor, true);
    while (!signal.aborted) {
      const next = readOn(cursor, type);
      if (next === undefined) {
        yield tooOld();
        return;
      }
      cursor = next.cursor;
      if (next.text !== "") yield next.text;
      if (next.hasMore) continue;
      if (clock.now() >= endsAt) return;
      if (clock.now() >= bookmarkAt) {
        bookmarkAt = nextBookmark(clock.now(), endsAt);
        if (options.allowsBookmarks) yield writer.bookmark(type, cursor, false);
      }
      // A definition may have changed, or be gone: then there is nothing to watch any more.
      type = registry.find(type.group, type.version, type.plural);
      if (type === undefined) return;
      await waker.wait(Math.min(endsAt, bookmarkAt) - clock.now(), () => store.revision > cursor);
    }
  } finally {
    waker.stop();
  }

  function tooOld(): string {
    return writer.error(expired(`too old resource version: ${cursor} (${store.revision})`));
  }
  /** False where the history is forgotten before all of it is read: then there are no changes to be had either. */
  function* initialEvents(ofType: ResourceType): Generator<string, boolean> {
    for (let after: string | undefined = ""; after !== undefined; ) {
      const part = readInitial(after, ofType);
      if (part === undefined) return false;
      after = part.last;
      if (part.text !== "") yield part.text;
    }
    return true;
  }
  /** One write's worth of what was there, behind a key, and the last key of it; undefined once nobody knows any more. */
  function readInitial(after: string, ofType: ResourceType) {
    const entries = store.listAt(prefix, start.revision);
    if (entries === undefined) return undefined;
    let text = "";
    for (let at = after === "" ? 0 : firstAtOrAfter(entries, `${after}\0`); at < entries.length; at++) {
      const entry = entries[at];
      if (entry === undefined) break;
      const view = shown(ofType, entry);
      if (selects(view)) text += writer.initial(ofType, view);
      if (text.length >= MAX_CHUNK_CHARS) return { text, last: entry.key };
    }
    return { text, last: undefined };
  }
  /** One write's worth of events. Nothing of the history is held while the client takes its time with it. */
  function readOn(after: number, ofType: ResourceType) {
    const changes = store.changesAfter(after, BATCH);
    if (changes === undefined) return undefined;
    let text = "";
    for (const change of changes) {
      if (change.entry.key.startsWith(prefix)) text += writer.change(ofType, change, selects);
      if (text.length >= MAX_CHUNK_CHARS) return { text, cursor: change.revision, hasMore: true };
    }
    return { text, cursor: changes.at(-1)?.revision ?? after, hasMore: changes.length === BATCH };
  }
}

function nextBookmark(now: number, endsAt: number): number {
  const last = endsAt - LAST_BOOKMARK_MS;
  if (now + BOOKMARK_EVERY_MS < last) return now + BOOKMARK_EVERY_MS;
  return now < last ? last : Number.POSITIVE_INFINITY;
}
