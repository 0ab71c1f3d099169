// SPDX-License-Identifier: Apache-2.0
import { backoffMs, type Clock, type Random, sleep } from "../kube/index.ts";
import type { Calls } from "./outside-call.ts";
import type { MachineHave, Machines, Mark } from "./provider.ts";
import { ProviderError } from "./provider-error.ts";
import { createPicture, type Shown } from "./sighting-picture.ts";

/** Why nothing is seen at the moment. */
export interface Blindness {
  readonly error: ProviderError;
  /** Looks that failed in a row. */
  readonly looks: number;
}

/**
 * What stands on one infrastructure with the mark of this installation, kept up to date by one watch, or by one list per tick however
 * many machines there are. It is a picture, not a proof: absence is believed only after a direct look.
 */
export interface Sightings {
  /** Begins to look. May be repeated. */
  start(): void;
  /** Ends looking; resolves when nothing is under way. Never rejects. */
  stop(): Promise<void>;
  /** Whether everything that is there has been told once. */
  readonly isComplete: boolean;
  /** Whether changes are told as they happen, and can be seen at the moment. */
  readonly isTold: boolean;
  /** The machine of this id and owner as it was last seen. */
  get(mark: Pick<Mark, "machineId" | "owner">): MachineHave | undefined;
  /** Every machine, and whatever remains of some. */
  list(): readonly MachineHave[];
  /** Those whose mark names this MachineRequest, as `namespace/name`, whatever their machine id is. */
  ofOwner(owner: string): readonly MachineHave[];
  /** Set after the first look in a row that failed. */
  readonly blindness: Blindness | undefined;
  /** How much was told so far: to be kept when a direct call begins, for `note` and `forget`. */
  readonly told: number;
  /** Puts what a direct call has shown into the picture, so that nobody has to look again for it; not what is older than the picture. */
  note(have: MachineHave, shown: Shown): void;
  /** Takes out what a direct look has not found, unless it was told of since that look began. */
  forget(mark: Pick<Mark, "machineId" | "owner">, shown: Shown): void;
  /** Whether a change of this machine is waited for: looks come at most 10 s apart while there is one. */
  await(machineId: string, isAwaited: boolean): void;
}

/** What sightings are made of. */
export interface SightingsOptions {
  readonly machines: Pick<Machines, "list" | "watch">;
  readonly calls: Pick<Calls, "run" | "open">;
  readonly clock: Clock;
  readonly random: Random;
  /** See `Provider`. */
  readonly visibilityLagMs: number;
  readonly callLimitMs: number;
  readonly watchLastsMs: number;
  /**
   * Told of every change, with the owner of the machine as `namespace/name`; with undefined where everybody should look again: the
   * first whole picture is there, nothing can be seen any more, or it can again. `isDetail` where only the name of its state differs.
   */
  readonly onChange: (owner: string | undefined, isDetail: boolean) => void;
}

/** Looks that must fail in a row until what was seen before counts no more. */
export const BLIND_AFTER_LOOKS = 3;

const SOON_MS = 10_000;
const QUIET_MS = 120_000;
const FIRST_PAUSE_MS = 1_000;
const FURTHER_PAUSES = { baseMs: 10_000, maxMs: 60_000 };

