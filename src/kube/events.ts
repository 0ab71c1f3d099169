// SPDX-License-Identifier: Apache-2.0
import { createHash } from "node:crypto";
import type { Client } from "./client/types.ts";
import { systemClock } from "./clock.ts";
import { type Event, event as eventKind, type ObjectReference } from "./core.ts";
import { isAlreadyExists, isNotFound } from "./errors.ts";
import { createEventBudget } from "./event-budget.ts";
import { cutNote, eventBaseName } from "./event-text.ts";
import { microTime } from "./manager/lease-record.ts";
import { createSimilarEvents } from "./similar-events.ts";
import type { Clock, KubeObject, Random } from "./types.ts";

/** What happened. */
export interface EventNews {
  readonly type: "Normal" | "Warning";
  /** CamelCase, why. */
  readonly reason: string;
  /** CamelCase, what was done or tried; the reason where it is left out. */
  readonly action?: string;
  /** One plain sentence; cut after 1024 bytes. */
  readonly note: string;
  readonly related?: ObjectReference;
}

/** Who tells, and how. */
export interface EventRecorderOptions {
  readonly client: Client;
  /** Such as `butler.example/machines`. */
  readonly controller: string;
  /** This process, for those who run several. */
  readonly instance: string;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Names events after what they say, so that a second process counts on instead of making its own. */
  readonly hasFixedNames?: boolean;
  /** Called for each event that is not written, with the reason. What it throws is ignored. */
  readonly onDropped?: (why: string) => void;
}

/**
 * Tells users what happened to an object, as `kubectl describe` and `kubectl events` show it. It never fails and never makes its
 * caller wait. The same news about the same object within six minutes are counted on one event, written at once the first two
 * times and every ten seconds from then on. News that differ in their note alone are told one by one nine times; the tenth and
 * all others, until ten minutes were quiet, are counted on one event that says that it is combined. Of different news an object
 * has 25, and one more every five minutes; the rest, and what the server does not take, is dropped and counted.
 */
export interface EventRecorder {
  record(object: KubeObject, news: EventNews): void;
  /** Writes what waits and resolves when nothing is under way, after `limitMs` (10 s) at the latest. Never rejects. */
  flush(options?: { readonly limitMs?: number }): Promise<void>;
  dropped(): number;
}

const SERIES_MS = 6 * 60_000;
const REWRITE_MS = 10_000;
const MOST_SERIES = 4096;
const MOST_WAITING = 1000;
/** How many are written at a time: one after the other they would not keep up with a controller that is busy. */
const LANES = 4;
const FLUSH_MS = 10_000;

/** The words that kubectl's users know. */
const COMBINED = "(combined from similar events): ";

interface Series {
  readonly draft: Event;
  readonly id: string;
  count: number;
  lastAt: number;
  lastTime: string;
  /** How much of the count the server knows; 0 until the event is made. */
  written: number;
  state: "idle" | "queued" | "resting";
  wake: () => void;
}

