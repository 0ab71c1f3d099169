// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../kube/index.ts";
import { isReleased, type Released } from "./released.ts";

/** Whether a create call may be sent now. `leave` is to be called when it is over, whatever came of it; repeats do nothing. */
export type Entry =
  | { readonly state: "entered"; leave(): void }
  | {
      readonly state: "refused";
      /** One CamelCase word: `TooManyCreates`, `MachineLimitReached`, `TooManyMachines`, `ProviderConfigDeleting`. */
      readonly reason: string;
      readonly message: string;
      /** Whether people should hear of it; a turn that comes in a moment is not worth a condition. */
      readonly isTold: boolean;
      /** It only waits for its turn: nothing is wrong. */
      readonly isOrderly: boolean;
      readonly againInMs: number;
    };

/** Keeps one ProviderConfig from making more machines than it should, whatever went wrong. */
export interface Guard {
  /** Asks for a create call for this machine, of the request `namespace/name`. Never waits: `onTurn` tells when to ask again. */
  enter(machineId: string, options: { readonly signal: AbortSignal; readonly owner: string }): Promise<Entry>;
}

/** A machine that was seen with our mark. */
export interface MarkedMachine {
  readonly machineId: string;
  readonly name: string;
  /** The MachineRequest that it was made for, as `namespace/name`. */
  readonly owner: string;
  readonly providerId?: string | undefined;
}

/** What a guard goes by. All functions are asked anew each time. */
export interface GuardOptions {
  readonly clock: Clock;
  /** The ProviderConfig, as `namespace/name`. */
  readonly config: string;
  readonly limits: () => { readonly maxMachines?: number | undefined; readonly maxConcurrentCreates: number };
  /** Why nothing new may be made here at all, where that is so. */
  readonly closed: () => { readonly reason: string; readonly message: string } | undefined;
  /** Every machine with our mark that is known to be there. */
  readonly marked: () => readonly MarkedMachine[];
  /** The machine ids of the requests of this ProviderConfig; undefined for those that have none yet. */
  readonly requested: () => readonly (string | undefined)[];
  /** The same of every request that is or was launched at the same place, by whatever ProviderConfig. Asked only in doubt. */
  readonly requestedNearby: () => readonly (string | undefined)[];
  /** Whether there is a MachineRequest `namespace/name`, whatever it says. */
  readonly isRequest: (owner: string) => boolean;
  readonly released: Released;
  /** Of this ProviderConfig, whatever connections it has had. */
  readonly traffic: Traffic;
}

/** The create calls under way through one ProviderConfig, and who waits for their turn. */
export interface Traffic {
  /** By machine id. */
  readonly inFlight: Set<string>;
  /** When each machine was let in. */
  readonly recent: Map<string, number>;
  readonly turns: ReturnType<typeof createTurns>;
}

/** Nothing is under way. `onTurn`: a place is free for the request `namespace/name`, which was refused for want of one. */
export function createTraffic(clock: Clock, onTurn: (owner: string) => void): Traffic {
  return { inFlight: new Set(), recent: new Map(), turns: createTurns(clock, onTurn) };
}

/** Whose turn it is hears of it at once. Should that be lost, nobody waits longer than this. */
const LONGEST_TURN_MS = 60_000;
/** So long a wait is told even where the line moves: to tell thousands each minute would make all of them wait longer. */
const LONG_LINE_MS = 300_000;
/** A line in which nobody has a turn for so long stands still. */
const STANDSTILL_MS = 30_000;

const CLOSED_MS = 60_000;
const LIMIT_MS = 30_000;
const FROZEN_MS = 15_000;

/** To count thousands of machines for each of them would cost more than it saves. */
const CLEAR_MS = 1_000;

/** For so long a machine that was let in counts, though neither its request nor itself may be seen yet. */
const RECENT_MS = 60_000;

const NAMED = 3;

