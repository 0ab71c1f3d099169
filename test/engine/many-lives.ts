// SPDX-License-Identifier: Apache-2.0
import { machineRequest } from "../../src/api/index.ts";
import { type Client, isConflict } from "../../src/kube/index.ts";
import { type Random, seededRandom } from "../seeded-random.ts";
import { requestObject } from "./life-objects.ts";
import { CONFIG, type LivesWorld, NAMESPACE } from "./lives-world.ts";
import type { Witness } from "./witness.ts";

/** How far a life goes until its request is deleted. */
const AGES = ["asked", "launched", "creating", "running", "running", "running"] as const;
type Age = (typeof AGES)[number];

/** A number of lives at any time: when one is over another begins. */
export interface Lives {
  /** Lets those that are under way end, and no others begin. */
  finish(): Promise<void>;
  /** How many have ended, by how far they went. */
  readonly ended: ReadonlyMap<Age, number>;
  /** Of those, how many had a create call that nobody knew the answer of, so that their end had to wait. */
  readonly doubtful: number;
}

/** Begins so many. */
export function beginLives(
  world: LivesWorld,
  witness: Witness,
  { count, seed }: { count: number; seed: number },
): Lives {
  const ended = new Map<Age, number>();
  const endings: Promise<void>[] = [];
  /** Nobody waits for the lives before the last kill. */
  const tell = (error: unknown) => witness.blame(error instanceof Error ? error.message : String(error));
  let isOver = false;
  const slots = Array.from({ length: count }, async (_, slot) => {
    const random = seededRandom(seed + slot);
    for (let number = 0; !isOver; ) {
      const name = `s${slot}n${number}`;
      const age = random.pick(AGES);
      const end = await live(world, witness, { name, age, random });
      ended.set(age, (ended.get(age) ?? 0) + 1);
      if (end === "gone") continue;
      // That takes two minutes; another name is free at once.
      const ending = seeGone(witness, name);
      ending.catch(tell);
      endings.push(ending);
      number += 1;
    }
  });
  for (const slot of slots) slot.catch(tell);
  return {
    ended,
    get doubtful() {
      return endings.length;
    },
    async finish() {
      isOver = true;
      await Promise.all(slots);
      await Promise.all(endings);
    },
  };
}

interface Life {
  readonly name: string;
  readonly age: Age;
  readonly random: Random;
}

/** From the request to its end, or until nothing but time is missing to its end. The next may have the same name. */
async function live({ client }: LivesWorld, witness: Witness, { name, age, random }: Life): Promise<"gone" | "waits"> {
  // Some have more parts than others, so that kills fall between those too.
  const spec = { extraDisks: random.once(3) ? [{ sizeGB: 1 }] : [], labels: { age } };
  await client.create(machineRequest, requestObject({ name, namespace: NAMESPACE, config: CONFIG, spec }));
  await witness.until(
    () => `${name} is ${age}: ${told(witness, name)}`,
    () => hasCome(witness, name, age),
  );
  if (age === "running") await witness.checkRunning(name);
  await deleteAsSeen(client, name);
  await witness.until(
    () => `${name} is gone: ${told(witness, name)}`,
    () => witness.get(name) === undefined || isDoubtful(witness, name),
  );
  if (witness.get(name) !== undefined) return "waits";
  witness.checkGone(name);
  return "gone";
}

/**
 * Deletes the request in the version that was read last. A plain delete that meets the launch has a real API server remove the request
 * together with the finalizer that it has just accepted (https://github.com/kubernetes/kubernetes/issues/77988), which no controller can
 * prevent.
 */
async function deleteAsSeen(client: Client, name: string): Promise<void> {
  for (;;) {
    const { metadata } = await client.get(machineRequest, { namespace: NAMESPACE, name });
    const preconditions = { resourceVersion: metadata.resourceVersion ?? "" };
    try {
      await client.delete(machineRequest, { namespace: NAMESPACE, name }, { preconditions });
      return;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
}

async function seeGone(witness: Witness, name: string): Promise<void> {
  await witness.until(
    () => `${name} is gone: ${told(witness, name)}`,
    () => witness.get(name) === undefined,
  );
  witness.checkGone(name);
}

function hasCome(witness: Witness, name: string, age: Age): boolean {
  const { metadata, status } = witness.get(name) ?? {};
  if (metadata === undefined) return false;
  const isRunning = status?.phase === "Running";
  if (age === "running") return isRunning;
  if (age === "creating") return isRunning || status?.phase === "Creating";
  return age === "asked" || metadata.annotations?.["butler.butlerlabs.dev/launch"] !== undefined;
}

/** Nothing is found of it, and a create call may still come late. */
function isDoubtful(witness: Witness, name: string): boolean {
  const ready = witness.get(name)?.status?.conditions?.find(({ type }) => type === "Ready");
  return ready?.message.includes("waiting until no earlier create call") ?? false;
}

function told(witness: Witness, name: string): string {
  const { metadata, status } = witness.get(name) ?? {};
  return JSON.stringify({ annotations: metadata?.annotations, status });
}