/** Makes sightings that have seen nothing yet. */
export function createSightings(options: SightingsOptions): Sightings {
  const { machines, calls, clock, random, visibilityLagMs, callLimitMs, watchLastsMs, onChange } = options;
  const picture = createPicture({ clock, visibilityLagMs, onChange });
  const awaited = new Set<string>();
  const stopped = new AbortController();
  let running: Promise<void> | undefined;
  let wake = () => {};
  let cancelWake = () => {};
  let isComplete = false;
  let blindness: Blindness | undefined;

  const succeeded = () => {
    const wasBlind = blindness !== undefined && blindness.looks >= BLIND_AFTER_LOOKS;
    blindness = undefined;
    const isFirst = !isComplete;
    isComplete = true;
    if (isFirst || wasBlind) onChange(undefined, false);
  };
  const failed = (thrown: unknown) => {
    const looks = (blindness?.looks ?? 0) + 1;
    blindness = { error: toProviderError(thrown), looks };
    // Whoever waits for the first look hears at once that it has failed.
    if (looks === BLIND_AFTER_LOOKS || (looks === 1 && !isComplete)) onChange(undefined, false);
  };
  const pause = async (ms: number) => {
    const woken = new AbortController();
    wake = () => woken.abort();
    await sleep(clock, ms, AbortSignal.any([stopped.signal, woken.signal])).catch(() => {});
    wake = () => {};
  };
  const pauseAfterFailure = () => {
    const { looks = 1, error } = blindness ?? {};
    const ms = looks === 1 ? FIRST_PAUSE_MS : backoffMs(looks - 1, FURTHER_PAUSES, random);
    // Nobody hurries an infrastructure that does not answer.
    return sleep(clock, Math.max(ms, error?.retryAfterMs ?? 0), stopped.signal).catch(() => {});
  };
  const look = async () => {
    const startedAt = clock.monotonic();
    const call = { what: "list machines", signal: stopped.signal, limitMs: callLimitMs };
    const all = await calls.run(call, (each) => machines.list(each));
    const turn = picture.begin(startedAt);
    for (const have of all) turn.tell(have);
    turn.end();
    succeeded();
  };
  const lookAgainAndAgain = async () => {
    for (let quiet = 0; !stopped.signal.aborted; ) {
      try {
        await look();
        quiet = awaited.size > 0 ? 0 : quiet + 1;
        // Half of it is left to chance, so that many ProviderConfigs do not look at the same moment.
        await pause(Math.min(SOON_MS * 2 ** quiet, QUIET_MS) * (0.5 + random() / 2));
      } catch (error) {
        if (stopped.signal.aborted) return;
        failed(error);
        await pauseAfterFailure();
      }
    }
  };
  const watchOnce = async (watch: NonNullable<Machines["watch"]>) => {
    const ended = new AbortController();
    const cancelEnd = clock.after(watchLastsMs * (0.5 + random() / 2), () => ended.abort());
    const cancelLimit = clock.after(callLimitMs, () => {
      if (isTold) return;
      ended.abort(silentWatch(callLimitMs));
    });
    let isTold = false;
    const turn = picture.begin(clock.monotonic());
    try {
      const signal = AbortSignal.any([stopped.signal, ended.signal]);
      for await (const sighting of untilAborted(watch(calls.open(signal)), signal)) {
        if (sighting.type === "machine") turn.tell(sighting.have);
        else if (sighting.type === "gone") picture.gone(sighting);
        else {
          isTold = true;
          turn.end();
          succeeded();
        }
      }
      // A watch that ends before it has told everything is of no use.
      if (!isTold && !stopped.signal.aborted) throw silentWatch(undefined);
    } catch (error) {
      if (!isTold && !stopped.signal.aborted) throw ended.signal.aborted ? ended.signal.reason : error;
    } finally {
      cancelEnd();
      cancelLimit();
      ended.abort();
    }
  };
  const watchAgainAndAgain = async (watch: NonNullable<Machines["watch"]>) => {
    while (!stopped.signal.aborted) {
      try {
        await watchOnce(watch);
        await pause(FIRST_PAUSE_MS * (0.1 + random() / 10));
      } catch (error) {
        failed(error);
        await pauseAfterFailure();
      }
    }
  };
  return {
    start() {
      const { watch } = machines;
      running ??= watch === undefined ? lookAgainAndAgain() : watchAgainAndAgain((call) => watch.call(machines, call));
    },
    async stop() {
      stopped.abort(new Error("nobody needs this infrastructure any more"));
      cancelWake();
      await running?.catch(() => {});
    },
    get isComplete() {
      return isComplete;
    },
    get isTold() {
      return machines.watch !== undefined && isComplete && blindness === undefined;
    },
    get: picture.get,
    list: picture.list,
    ofOwner: picture.ofOwner,
    get blindness() {
      return blindness;
    },
    get told() {
      return picture.told;
    },
    note: picture.note,
    forget: picture.forget,
    await(machineId, isAwaited) {
      if (!isAwaited) awaited.delete(machineId);
      else if (awaited.size > 0) awaited.add(machineId);
      else {
        awaited.add(machineId);
        if (running === undefined || machines.watch !== undefined || stopped.signal.aborted) return;
        // Out of a long pause into a short one.
        cancelWake();
        cancelWake = clock.after(SOON_MS * (0.2 + random() / 5), () => wake());
      }
    },
  };
}

/** The same, ended by the signal even where the source does not heed it. */
async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let onAbort = () => {};
  const aborted = new Promise<"aborted">((resolve) => {
    onAbort = () => resolve("aborted");
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted]);
      if (next === "aborted" || next.done === true) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    void iterator.return?.()?.catch(() => {});
  }
}

function silentWatch(limitMs: number | undefined): ProviderError {
  const after = limitMs === undefined ? "ended before it had" : `has not within ${Math.round(limitMs / 1000)} s`;
  return new ProviderError({
    kind: "unavailable",
    reason: "WatchFailed",
    message: `watch machines: the infrastructure ${after} told what is there; it is asked again`,
    ...(limitMs === undefined ? {} : { code: "TIMEOUT" }),
  });
}

/** Whatever was thrown, as an error of the seam. */
export function toProviderError(thrown: unknown): ProviderError {
  if (thrown instanceof ProviderError) return thrown;
  return new ProviderError({
    kind: "internal",
    reason: "InternalError",
    message: "internal error",
    cause: thrown,
  });
}
