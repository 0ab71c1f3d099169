// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { MachineRequest } from "../../src/api/index.ts";
import { virtualMachine } from "../../src/providers/harvester/kinds.ts";
import { readMark } from "../../src/providers/harvester/mark.ts";
import { type LivesWorld, NAMESPACE } from "./lives-world.ts";

/** Sees everything that ever happens to machines and requests, and what should never happen. */
export interface Witness {
  /** Machines that were ever made. */
  readonly machinesMade: number;
  /** Most machines of one request that ever stood at once. */
  readonly mostAtOnce: number;
  /** Goes on when this holds. Rejects where something happened that never should, or when patience is at its end. */
  until(what: () => string, holds: () => boolean): Promise<void>;
  /** Has everybody who waits look again, after something happened that is no change of an object. */
  wake(): void;
  /** The request as it was last seen. */
  get(name: string): MachineRequest | undefined;
  /**
   * Throws unless the request runs, as its status says, on exactly one machine. A guest tells its addresses one by one: resolves when
   * the status has them all.
   */
  checkRunning(name: string): Promise<void>;
  /** Throws if anything of a machine is left. */
  checkGone(name: string): void;
  /** Writes down that something happened that never should: whoever waits hears of it. */
  blame(fault: string): void;
  /** Throws with the first thing that happened and never should. */
  checkFaults(): void;
  stop(): Promise<void>;
}

/** Longer than the longest wait there is by design: two minutes until an unanswered create call cannot come any more. */
const PATIENCE_MS = 240_000;

/** Begins to look, before the first machine is made. */
export async function callWitness(world: LivesWorld): Promise<Witness> {
  const { requests, simulator } = world;
  const waiters = new Set<() => void>();
  const faults: string[] = [];
  const wake = () => {
    for (const look of [...waiters]) look();
  };
  const blame = (fault: string) => {
    faults.push(fault);
    wake();
  };
  const machines = followMachines(world, blame, wake);
  requests.subscribe((_old, now) => {
    const { phase, failureReason } = now?.status ?? {};
    if (phase === "Failed" || phase === "Unknown") blame(`${now?.metadata.name} is ${phase} (${failureReason})`);
    wake();
  });
  const checkFaults = () => assert.deepEqual(faults.slice(0, 5), []);
  const get = (name: string) => requests.get({ namespace: NAMESPACE, name });
  const until: Witness["until"] = (what, holds) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const late = setTimeout(() => reject(new Error(`still not: ${what()}`)), PATIENCE_MS);
    const look = () => {
      if (faults.length > 0) reject(new Error(faults[0]));
      else if (holds()) resolve();
    };
    waiters.add(look);
    look();
    return promise.finally(() => {
      clearTimeout(late);
      waiters.delete(look);
    });
  };
  return {
    get machinesMade() {
      return machines.ids.size;
    },
    get mostAtOnce() {
      return machines.mostAtOnce();
    },
    get,
    wake,
    blame,
    checkFaults,
    until,
    async checkRunning(name) {
      for (;;) {
        const { status, metadata } = get(name) ?? assert.fail(`no request ${name}`);
        const addresses = checkMachine(world, name, status);
        assert.equal(status?.observedGeneration, metadata.generation);
        if (isDeepStrictEqual(status?.ipAddresses?.toSorted(), addresses.toSorted())) return;
        await until(
          () => `${name} tells ${addresses.join(", ")}: ${JSON.stringify(status)}`,
          () => get(name)?.metadata.resourceVersion !== metadata.resourceVersion,
        );
      }
    },
    checkGone(name) {
      const left = simulator.leftovers().filter((key) => key.endsWith(`/${name}`) || key.includes(`/${name}-`));
      assert.deepEqual(left, [], `${name} is gone and something of it is left`);
    },
    stop: machines.stop,
  };
}

/** Throws unless there is one machine of that name, it runs, and the status says nothing else. Gives its addresses. */
function checkMachine({ simulator }: LivesWorld, name: string, status: MachineRequest["status"]): readonly string[] {
  const own = simulator.machines().filter((machine) => machine.name === name);
  assert.equal(own.length, 1, `${name} has ${own.length} machines`);
  const [{ id = "", isRunning = false, isDeleting = true, addresses = [] } = {}] = own;
  assert.deepEqual([isRunning, isDeleting], [true, false], `the machine of ${name} does not run`);
  assert.equal(status?.providerID, id);
  assert.ok(status.ipAddress !== undefined && addresses.includes(status.ipAddress));
  assert.ok(status.ipAddresses?.every((address) => addresses.includes(address)));
  const said = status.conditions?.map(({ type, status: is }) => `${type} ${is}`).toSorted();
  assert.deepEqual(said, ["Degraded False", "Progressing False", "Ready True"]);
  return addresses;
}

/** Follows every single change of a machine on Harvester. */
function followMachines({ behind, machineIdOf }: LivesWorld, blame: (fault: string) => void, wake: () => void) {
  /** The machine that a request got, by the request's machine id: it never gets another. */
  const ids = new Map<string, string>();
  /** Machines that stand, by owner. */
  const standing = new Map<string, Set<string>>();
  let most = 0;
  const come = (uid: string, machineId: string, owner: string) => {
    const first = ids.get(machineId);
    if (first !== undefined && first !== uid) blame(`a second machine ${uid} was made for ${owner} after ${first}`);
    ids.set(machineId, uid);
    const all = standing.get(owner) ?? new Set();
    standing.set(owner, all.add(uid));
    most = Math.max(most, all.size);
    if (all.size > 1) blame(`${owner} has ${all.size} machines at once`);
    checkKnown({ uid, machineId, owner }).catch((error) => blame(`${owner} could not be read: ${error}`));
  };
  /** It was launched before it was made. By now it may be gone again, and its request with it. */
  const checkKnown = async ({ uid, machineId, owner }: { uid: string; machineId: string; owner: string }) => {
    const [namespace = "", name = ""] = owner.split("/");
    const known = await machineIdOf(namespace, name);
    if (known !== machineId && standing.get(owner)?.has(uid))
      blame(`a machine was made for ${owner}, which does not know of it`);
  };
  const end = new AbortController();
  const following = (async () => {
    try {
      for await (const event of behind.watch(virtualMachine, { signal: end.signal })) {
        if (event.type === "BOOKMARK") continue;
        const { uid = "", name = "" } = event.object.metadata;
        const mark = readMark(event.object);
        if (mark === undefined) blame(`machine ${name} has no mark`);
        else if (event.type === "ADDED") come(uid, mark.machineId, mark.owner);
        else if (event.type === "DELETED") standing.get(mark.owner)?.delete(uid);
        wake();
      }
      blame("the watch of machines has ended");
    } catch (error) {
      if (!end.signal.aborted) blame(`the watch of machines has failed: ${error}`);
    }
  })();
  return {
    ids,
    mostAtOnce: () => most,
    async stop() {
      end.abort(new Error("the test is over"));
      await following;
    },
  };
}
