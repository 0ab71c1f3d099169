// SPDX-License-Identifier: Apache-2.0
import { type Clock, createLog } from "../../../kube/index.ts";
import { createManagers, type Managers, type ManagersOptions } from "../../managers.ts";
import type { Network } from "./network.ts";
import { seededRandom, seedOf } from "./seeded-random.ts";
import { createVitality } from "./vitality.ts";

/** One manager process: the same parts as `butleradm manager`, with nothing of them shared with any other. */
export interface WorldManager {
  readonly name: string;
  readonly isAlive: boolean;
  readonly isAsleep: boolean;
  /** From now on nothing that it sends reaches any server, and nothing reaches it. What it has sent is served. */
  kill(): void;
  /** It stands still, as a process that gets no time: its clock goes on, it does not. */
  pause(): void;
  /** It goes on where it stood. */
  wake(): void;
  /** Asks it to end in peace. Resolves when it has; the clock may have to go on for that. */
  stop(): Promise<void>;
  /** Kills it and has its code run to its end, which nobody hears of: signals that nobody aborts would keep it in memory. */
  discard(): void;
}

/** How to start a manager. */
export interface ManagerStart {
  /** Whether it stands for election; it does not unless told otherwise. */
  readonly leaderElect?: boolean;
  /** What differs in what it is made of. */
  readonly options?: Partial<ManagersOptions>;
}

/** What a manager finds in its world. */
export interface ManagerSurroundings {
  readonly name: string;
  readonly seed: number;
  readonly clock: Clock;
  readonly network: Network;
  readonly lines: string[];
  readonly makeManagers?: ((options: ManagersOptions) => Managers) | undefined;
  /** Told where it ended without being asked to, as one does that has lost its lease. */
  readonly onEnd: (manager: WorldManager, error: unknown) => void;
}

/** Starts one. */
export function startManager(surroundings: ManagerSurroundings, start: ManagerStart = {}): WorldManager {
  const { name, seed, network, lines, makeManagers = createManagers } = surroundings;
  const vitality = createVitality(surroundings.clock);
  const { clock } = vitality;
  const random = seededRandom(seedOf(seed, name));
  const { client, entry, transport } = network.reach(name, vitality, random);
  const write = (line: string) => {
    if (!vitality.isDead) lines.push(line);
  };
  const log = createLog({ write, clock, level: "debug", fields: { manager: name } });
  const managers = makeManagers({
    providers: [entry.name],
    entries: [entry],
    client,
    clock,
    random,
    log,
    identity: name,
    leaderElect: start.leaderElect ?? false,
    transport: () => transport,
    ...start.options,
  });
  const end = new AbortController();
  const atOnce = new AbortController();
  const manager: WorldManager = {
    name,
    get isAlive() {
      return !vitality.isDead;
    },
    get isAsleep() {
      return vitality.isAsleep;
    },
    kill: vitality.die,
    pause: vitality.sleep,
    wake: vitality.wake,
    async stop() {
      end.abort(new Error("the manager is asked to end"));
      await ended;
    },
    discard() {
      vitality.die();
      for (const each of [end, atOnce]) each.abort(new Error("the world ends"));
    },
  };
  const ended = managers.run(end.signal, { atOnce: atOnce.signal }).then(
    () => vitality.die(),
    (error: unknown) => {
      if (vitality.isDead) return;
      vitality.die();
      surroundings.onEnd(manager, error);
    },
  );
  return manager;
}
