// SPDX-License-Identifier: Apache-2.0
import type { MachineRequest } from "../../../api/index.ts";
import type { RunningSimulator } from "../simulator.ts";
import type { World } from "../sweep/world.ts";
import type { Hazards } from "./hazards.ts";

/** Somebody who does things to machines behind the manager's back, and measures how long it takes until the requests tell of them. */
export interface Outsider {
  stop(name: string): Promise<void>;
  /** Starts all that it has stopped. */
  startAll(): Promise<void>;
  remove(name: string): Promise<void>;
  /** Those it has removed whose requests are still there. */
  takeRemoved(): readonly string[];
  /** What nobody has told of yet. */
  readonly unnoticed: ReadonlySet<string>;
  /** Nothing could be noticed before now. */
  excuse(): void;
  /** To be called at each standstill. */
  look(): void;
  /** How long it took until the last, in milliseconds. Gives each once. */
  takeDelays(): readonly Delay[];
}

/** How long it took until something was noticed. */
export interface Delay {
  readonly name: string;
  readonly what: string;
  readonly ms: number;
  /** Whether nothing else went wrong at that time. */
  readonly isQuiet: boolean;
}

interface Pending {
  readonly what: string;
  readonly isQuiet: boolean;
  readonly isTold: (request: MachineRequest) => boolean;
  sinceMs: number;
}

/** Has done nothing yet. */
export function createOutsider<Sim extends RunningSimulator>(
  world: World<Sim>,
  { hazards, isQuiet }: { readonly hazards: Hazards<Sim>; readonly isQuiet: () => boolean },
): Outsider {
  const { sim, clock } = world;
  const pending = new Map<string, Pending>();
  const stopped = new Set<string>();
  const removed = new Set<string>();
  let delays: Delay[] = [];
  const expect = (name: string, what: string, isTold: Pending["isTold"]) =>
    void pending.set(name, { what, isQuiet: isQuiet(), isTold, sinceMs: clock.monotonic() });
  return {
    async stop(name) {
      expect(name, "stopped", (request) => readyReason(request) === "VMStopped");
      stopped.add(name);
      await sim.stopMachine(name);
    },
    async startAll() {
      for (const name of stopped) {
        stopped.delete(name);
        const isThere = sim.machines().some((machine) => machine.name === name && !machine.isDeleting);
        if (!isThere || world.requestNow(name) === undefined) continue;
        expect(name, "started", (request) => readyReason(request) === "VMRunning");
        await hazards.startMachine(sim, name);
      }
    },
    async remove(name) {
      expect(name, "removed", ({ status }) => status?.phase === "Failed" && status.failureReason === "VMLost");
      removed.add(name);
      await sim.removeMachine(name);
    },
    takeRemoved() {
      const told = [...removed].filter((name) => !pending.has(name));
      for (const name of told) removed.delete(name);
      return told;
    },
    get unnoticed() {
      return new Set(pending.keys());
    },
    excuse() {
      for (const each of pending.values()) each.sinceMs = clock.monotonic();
    },
    look() {
      for (const [name, { what, isQuiet: wasQuiet, isTold, sinceMs }] of pending) {
        const request = world.requestNow(name);
        const isGone = request === undefined || request.metadata.deletionTimestamp !== undefined;
        if (!isGone && !isTold(request)) continue;
        pending.delete(name);
        if (!isGone) delays.push({ name, what, ms: clock.monotonic() - sinceMs, isQuiet: wasQuiet && isQuiet() });
      }
    },
    takeDelays() {
      const taken = delays;
      delays = [];
      return taken;
    },
  };
}

/** The reason of the condition Ready. */
export function readyReason({ status }: MachineRequest): string | undefined {
  return status?.conditions?.find(({ type }) => type === "Ready")?.reason;
}
