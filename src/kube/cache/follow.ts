// SPDX-License-Identifier: Apache-2.0
import type { Client } from "../client/types.ts";
import { sleep } from "../clock.ts";
import { ApiError, isGone } from "../errors.ts";
import { backoffMs } from "../queue/backoff.ts";
import type { Clock, KindDescriptor, KubeObject, Random, WatchEvent } from "../types.ts";
import type { Collection, Entry } from "./collection.ts";
import { keyOf, keyText } from "./key-text.ts";
import { isOlder } from "./versions.ts";
import { createWatchdog } from "./watchdog.ts";

/** Servers send a bookmark about once a minute. */
const BOOKMARK_EVERY_MS = 60_000;
const SILENCE_MS = 2 * BOOKMARK_EVERY_MS;

/** Watches are ended by the server after five to ten minutes, so that load spreads again over servers that came back. */
const SHORTEST_WATCH_S = 300;

/** A watch that lived for less and brought nothing is taken for a failure, or a server that ends all watches is asked for ever. */
const SHORT_LIFE_MS = 5_000;

const BACKOFF = { baseMs: 200, maxMs: 30_000 };

/** Refusals of a request that asks for initial events, from servers that know of none. */
const NOT_OFFERED = new Set([400, 405, 406, 415, 422, 501]);

/** What is followed, and who is told. */
export interface Following<T extends KubeObject> {
  readonly client: Client;
  readonly kind: KindDescriptor<T>;
  readonly scope: Scope;
  readonly collection: Collection<T>;
  readonly clock: Clock;
  readonly random: Random;
  /** Where false, lists are always read page by page. */
  readonly streamsLists: boolean;
  /** The server said something that is now in the collection, or that nothing has changed. */
  readonly onHeard: (what: "event" | "bookmark" | "list") => void;
  readonly onProblem: (error: unknown) => void;
}

