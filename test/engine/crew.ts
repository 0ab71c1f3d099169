// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from "node:timers/promises";
import { type Client, createCache, lease as leaseKind } from "../../src/kube/index.ts";
import { credentialOf } from "./api-audit.ts";
import type { LifeStage } from "./life-stage.ts";
import { NAMESPACE } from "./lives-world.ts";
import { type ManagerProcess, startManager } from "./manager-process.ts";

/** A manager that stands for election. */
export interface Member {
  readonly manager: ManagerProcess;
  /** As leases name it. */
  readonly identity: string;
  /** Its own token, as the API server's audit names it. */
  readonly credential: string;
}

/** Several managers that stand for one lease. */
export interface Crew {
  /** Everybody who was ever started. */
  readonly hired: readonly Member[];
  /** Those that were started and not given up. */
  readonly members: ReadonlySet<Member>;
  /** Starts one more; resolves when it has said who it is. */
  hire(): Promise<Member>;
  /** Forgets one; it has to be ended by whoever lets it go. */
  dismiss(member: Member): void;
  /** Who holds the lease, where it is one of the members. */
  leader(): Member | undefined;
  /** When the lease last changed hands, on the clock of `performance`. */
  changedAt(): number;
  stop(): Promise<void>;
}

/** Where a crew works, and what happens when the lease changes hands. */
export interface CrewOptions {
  readonly client: Client;
  readonly stage: LifeStage;
  /** The words after `butleradm manager`. */
  readonly words: readonly string[];
  readonly lease: string;
  readonly onChange: () => void;
}

/** Makes a crew without members. */
export async function createCrew({ client, stage, words, lease, onChange }: CrewOptions): Promise<Crew> {
  const hired: Member[] = [];
  const members = new Set<Member>();
  const leases = createCache(client, leaseKind, { namespace: NAMESPACE });
  const end = new AbortController();
  const following = leases.start(end.signal);
  await leases.synced;
  let holder = "";
  let changedAt = performance.now();
  leases.subscribe((_old, now) => {
    const next = now?.metadata.name === lease ? (now.spec?.holderIdentity ?? "") : holder;
    if (next === holder) return;
    holder = next;
    changedAt = performance.now();
    onChange();
  });
  return {
    hired,
    members,
    async hire() {
      const kubeconfig = await stage.managerKubeconfig();
      const manager = await startManager(kubeconfig, words);
      const member = { manager, identity: await identityOf(manager), credential: credentialOf(tokenIn(kubeconfig)) };
      hired.push(member);
      members.add(member);
      return member;
    },
    dismiss: (member) => void members.delete(member),
    leader: () => [...members].find(({ identity }) => identity === holder),
    changedAt: () => changedAt,
    async stop() {
      end.abort(new Error("the test is over"));
      await following;
      for (const { manager } of members) await manager.end("killed");
    },
  };
}

/** What the manager says of itself in its first line. */
async function identityOf(manager: ManagerProcess): Promise<string> {
  for (const deadline = performance.now() + 60_000; performance.now() < deadline; await delay(50)) {
    const said = /"identity":"([^"]+)"/.exec(await manager.log())?.[1];
    if (said !== undefined) return said;
    if (manager.ended() !== undefined) break;
  }
  throw new Error(`a manager does not say who it is (${manager.ended()}):\n${await manager.log()}`);
}

function tokenIn(kubeconfig: string): string {
  return JSON.parse(kubeconfig).users[0].user.token;
}
