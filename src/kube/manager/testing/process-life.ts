// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../types.ts";

/** The clocks of a process. */
export interface ProcessLifeOptions {
  /** The one true time. */
  readonly world: Clock;
  /** By how much its wall clock is wrong. */
  readonly skewMs?: number;
  /** How fast its monotonic clock is. */
  readonly rate?: number;
}

/**
 * The life of one simulated process: its own time, which may be wrong, and a state that may be changed from outside at any moment. All
 * that the process does must begin with a wait of its clock or with an answer that came through `awake`.
 */
export interface ProcessLife {
  readonly clock: Clock;
  readonly isDead: () => boolean;
  /** Resolves while it is not paused; what has come meanwhile is handed out in order when it goes on. Never for the dead. */
  awake(): Promise<void>;
  /** Stops it with everything under way, as SIGSTOP does; time goes on. */
  pause(): void;
  resume(): void;
  /** As SIGKILL does. */
  kill(): void;
  /** Moves its wall clock. */
  jump(ms: number): void;
}

/** Begins one. */
export function createProcessLife({ world, skewMs = 0, rate = 1 }: ProcessLifeOptions): ProcessLife {
  let skew = skewMs;
  let state: "alive" | "paused" | "dead" = "alive";
  let late: (() => void)[] = [];
  const clock: Clock = {
    now: () => world.now() + skew,
    monotonic: () => world.monotonic() * rate,
    after(delayMs, callback) {
      let isOff = false;
      const due = () => {
        if (isOff || state === "dead") return;
        if (state === "paused") late.push(due);
        else callback();
      };
      const cancel = world.after(delayMs / rate, due);
      return () => {
        isOff = true;
        cancel();
      };
    },
  };
  return {
    clock,
    isDead: () => state === "dead",
    awake: () =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (state === "paused") late.push(look);
          else if (state === "alive") resolve();
        };
        look();
      }),
    pause() {
      state = "paused";
    },
    resume() {
      if (state !== "paused") return;
      state = "alive";
      const missed = late;
      late = [];
      // One after the other, as timers do: what one leads to happens before the next.
      for (const callback of missed) world.after(0, callback);
    },
    kill() {
      state = "dead";
      late = [];
    },
    jump(ms: number) {
      skew += ms;
    },
  };
}
