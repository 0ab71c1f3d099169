// SPDX-License-Identifier: Apache-2.0
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

type How = "in peace" | "at once" | "too late" | { readonly error: unknown };

/** How long work that was told to end at once may take to notice. Its writes are refused in any case. */
const LAST_MS = 2_000;

/** Runs controllers until the end. */
export function createWorkers(controllers: readonly ManagedController[], options: WorkersOptions) {
  const { clock, drainMs, gate, log } = options;
  return {
    /**
     * Resolves when all have ended: true where that was in peace, false where it was at once. Rejects when the lease was lost or
     * a controller failed, after the others have ended.
     */
    async run({ end, atOnce, losing, close }: Ending): Promise<boolean> {
      const stop = new AbortController();
      const abort = new AbortController();
      const running = controllers.map(async (controller) => {
        await controller.run(stop.signal, { gate, cut: abort.signal, drainMs });
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
      if (first !== "in peace") await within(clock, LAST_MS, all);
      if (typeof first === "object") throw first.error;
      return first !== "at once";
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