/** Which objects of the kind. */
export interface Scope {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** The server's answers contradict each other or what was known. What is known stays; the server is asked again. */
export class CacheDisorderError extends Error {
  override readonly name = "CacheDisorderError";
}

/** A watch on which even the bookmarks failed to come. */
export class SilentWatchError extends Error {
  override readonly name = "SilentWatchError";
}

/** What to do next. */
interface Plan {
  mustList: boolean;
  /** Whether the server is thought to offer lists as streams. */
  streams: boolean;
  /** The last stream failed: the next list is read page by page, in case something on the way does not let streams through. */
  pagesOnce: boolean;
  /** In a row. */
  failures: number;
}

/** One try, from its beginning to its end. */
interface Try {
  readonly isStreaming: boolean;
  readonly hasListed: boolean;
  readonly hasMoved: boolean;
  readonly lifeMs: number;
  /** Undefined where the server ended the watch by itself. */
  readonly problem: unknown;
}

/**
 * Keeps the collection equal to what the server has, until the signal is aborted. Never throws: whatever goes wrong is told and
 * tried again, after pauses that grow while nothing works.
 */
export async function follow<T extends KubeObject>(following: Following<T>, signal: AbortSignal): Promise<void> {
  const { collection, clock, random, onProblem } = following;
  const plan: Plan = { mustList: true, streams: following.streamsLists, pagesOnce: false, failures: 0 };
  while (!signal.aborted) {
    const startedAt = clock.monotonic();
    const before = collection.position;
    const isStreaming = plan.mustList && plan.streams && !plan.pagesOnce;
    const progress = { hasListed: false };
    let problem: unknown;
    try {
      if (plan.mustList && !isStreaming) {
        await readPages(following, signal);
        progress.hasListed = true;
      }
      await watchOnce(following, { gathers: isStreaming, progress, signal });
    } catch (error) {
      if (signal.aborted) return;
      problem = error;
      onProblem(error);
    }
    const hasMoved = collection.position !== before;
    const lifeMs = clock.monotonic() - startedAt;
    if (learn(plan, { isStreaming, ...progress, hasMoved, lifeMs, problem }) === "at once") continue;
    await pause(clock, { failures: plan.failures, problem, random, signal });
  }
}

/** Changes the plan after a try, and says when the next one may begin. */
function learn(plan: Plan, { isStreaming, hasListed, hasMoved, lifeMs, problem }: Try): "at once" | "after a pause" {
  if (hasListed) plan.mustList = false;
  plan.pagesOnce = plan.mustList && isStreaming;
  if (plan.pagesOnce && problem instanceof ApiError && NOT_OFFERED.has(problem.status)) {
    plan.streams = false;
    return "at once";
  }
  const isUntrusted = isGone(problem) || problem instanceof CacheDisorderError;
  if (isUntrusted) plan.mustList = true;
  const hasWorked = lifeMs >= SHORT_LIFE_MS || (hasMoved && !isUntrusted);
  if (hasWorked) plan.failures = 0;
  if (hasWorked && problem === undefined) return "at once";
  plan.failures += 1;
  return "after a pause";
}

interface Pause {
  readonly failures: number;
  readonly problem: unknown;
  readonly random: Random;
  readonly signal: AbortSignal;
}

async function pause(clock: Clock, { failures, problem, random, signal }: Pause): Promise<void> {
  const asked = problem instanceof ApiError ? (problem.retryAfterMs ?? 0) : 0;
  try {
    await sleep(clock, Math.max(asked, backoffMs(failures, BACKOFF, random)), signal);
  } catch {}
}

/** Reads the whole list, which the server takes at one moment however many pages it has. */
async function readPages<T extends KubeObject>(following: Following<T>, signal: AbortSignal): Promise<void> {
  const { client, kind, scope, collection } = following;
  let entries = new Map<string, Entry<T>>();
  let version = "";
  for await (const page of client.pages(kind, { ...scope, signal })) {
    if (page.isRestart) entries = new Map();
    for (const object of page.items) entries.set(keyText(keyOf(object)), collection.toEntry(object));
    version = page.resourceVersion;
  }
  adopt(following, entries, version);
}

function adopt<T extends KubeObject>(
  { collection, kind, onHeard }: Following<T>,
  entries: Map<string, Entry<T>>,
  version: string,
): void {
  if (!collection.replace(entries, version))
    throw new CacheDisorderError(
      `list ${kind.plural}: the server answered as of ${version}, but ${collection.position} was seen already`,
    );
  onHeard("list");
}

interface OneWatch {
  /** Whether all objects are asked for first. */
  readonly gathers: boolean;
  readonly progress: { hasListed: boolean };
  readonly signal: AbortSignal;
}

async function watchOnce<T extends KubeObject>(
  following: Following<T>,
  { gathers, progress, signal }: OneWatch,
): Promise<void> {
  const { client, kind, scope, collection, clock, random } = following;
  const ended = new AbortController();
  const onAbort = () => ended.abort(signal.reason);
  if (signal.aborted) return;
  signal.addEventListener("abort", onAbort, { once: true });
  const watchdog = createWatchdog(clock, SILENCE_MS, () =>
    ended.abort(new SilentWatchError(`watch ${kind.plural}: nothing was heard for ${SILENCE_MS / 1000} s`)),
  );
  const from = gathers ? { sendInitialEvents: true } : { resourceVersion: collection.position ?? "" };
  const timeoutSeconds = Math.round(SHORTEST_WATCH_S * (1 + random()));
  const gathering = gathers ? createGathering(following) : undefined;
  try {
    for await (const event of client.watch(kind, { ...scope, ...from, timeoutSeconds, signal: ended.signal })) {
      watchdog.heard();
      if (gathering === undefined || progress.hasListed) take(following, event);
      else if (gathering.take(event)) progress.hasListed = true;
    }
  } finally {
    watchdog.stop();
    signal.removeEventListener("abort", onAbort);
  }
  if (gathering !== undefined && !progress.hasListed)
    throw new CacheDisorderError(`watch ${kind.plural}: the server ended the watch before all objects were sent`);
}

/** Takes one event of a watch whose beginning is known. */
function take<T extends KubeObject>({ collection, kind, onHeard }: Following<T>, event: WatchEvent<T>): void {
  if (event.type === "BOOKMARK") {
    collection.advance(event.resourceVersion);
    onHeard("bookmark");
    return;
  }
  if (collection.apply(event.type, event.object) === "disorder")
    throw new CacheDisorderError(
      `watch ${kind.plural}: ${event.object.metadata.resourceVersion} came after ${collection.position}`,
    );
  onHeard("event");
}

/** Collects the objects that a watch begins with. They come in any order, and changes may come among them. */
function createGathering<T extends KubeObject>(following: Following<T>) {
  const { collection } = following;
  const entries = new Map<string, Entry<T>>();
  const gone = new Map<string, string>();
  return {
    /** Whether this was the last one, and the list is adopted. */
    take(event: WatchEvent<T>): boolean {
      if (event.type === "BOOKMARK") {
        if (event.endsInitialEvents) adopt(following, entries, event.resourceVersion);
        return event.endsInitialEvents;
      }
      const key = keyText(keyOf(event.object));
      const { resourceVersion: version = "" } = event.object.metadata;
      const known = entries.get(key)?.version ?? gone.get(key);
      if (known !== undefined && isOlder(version, known)) return false;
      if (event.type === "DELETED") {
        entries.delete(key);
        gone.set(key, version);
      } else {
        entries.set(key, collection.toEntry(event.object));
        gone.delete(key);
      }
      return false;
    },
  };
}
