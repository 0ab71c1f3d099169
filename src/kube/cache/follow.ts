// SPDX-License-Identifier: Apache-2.0
import { sleep } from "../clock.ts";
import { ApiError, isGone } from "../errors.ts";
import { backoffMs } from "../queue/backoff.ts";
import type { Clock, KubeObject, Random } from "../types.ts";
import type { Entry } from "./collection.ts";
import { createDoubts, type Doubts } from "./history.ts";
import { keyOf, keyText } from "./key-text.ts";
import { adopt, CacheDisorderError, createGathering, type Following, take } from "./take-over.ts";
import { isOlder } from "./versions.ts";
import { createWatchdog } from "./watchdog.ts";

/** Servers send a bookmark about once a minute, the first of a watch on which nothing happens only after about two. */
const BOOKMARK_EVERY_MS = 60_000;
const SILENCE = { firstMs: 3 * BOOKMARK_EVERY_MS, limitMs: 2 * BOOKMARK_EVERY_MS };

/** Watches are ended by the server after five to ten minutes, so that load spreads again over servers that came back. */
const SHORTEST_WATCH_S = 300;

/** After a watch that lived for less there is a pause, or a server that ends all watches is asked in a loop. */
const SHORT_LIFE_MS = 5_000;

const BACKOFF = { baseMs: 200, maxMs: 30_000 };

/** Whoever asks for more is asked again all the same: one bad header must not stop a cache for a day. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/** Refusals of a request that asks for initial events, from servers that know of none. */
const NOT_OFFERED = new Set([400, 405, 406, 415, 422, 501]);

/** A watch on which even the bookmarks failed to come. */
export class SilentWatchError extends Error {
  override readonly name = "SilentWatchError";
  /** False where none ever came: it may be that nothing happened and the server sends none. */
  readonly hadBookmark: boolean;

  constructor(message: string, hadBookmark: boolean) {
    super(message);
    this.hadBookmark = hadBookmark;
  }
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
  const doubts = createDoubts(clock);
  const plan: Plan = { mustList: true, streams: following.streamsLists, pagesOnce: false, failures: 0 };
  while (!signal.aborted) {
    const startedAt = clock.monotonic();
    const before = collection.position;
    const isStreaming = plan.mustList && plan.streams && !plan.pagesOnce;
    const progress = { hasListed: false };
    let problem: unknown;
    try {
      if (plan.mustList && !isStreaming) {
        await readPages(following, doubts, signal);
        progress.hasListed = true;
      }
      await watchOnce(following, { gathers: isStreaming, progress, doubts, signal });
    } catch (error) {
      if (signal.aborted) return;
      problem = error;
      onProblem(error);
    }
    const hasMoved = collection.position !== before;
    const lifeMs = clock.monotonic() - startedAt;
    if (learn(plan, { isStreaming, ...progress, hasMoved, lifeMs, problem }) === "at once") continue;
    if (!plan.mustList && isSuspect(problem)) plan.mustList = await hasGoneBack(following, signal);
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
  if (lifeMs >= SHORT_LIFE_MS && problem === undefined) return "at once";
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
  const asked = problem instanceof ApiError ? Math.min(problem.retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS) : 0;
  try {
    await sleep(clock, Math.max(asked * (1 + random() / 5), backoffMs(failures, BACKOFF, random)), signal);
  } catch {}
}

/** Reads the whole list, which the server takes at one moment however many pages it has. */
async function readPages<T extends KubeObject>(
  following: Following<T>,
  doubts: Doubts,
  signal: AbortSignal,
): Promise<void> {
  const { client, kind, scope, collection } = following;
  let entries = new Map<string, Entry<T>>();
  let version = "";
  for await (const page of client.pages(kind, { ...scope, signal })) {
    if (page.isRestart) entries = new Map();
    for (const object of page.items) entries.set(keyText(keyOf(object)), collection.toEntry(object));
    version = page.resourceVersion;
  }
  adopt(following, doubts, { entries, version });
}

/** Servers are silent, or say that it is too large, when they are asked for what comes after a version that they do not have yet. */
function isSuspect(problem: unknown): boolean {
  if (problem instanceof SilentWatchError) return true;
  return problem instanceof ApiError && problem.causes.some(({ reason }) => reason === "ResourceVersionTooLarge");
}

/** Whether the server's versions are behind what was seen. */
async function hasGoneBack<T extends KubeObject>(following: Following<T>, signal: AbortSignal): Promise<boolean> {
  const { client, kind, scope, collection } = following;
  try {
    for await (const { resourceVersion } of client.pages(kind, { ...scope, limit: 1, metadataOnly: true, signal }))
      return collection.position !== undefined && isOlder(resourceVersion, collection.position);
  } catch {
    // It fails like everything else at the moment, which was told already.
  }
  return false;
}

interface OneWatch {
  /** Whether all objects are asked for first. */
  readonly gathers: boolean;
  readonly progress: { hasListed: boolean };
  readonly doubts: Doubts;
  readonly signal: AbortSignal;
}

async function watchOnce<T extends KubeObject>(
  following: Following<T>,
  { gathers, progress, doubts, signal }: OneWatch,
): Promise<void> {
  const { client, kind, scope, collection, clock, random } = following;
  const ended = new AbortController();
  const onAbort = () => ended.abort(signal.reason);
  if (signal.aborted) return;
  signal.addEventListener("abort", onAbort, { once: true });
  const watchdog = createWatchdog(clock, SILENCE, () =>
    ended.abort(new SilentWatchError(`watch ${kind.plural}: not even a bookmark was heard`, watchdog.hasBookmark)),
  );
  const from = gathers ? { sendInitialEvents: true } : { resourceVersion: collection.position ?? "" };
  const timeoutSeconds = Math.round(SHORTEST_WATCH_S * (1 + random()));
  const gathering = gathers ? createGathering(following, doubts) : undefined;
  try {
    for await (const event of client.watch(kind, { ...scope, ...from, timeoutSeconds, signal: ended.signal })) {
      watchdog.heard();
      if (event.type === "BOOKMARK" && !event.endsInitialEvents) watchdog.bookmarked();
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