/** Makes a recorder. Nothing is sent before the first event. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { client, clock = systemClock, random = Math.random, hasFixedNames = false } = options;
  const all = new Map<string, Series>();
  const budget = createEventBudget(clock);
  const similar = createSimilarEvents(clock);
  const waiting: Series[] = [];
  let lanes = 0;
  /** Until nothing is under way. */
  let sending: PromiseWithResolvers<void> | undefined;
  let dropped = 0;
  const drop = (why: string) => {
    dropped += 1;
    try {
      options.onDropped?.(why);
    } catch {}
  };
  const enqueue = (series: Series) => {
    series.state = "queued";
    series.wake = () => {};
    waiting.push(series);
    if (lanes === LANES) return;
    lanes += 1;
    sending ??= Promise.withResolvers();
    void sendOn();
  };
  const sendOn = async () => {
    // The caller goes on first: to record must cost it nothing.
    await Promise.resolve();
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      try {
        await writeSeries(next, client);
        rest(next);
      } catch {
        drop("the server did not take it");
        next.state = "idle";
        all.delete(next.id);
      }
    }
    lanes -= 1;
    if (lanes > 0) return;
    sending?.resolve();
    sending = undefined;
  };
  const rest = (series: Series) => {
    if (series.written === 1 && series.count > 1) return enqueue(series);
    if (series.written < 2) {
      series.state = "idle";
      return;
    }
    series.state = "resting";
    const cancel = clock.after(REWRITE_MS, () => series.wake());
    series.wake = () => {
      cancel();
      series.wake = () => {};
      series.state = "idle";
      if (series.count > series.written) enqueue(series);
    };
  };
  const begin = (draft: Event, id: string) => {
    if (waiting.length >= MOST_WAITING) return drop("too many wait");
    const { uid, name, namespace } = draft.regarding ?? {};
    if (!budget.take(uid ?? `${namespace}/${name}`)) return drop("too many about one object");
    const time = String(draft.eventTime);
    const series: Series = {
      draft,
      id,
      count: 1,
      lastAt: clock.monotonic(),
      lastTime: time,
      written: 0,
      state: "idle",
      wake() {},
    };
    all.set(id, series);
    enqueue(series);
  };
  const forgetOld = () => {
    for (const [id, series] of all) {
      const isOld = clock.monotonic() - series.lastAt >= SERIES_MS || all.size > MOST_SERIES;
      if (!isOld || series.state !== "idle") break;
      all.delete(id);
    }
  };
  return {
    record(object, news) {
      try {
        const time = microTime(Math.floor(clock.now() * 1000));
        const alone = toEvent(object, news, { ...options, time });
        const areMany = similar.areTooMany(idOf({ ...alone, note: "" }), alone.note ?? "");
        const draft = areMany ? { ...alone, note: cutNote(`${COMBINED}${alone.note}`) } : alone;
        // The note of an event cannot be changed: all that are combined have that of the first.
        const id = idOf(areMany ? { ...alone, note: COMBINED } : alone);
        const known = all.get(id);
        const isOver = known === undefined || clock.monotonic() - known.lastAt >= SERIES_MS;
        forgetOld();
        if (isOver) return begin(named(draft, hasFixedNames ? id : undefined, { clock, random }), id);
        known.count += 1;
        known.lastAt = clock.monotonic();
        known.lastTime = time;
        // The newest go last, so that the oldest are found first.
        all.delete(id);
        all.set(id, known);
        if (known.state === "idle") enqueue(known);
      } catch {
        drop("it cannot be read");
      }
    },
    async flush({ limitMs = FLUSH_MS } = {}) {
      for (const series of all.values()) series.wake();
      const over = Promise.withResolvers<"over">();
      const cancel = clock.after(limitMs, () => over.resolve("over"));
      while (sending !== undefined) if ((await Promise.race([sending.promise, over.promise])) === "over") return;
      cancel();
      for (const series of all.values()) series.wake();
    },
    dropped: () => dropped,
  };
}

async function writeSeries(series: Series, client: Client): Promise<void> {
  const { draft, count, lastTime } = series;
  const { name = "", namespace = "" } = draft.metadata;
  if (series.written === 0) {
    try {
      await client.create(eventKind, draft);
      series.written = 1;
      return;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const there = await client.get(eventKind, { namespace, name });
      series.count += there.series?.count ?? 1;
      return writeCount(series, client);
    }
  }
  if (count > series.written) await writeCount(series, client, lastTime);
}

async function writeCount(series: Series, client: Client, lastTime = series.lastTime): Promise<void> {
  const { name = "", namespace = "" } = series.draft.metadata;
  const { count } = series;
  try {
    await client.mergePatch(eventKind, { namespace, name }, { series: { count, lastObservedTime: lastTime } });
  } catch (error) {
    // Servers forget events after an hour.
    if (!isNotFound(error)) throw error;
    await client.create(eventKind, { ...series.draft, series: { count, lastObservedTime: lastTime } });
  }
  series.written = count;
}

function toEvent(
  object: KubeObject,
  news: EventNews,
  { controller, instance, time }: EventRecorderOptions & { time: string },
): Event {
  const { name = "", namespace, uid, resourceVersion } = object.metadata;
  const { type, reason, action = reason, note, related } = news;
  return {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    // Events about objects outside of namespaces are kept where everybody looks for them.
    metadata: { name, namespace: namespace ?? "default" },
    eventTime: time,
    reportingController: controller,
    reportingInstance: instance,
    action,
    reason,
    regarding: {
      apiVersion: object.apiVersion,
      kind: object.kind,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    ...(related === undefined ? {} : { related }),
    note: cutNote(note),
    type,
  };
}

/** The same for the same news about the same object. */
function idOf({ regarding, type, reason, action, note, related, reportingController }: Event): string {
  const { resourceVersion: _version, ...object } = regarding ?? {};
  const text = JSON.stringify([object, type, reason, action, note, related, reportingController]);
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

function named(event: Event, fixed: string | undefined, { clock, random }: { clock: Clock; random: Random }): Event {
  const fresh = () =>
    `${Math.floor(clock.now()).toString(16)}${Math.floor(random() * 2 ** 24)
      .toString(16)
      .padStart(6, "0")}`;
  const base = eventBaseName(event.metadata.name ?? "");
  return { ...event, metadata: { ...event.metadata, name: `${base}.${fixed ?? fresh()}` } };
}
