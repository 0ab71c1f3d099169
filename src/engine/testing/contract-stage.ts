// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { type ManualClock, manualClock } from "../../kube/index.ts";
import type { Call } from "../call.ts";
import type { Connection, Found, MachineWant, Mark, Provider } from "../provider.ts";
import { ProviderError } from "../provider-error.ts";
import type { RunningSimulator, SimulatedAccess, Simulator } from "./simulator.ts";

/** What the contract suite is tried on. */
export interface Contestants {
  readonly provider: Provider;
  readonly simulator: Simulator;
  /** Whether requests go over real sockets, or stay in this process. */
  readonly overSockets: boolean;
}

/** A simulator that was just started, and what a rule needs to play on it. */
export interface Stage {
  readonly provider: Provider;
  readonly sim: RunningSimulator;
  readonly clock: ManualClock;
  /** A new connection. With other credentials, or of another installation, where told. */
  connect(options?: { readonly access?: SimulatedAccess; readonly installation?: string }): Promise<Connection>;
  /** What a verb gets along. Counts the requests that are told to it. */
  call(signal?: AbortSignal): Call;
  /** How many requests were told to calls so far. */
  told(): number;
  /** A machine that is wanted; frozen to its depth. */
  want(name: string, changes?: WantChanges): MachineWant;
  /** Lets everything happen that happens within so many milliseconds of the clock. */
  pass(ms: number): Promise<void>;
  /** Looks again and again, for at most so many simulated minutes, until what is found satisfies. */
  until(connection: Connection, want: MachineWant, isIt: (found: Found) => boolean): Promise<Found>;
  /** Deletes as the engine does, until nothing of the machine is found. */
  deleteAll(connection: Connection, want: MachineWant): Promise<void>;
}

/** What may differ from the usual machine. */
export type WantChanges = Partial<Omit<MachineWant, "mark">> & { readonly mark?: Partial<Mark> };

/** A text that stands in every machine's user data and must never be seen elsewhere. */
export const USER_DATA_SECRET = "contract-suite-user-data-8f31c0";

const INSTALLATION = "11111111-2222-4333-8444-555555555555";
const STEP_MS = 2_000;
const STEPS = 900;

/** Runs a rule on a fresh simulator, and cleans up whatever comes of it. */
export async function onStage(
  { provider, simulator, overSockets }: Contestants,
  play: (stage: Stage) => Promise<void>,
): Promise<void> {
  const clock = manualClock();
  const random = seededRandom(7);
  const sim = await simulator.start({ clock, random, listens: overSockets });
  const connections: Connection[] = [];
  let requestsTold = 0;
  const pass = async (ms: number) => {
    // From one wait to the next: what the first brings about may take several turns until it begins the second.
    for (let leftMs = ms; leftMs > 0; ) {
      await sim.settled();
      const stepMs = Math.min(leftMs, Math.max(1, clock.nextInMs ?? leftMs));
      await clock.advance(stepMs);
      leftMs -= stepMs;
    }
    await sim.settled();
  };
  const stage: Stage = {
    provider,
    sim,
    clock,
    pass,
    want,
    told: () => requestsTold,
    call: (signal = new AbortController().signal) => ({
      signal,
      outside(_verb, send) {
        requestsTold += 1;
        return send();
      },
    }),
    async connect({ access = sim, installation = INSTALLATION } = {}) {
      const { settings, secret } = deepFreeze(structuredClone({ settings: access.settings, secret: access.secret }));
      const reach = overSockets ? {} : { transport: sim.transport };
      const connection = await provider.connect({ settings, secret, installation, clock, random, ...reach });
      connections.push(connection);
      return connection;
    },
    async until(connection, wanted, isIt) {
      for (let step = 0; step < STEPS; step += 1) {
        const found = await connection.machines.find(wanted, stage.call());
        if (isIt(found)) return found;
        await pass(STEP_MS);
      }
      assert.fail(`machine "${wanted.name}" did not get there within ${(STEPS * STEP_MS) / 60_000} minutes`);
    },
    async deleteAll(connection, wanted) {
      for (let step = 0; step < STEPS; step += 1) {
        const { have } = await connection.machines.find(wanted, stage.call());
        if (have === undefined) return;
        await connection.machines.delete(have, stage.call());
        await pass(STEP_MS);
      }
      assert.fail(`machine "${wanted.name}" is still there after ${(STEPS * STEP_MS) / 60_000} minutes of deleting`);
    },
  };
  try {
    await play(stage);
  } finally {
    await Promise.all(connections.map((connection) => connection.close()));
    await sim.stop();
  }
}

function want(name: string, { mark, ...changes }: WantChanges = {}): MachineWant {
  const machineId = uuidOf(name);
  return deepFreeze({
    name,
    token: uuidOf(`${name} token`),
    role: "worker",
    cpu: 2,
    memoryMb: 2048,
    diskGb: 20,
    extraDisks: [],
    userData: `#cloud-config\n# ${USER_DATA_SECRET}\n`,
    labels: { cluster: "contract" },
    ...changes,
    mark: {
      machineId,
      installation: INSTALLATION,
      attempt: 1,
      launch: "0123456789abcdef",
      owner: `default/${name}`,
      ...mark,
    },
  });
}

/** The same UUID for the same text. */
function uuidOf(text: string): string {
  const random = seededRandom([...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 2_147_483_647, 7));
  const digits = (count: number) =>
    Array.from({ length: count }, () => Math.floor(random() * 16).toString(16)).join("");
  return `${digits(8)}-${digits(4)}-4${digits(3)}-8${digits(3)}-${digits(12)}`;
}

/** Numbers from 0 up to 1, the same for the same seed. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The value, frozen to its depth: whoever changes it is caught at once. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const each of Object.values(value)) deepFreeze(each);
  return Object.freeze(value);
}

/** The `ProviderError` that a verb must end in. */
export async function refusal(promise: Promise<unknown>, what: string): Promise<ProviderError> {
  let outcome: unknown;
  try {
    outcome = await promise;
  } catch (error) {
    if (error instanceof ProviderError) return error;
    throw new assert.AssertionError({ message: `${what}: it must throw a ProviderError, not ${String(error)}` });
  }
  throw new assert.AssertionError({
    message: `${what}: it must fail, but gave ${JSON.stringify(outcome) ?? "nothing"}`,
  });
}

/** What differs between two states of a simulator, by key: a whole state would bury it. */
export function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] {
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys]
    .filter((key) => before.get(key) !== after.get(key))
    .map((key) => `${key}: ${before.get(key) ?? "nothing"} became ${after.get(key) ?? "nothing"}`);
}
