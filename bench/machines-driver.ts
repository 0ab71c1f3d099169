// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from "node:timers/promises";
import { answerQuestions, sharedNow } from "./machines-child.ts";
import { COPIES, PROBE, REQUESTS, requestNamed, statusWith } from "./machines-objects.ts";
import { createLanes, openWire, type Seen, type Wire } from "./machines-wire.ts";

/** The user: makes requests, deletes them, and sees when they are where they should be. */
let wire: Wire | undefined;
/** When each was first seen in the phase that is waited for; `gone` where it is gone. */
const reached = new Map<string, number>();
let awaited = "";
let left = 0;
let onAll = () => {};
let times = (): Promise<Record<string, number>> => Promise.resolve({});

function see(type: string, request: Seen): void {
  const { name } = request.metadata;
  const phase = type === "DELETED" ? "gone" : String(request.status?.phase);
  if (phase !== awaited || reached.has(name)) return;
  reached.set(name, sharedNow());
  left -= 1;
  if (left === 0) onAll();
}

/** Resolves when so many have come to the phase. */
function expect(phase: string, count: number): Promise<void> {
  reached.clear();
  awaited = phase;
  left = count;
  return new Promise((resolve) => {
    onAll = resolve;
  });
}

function opened(): Wire {
  if (wire === undefined) throw new Error("nobody said where the server is");
  return wire;
}

interface Many {
  readonly names: readonly string[];
  /** Whether they are for the bare client. */
  readonly areCopies?: boolean;
}

/** Nobody is that slow. */
const STANDSTILL_MS = 180_000;

/** How long it took, from the first request sent to the last seen where it should be. */
interface Took {
  readonly ms: number;
}

async function all(names: readonly string[], phase: string, send: (name: string) => Promise<unknown>): Promise<Took> {
  const lanes = createLanes();
  const begun = sharedNow();
  const arrived = expect(phase, names.length);
  await Promise.all(names.map((name) => lanes(() => send(name))));
  await Promise.race([arrived, standstill(phase)]);
  return { ms: Math.max(...reached.values()) - begun };
}

/** Rejects once nothing has moved for so long that no waiting helps. Stays quiet when all have come. */
async function standstill(phase: string): Promise<void> {
  for (let seen = -1; left > 0; ) {
    if (seen === reached.size) throw new Error(`${left} of ${left + seen} requests do not come to "${phase}"`);
    seen = reached.size;
    await delay(STANDSTILL_MS, undefined, { ref: false });
  }
}

interface Probe {
  readonly ms: number;
  readonly everyMs: number;
}

/** How long one status write takes, in milliseconds, while others are at work. */
async function probe({ ms, everyMs }: Probe): Promise<readonly number[]> {
  let request = await opened().send("POST", COPIES, requestNamed(PROBE, COPIES));
  const spent: number[] = [];
  for (const end = sharedNow() + ms; sharedNow() < end; ) {
    const before = sharedNow();
    const status = statusWith("Failed", { id: "probe", address: `127.0.0.${spent.length % 250}` });
    request = await opened().send("PUT", `${COPIES}/${PROBE}/status`, { ...request, status });
    spent.push(sharedNow() - before);
    await delay(everyMs);
  }
  await opened().send("DELETE", `${COPIES}/${PROBE}`);
  return spent;
}

answerQuestions({
  async open({ kubeconfig }: { kubeconfig: string }) {
    wire = openWire(kubeconfig);
    await wire.watch(REQUESTS, see);
    await wire.watch(COPIES, see);
  },
  create: ({ names, phase, areCopies }: Many & { phase: string }) => {
    const path = areCopies ? COPIES : REQUESTS;
    return all(names, phase, (name) => opened().send("POST", path, requestNamed(name, path)));
  },
  delete: ({ names, areCopies }: Many) =>
    all(names, "gone", (name) => opened().send("DELETE", `${areCopies ? COPIES : REQUESTS}/${name}`)),
  probe,
  /** From now on it is noted when each comes to the phase; `times` waits for all. */
  expect({ phase, count }: { phase: string; count: number }) {
    const arrived = expect(phase, count);
    times = () => arrived.then(() => Object.fromEntries(reached));
  },
  times: () => times(),
});
