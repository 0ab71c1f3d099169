// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../../kube/index.ts";

/**
 * Whether a process runs, stands still or is dead. Everything that can make its code go on passes here: the time it waits for and the
 * answers it gets. One that is asleep gets all of that when it wakes, a dead one never.
 */
export interface Vitality {
  /** The process's own: the time goes on while it sleeps, its waits end when it wakes. */
  readonly clock: Clock;
  readonly isDead: boolean;
  readonly isAsleep: boolean;
  /** Undefined where it is awake; else resolves when it is, which for the dead is never. */
  awake(): Promise<void> | undefined;
  sleep(): void;
  wake(): void;
  /** For good. Its waits are called off. */
  die(): void;
  /** Calls back when it dies. Returns how to call that off. */
  onDeath(listener: () => void): () => void;
}

/** A process that runs. */
export function createVitality(clock: Clock): Vitality {
  let state: "runs" | "sleeps" | "dead" = "runs";
  let waking: PromiseWithResolvers<void> | undefined;
  const waits = new Set<() => void>();
  const overdue = new Set<() => void>();
  const listeners = new Set<() => void>();
  const after: Clock["after"] = (delayMs, callback) => {
    if (state === "dead") return () => {};
    const ring = () => {
      waits.delete(cancelWait);
      if (state === "runs") callback();
      else if (state === "sleeps") overdue.add(ring);
    };
    const cancelWait = clock.after(delayMs, ring);
    waits.add(cancelWait);
    return () => {
      cancelWait();
      waits.delete(cancelWait);
      overdue.delete(ring);
    };
  };
  return {
    clock: { now: () => clock.now(), monotonic: () => clock.monotonic(), after },
    get isDead() {
      return state === "dead";
    },
    get isAsleep() {
      return state === "sleeps";
    },
    awake() {
      if (state === "runs") return undefined;
      waking ??= Promise.withResolvers<void>();
      return waking.promise;
    },
    sleep() {
      if (state === "runs") state = "sleeps";
    },
    wake() {
      if (state !== "sleeps") return;
      state = "runs";
      // One after the other, as timers that are late come.
      for (const ring of overdue) {
        const cancel = clock.after(0, () => {
          waits.delete(cancel);
          if (overdue.delete(ring)) ring();
        });
        waits.add(cancel);
      }
      waking?.resolve();
      waking = undefined;
    },
    die() {
      if (state === "dead") return;
      state = "dead";
      for (const cancel of waits) cancel();
      waits.clear();
      overdue.clear();
      // Whoever waits for it to wake waits for ever.
      waking = undefined;
      for (const listener of [...listeners]) listener();
      listeners.clear();
    },
    onDeath(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
