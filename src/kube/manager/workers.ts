// SPDX-License-Identifier: Apache-2.0
import { keyText } from "../cache/key-text.ts";
import type { RunOptions } from "../controller/types.ts";
import type { Clock } from "../types.ts";
import type { Log } from "./log.ts";
import type { ManagedController } from "./types.ts";

/** What running controllers takes. */
export interface WorkersOptions {
  readonly clock: Clock;
  readonly drainMs: number;
  readonly gate: () => void;
  readonly log: Log | undefined;
}

/** When to end. */
export interface Ending {
  /** Ends in peace. */
  readonly end: AbortSignal;
  /** Ends now. */
  readonly atOnce: AbortSignal | undefined;
  /** Rejects when the lease is lost. */
  readonly losing: Promise<never> | undefined;
  /** Called when nothing may start or be written any more, before the lease is given back. */
  close(): void;
}

/** How it ended. */
export interface Ended {
  /** Nothing runs any more, and nobody was in a hurry: somebody else may lead from now on. */
  readonly isCalm: boolean;
  /** The lease was lost, or a controller failed. */
  readonly failure: { readonly error: unknown } | undefined;
}

type How = "in peace" | "at once" | "too late" | { readonly error: unknown };

/** How long work that was told to end at once may take to notice. Its writes are refused in any case. */
const LAST_MS = 2_000;

/** Runs controllers until the end. */
export function createWorkers(controllers: readonly ManagedController[], options: WorkersOptions) {
  const { clock, drainMs, gate, log } = options;
  return {
    /** Resolves when all have ended, or have had their time to. Never rejects. */
    async run({ end, atOnce, losing, close }: Ending): Promise<Ended> {
      const stop = new AbortController();
      const abort = new AbortController();
      const running = controllers.map(async (controller) => {
        await controller.run(stop.signal, { gate, cut: abort.signal, drainMs, ...problems(controller.name, log) });
        if (!stop.signal.aborted) throw new Error(`the controller "${controller.name}" ended by itself`);
      });
      const all = Promise.allSettled(running);
      // Handled below, or too late to matter.
      losing?.catch(() => {});
      const failures = [...running.map(whenRejected), ...(losing === undefined ? [] : [whenRejected(losing)])];
      const failure = Promise.race([...failures, new Promise<never>(() => {})]);
      const aborted = aborting(atOnce).then(() => "at once" as const);
      let first: How = await Promise.race([failure, aborted, aborting(end).then(() => "in peace" as const)]);
      log?.info("stopping the controllers", { how: typeof first === "string" ? first : "after a failure" });
      stop.abort(new Error("the manager stops"));
      if (first === "in peace") {
        const drained = all.then(() => "in peace" as const);
        first = await within(clock, drainMs, Promise.race([drained, failure, aborted]));
      }
      if (first === "too late") log?.warn("controllers did not finish in time", { drainMs });
      // From here on nothing is written, so whatever still runs does no harm.
      close();
      abort.abort(typeof first === "object" ? first.error : new Error("the manager stops now"));
      const isOver = first === "in peace" || (await within(clock, LAST_MS, all)) !== "too late";
      if (!isOver) log?.warn("something still runs: the lease is left to expire");
      return { isCalm: isOver && first !== "at once", failure: typeof first === "object" ? first : undefined };
    },
  };
}

/** What a controller tells nobody else is in the log. */
function problems(controller: string, log: Log | undefined): Pick<RunOptions, "onProblem"> {
  if (log === undefined) return {};
  return {
    onProblem(error, key) {
      if (key === undefined) log.warn("a controller has a problem", { controller, error });
      else log.warn("reconcile failed", { controller, key: keyText(key), error });
    },
  };
}

function whenRejected(promise: Promise<unknown>): Promise<{ readonly error: unknown }> {
  return new Promise((resolve) => promise.catch((error) => resolve({ error })));
}

function aborting(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve();
    signal?.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** The promise's outcome where it comes in time. No timer stays behind. */
function within<T>(clock: Clock, limitMs: number, promise: Promise<T>): Promise<T | "too late"> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(limitMs, () => resolve("too late"));
    promise.then(resolve, reject).finally(cancel);
  });
}
