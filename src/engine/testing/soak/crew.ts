// SPDX-License-Identifier: Apache-2.0
import { FAULTS } from "../sweep/fault.ts";
import type { World } from "../sweep/world.ts";
import { startThreadedManager, type ThreadedManager, type ThreadedManagerOptions } from "./threaded-manager.ts";

/** The managers of a world: whoever dies is started anew, as the kubelet does. */
export interface Crew {
  /** Those that are alive, the oldest first: it leads, or will. */
  readonly alive: readonly ThreadedManager[];
  /** How often managers were killed, handed over to, and ended by themselves. */
  readonly fates: ReadonlyMap<string, number>;
  /** One more. It is there once everything stands still again. */
  add(): void;
  /** Starts who is to be started. To be called at each standstill. */
  tend(): Promise<boolean>;
  /** The next request of the manager kills it: before it is sent, or once it is served. */
  killAt(moment: "kill-before" | "kill-after"): void;
  /** Ends the oldest in peace: the next one takes over. */
  handOver(): void;
  /** Kills the youngest, where there are two, for good. */
  killYoungest(): void;
}

/** Longer than lives usually have, for four weeks hold many renewals. The promises of an election do not depend on them. */
const ELECTION_TIMES = { leaseDurationMs: 300_000, renewDeadlineMs: 200_000, retryPeriodMs: 60_000 };

/** What all of them are made of, and whom to tell. */
export interface CrewOptions extends Pick<ThreadedManagerOptions, "providersUrl" | "provider" | "canaries" | "onLeak"> {
  /** Told where a manager ended that nobody has killed or asked to. */
  readonly onDesertion: (name: string, error: string) => void;
}

/** Nobody is there yet. */
export function createCrew(world: World, { onDesertion, ...options }: CrewOptions): Crew {
  const alive: ThreadedManager[] = [];
  const fates = new Map<string, number>();
  const dismissed = new Set<ThreadedManager>();
  let wanted = 0;
  let started = 0;
  const count = (fate: string) => void fates.set(fate, (fates.get(fate) ?? 0) + 1);
  const onEnd: ThreadedManagerOptions["onEnd"] = (manager, { error }) => {
    alive.splice(alive.indexOf(manager), 1);
    if (error !== undefined && error !== "killed") onDesertion(manager.name, error);
    if (error === undefined || dismissed.delete(manager)) return;
    world.clock.after(1_000, () => {
      wanted += 1;
    });
  };
  return {
    alive,
    fates,
    add() {
      wanted += 1;
    },
    async tend() {
      if (wanted === 0) return false;
      wanted -= 1;
      started += 1;
      const name = `manager-${started}`;
      alive.push(await startThreadedManager(world, { ...options, name, electionTimes: ELECTION_TIMES, onEnd }));
      return true;
    },
    killAt(moment) {
      count("killed");
      world.disturb({ on: ({ path, isWatch }) => !isWatch && !path.includes("/leases"), fault: FAULTS[moment] });
    },
    handOver() {
      count("handed over");
      alive[0]?.askToEnd();
    },
    killYoungest() {
      const youngest = alive.length > 1 ? alive.at(-1) : undefined;
      if (youngest === undefined) return;
      count("rival killed");
      dismissed.add(youngest);
      youngest.kill();
    },
  };
}