/** Makes the guard of one ProviderConfig. */
export function createGuard(options: GuardOptions): Guard {
  const { clock, config } = options;
  const { inFlight, recent, turns } = options.traffic;
  let clearAt = Number.NEGATIVE_INFINITY;
  const overLimit = (machineId: string): Entry | undefined => {
    const { maxMachines } = options.limits();
    if (maxMachines === undefined) return undefined;
    const ids = new Set<string>(recent.keys());
    for (const id of options.requested()) if (id !== undefined) ids.add(id);
    for (const marked of options.marked()) ids.add(marked.machineId);
    if (ids.has(machineId) || ids.size < maxMachines) return undefined;
    const message = `ProviderConfig ${config} allows ${maxMachines} machines (spec.limits.maxMachines) and has ${ids.size}; delete some, or raise the limit`;
    return refuse({ reason: "MachineLimitReached", message }, { againInMs: LIMIT_MS });
  };
  const outOfTurn = (machineId: string, owner: string): Entry | undefined => {
    const { maxConcurrentCreates } = options.limits();
    if (!inFlight.has(machineId) && inFlight.size < maxConcurrentCreates) return undefined;
    const { waitedMs, hasStood } = turns.wait(owner);
    const isLong = waitedMs >= (hasStood ? LONGEST_TURN_MS : LONG_LINE_MS);
    const againInMs = LONGEST_TURN_MS;
    const message = `${inFlight.size} create calls are under way through ProviderConfig ${config}, as many as spec.limits.maxConcurrentCreates allows; this machine waits for its turn`;
    return refuse({ reason: "TooManyCreates", message }, { againInMs, isTold: isLong, isOrderly: true });
  };
  const frozen = async (signal: AbortSignal): Promise<Entry | undefined> => {
    if (clock.monotonic() - clearAt < CLEAR_MS) return undefined;
    const stop = await tooMany(signal);
    if (stop === undefined) clearAt = clock.monotonic();
    return stop;
  };
  const tooMany = async (signal: AbortSignal): Promise<Entry | undefined> => {
    const marked = options.marked();
    // Requests that were lost, as in a restore of an older backup: as many others as there are would hide the machine of each.
    const orphans = marked.filter(({ owner }) => !options.isRequest(owner));
    const isCrowd = marked.length > options.requested().length;
    const nearby = isCrowd ? options.requestedNearby() : undefined;
    const most = nearby?.length ?? marked.length;
    if (marked.length <= most && orphans.length === 0) return undefined;
    const released = await options.released.ids({ signal });
    const isKept = (machine: MarkedMachine) => !isReleased(released, machine);
    const counted = marked.filter(isKept);
    if (nearby !== undefined && counted.length > most) {
      const wanted = new Set(nearby);
      const strays = counted.filter(({ machineId }) => !wanted.has(machineId)).map(({ name }) => `"${name}"`);
      const message = `creation is stopped: at the infrastructure of ProviderConfig ${config} there are ${counted.length} machines of this installation for ${nearby.length} MachineRequests; without a request: ${listed(strays.sort())}; delete what is not needed there`;
      return refuse({ reason: "TooManyMachines", message }, { againInMs: FROZEN_MS });
    }
    const lost = orphans.filter(isKept).map(({ name }) => `"${name}"`);
    if (lost.length === 0) return undefined;
    const message = `creation is stopped: at the infrastructure of ProviderConfig ${config} there are machines of this installation whose MachineRequests are gone, ${lost.length} in all: ${listed(lost.sort())}; the owner in the mark of each says which request it was: make that again, and it takes its machine on, or delete what is not needed there`;
    return refuse({ reason: "TooManyMachines", message }, { againInMs: FROZEN_MS });
  };
  return {
    async enter(machineId, { signal, owner }) {
      const closed = options.closed();
      if (closed !== undefined) return refuse(closed, { againInMs: CLOSED_MS });
      const isFrozen = await frozen(signal);
      if (isFrozen !== undefined) return isFrozen;
      // Nothing is awaited from here on, so that those who ask at once are counted one after the other.
      const now = clock.monotonic();
      for (const [id, at] of recent) if (now - at >= RECENT_MS) recent.delete(id);
      const stop = overLimit(machineId) ?? outOfTurn(machineId, owner);
      if (stop !== undefined) return stop;
      turns.taken(owner);
      inFlight.add(machineId);
      recent.set(machineId, now);
      let isOver = false;
      return {
        state: "entered",
        leave() {
          if (isOver) return;
          isOver = true;
          inFlight.delete(machineId);
          turns.next();
        },
      };
    },
  };
}

/** Those that were refused for want of a place, in the order they came. */
function createTurns(clock: Clock, tell: (owner: string) => void) {
  const waiting = new Map<string, { readonly since: number; askedAt: number; isCalled: boolean }>();
  let movedAt = Number.NEGATIVE_INFINITY;
  let stoodUntil = Number.NEGATIVE_INFINITY;
  /** Who is still there asks again in time. */
  const isGone = (askedAt: number) => clock.monotonic() - askedAt > 2 * LONGEST_TURN_MS;
  return {
    /** Keeps the place in the line of whoever has one. Returns for how long they have waited, and whether the line stood still meanwhile. */
    wait(owner: string): { readonly waitedMs: number; readonly hasStood: boolean } {
      const now = clock.monotonic();
      const turn = waiting.get(owner) ?? { since: now, askedAt: now, isCalled: false };
      waiting.set(owner, Object.assign(turn, { askedAt: now, isCalled: false }));
      return { waitedMs: now - turn.since, hasStood: now - movedAt >= STANDSTILL_MS || stoodUntil >= turn.since };
    },
    taken(owner: string) {
      const now = clock.monotonic();
      if (waiting.size > 0 && now - movedAt >= STANDSTILL_MS) stoodUntil = now;
      movedAt = now;
      waiting.delete(owner);
    },
    /** Calls the first that was not called yet. */
    next() {
      for (const [owner, turn] of waiting) {
        if (isGone(turn.askedAt)) waiting.delete(owner);
        else if (!turn.isCalled) {
          turn.isCalled = true;
          return tell(owner);
        }
      }
    },
  };
}

type Refused = Extract<Entry, { readonly state: "refused" }>;

function refuse(
  why: { readonly reason: string; readonly message: string },
  { againInMs, isTold = true, isOrderly = false }: Partial<Refused> & Pick<Refused, "againInMs">,
): Entry {
  return { state: "refused", ...why, isTold, isOrderly, againInMs };
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return "none, but some exist more than once";
  const more = names.length - NAMED;
  return more > 0 ? `${names.slice(0, NAMED).join(", ")} and ${more} more` : names.join(", ");
}
