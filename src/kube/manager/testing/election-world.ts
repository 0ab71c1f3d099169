// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { createClient } from "../../client/client.ts";
import type { HandlerRequest, HandlerResponse } from "../../client/handler-wire.ts";
import { type ManualClock, manualClock } from "../../clock.ts";
import { configMap } from "../../core.ts";
import type { Random } from "../../types.ts";
import { createManager, type Manager } from "../manager.ts";
import type { ManagedController } from "../types.ts";
import { createMemoryApi, type MemoryApi } from "./memory-api.ts";
import { createProcessLife, type ProcessLifeOptions } from "./process-life.ts";

const LEASE = "/apis/coordination.k8s.io/v1/namespaces/system/leases/leader";

/** What lies between a process and the server: nothing in the way, no request arrives, or no answer does. */
export type Network = "open" | "no requests" | "no answers";

/** A process that stands for election and does some work ten times a second while it may. */
export interface Candidate {
  readonly name: string;
  readonly manager: Manager;
  network: Network;
  /** Undefined while it runs, then how it ended. */
  outcome(): { readonly error: unknown } | "fine" | undefined;
  /** When it last began a piece of work, in world time. */
  readonly workedAt: () => number | undefined;
  readonly pieces: () => number;
  /** Stops it with everything under way, as SIGSTOP does; time goes on. */
  pause(): void;
  resume(): void;
  /** As SIGKILL does. */
  kill(): void;
  /** As the first SIGTERM does. */
  stop(): void;
  /** Moves its wall clock. */
  jump(ms: number): void;
}

/** Several processes, one server and one true time. */
export interface World {
  readonly clock: ManualClock;
  readonly api: MemoryApi;
  lease(): { holder: string; transitions: number; duration: number; renewedAt: number };
  start(name: string, options?: { skewMs?: number; rate?: number; random?: Random; workMs?: number }): Candidate;
  removeLease(): void;
  /** As somebody with kubectl may do. */
  changeLease(spec: Readonly<Record<string, unknown>>): void;
  /** Goes on in small steps and checks after each that at most one process may work. Then lets everything settle. */
  advance(ms: number): Promise<void>;
  /** Goes on until this is so. Fails after the given time. */
  until(condition: () => boolean, withinMs: number): Promise<number>;
}

/** Makes a world in which every piece of work that reaches the server is checked to come from the holder of the lease. */
export function createWorld(): World {
  const clock = manualClock();
  const api = createMemoryApi();
  const candidates: Candidate[] = [];
  const wrongs: string[] = [];
  let renewedAt = 0;
  const lease = () => {
    const { spec = {} } = (api.at(LEASE) ?? {}) as { spec?: Record<string, unknown> };
    return {
      holder: String(spec.holderIdentity ?? ""),
      transitions: Number(spec.leaseTransitions ?? 0),
      duration: Number(spec.leaseDurationSeconds ?? 0),
      renewedAt,
    };
  };
  const receive = (name: string, request: HandlerRequest): HandlerResponse => {
    const isWork = request.path.includes("/configmaps");
    // To throw here would only look like a broken connection to the sender.
    if (isWork && api.at(LEASE) !== undefined && lease().holder !== name)
      wrongs.push(`${name} writes while "${lease().holder}" holds the lease`);
    if (!isWork && request.method !== "GET") renewedAt = clock.monotonic();
    return isWork ? { ...api.handle(request), status: 200 } : api.handle(request);
  };
  const onlyOneWorks = () => {
    const open = candidates.filter(({ manager }) => manager.isLeader()).map(({ name }) => name);
    assert.deepEqual(wrongs, []);
    assert.ok(open.length <= 1, `${open.join(" and ")} lead at the same time`);
  };
  const step = async (ms: number) => {
    await clock.advance(ms);
    onlyOneWorks();
  };
  return {
    clock,
    api,
    lease,
    start(name, options = {}) {
      const candidate = startCandidate(name, { ...options, world: clock, receive });
      candidates.push(candidate);
      return candidate;
    },
    removeLease: () => api.remove(LEASE),
    changeLease(spec) {
      const { spec: old, ...lease } = (api.at(LEASE) ?? {}) as { spec?: object };
      const body = Buffer.from(JSON.stringify({ ...lease, spec: { ...old, ...spec } }));
      const { signal } = new AbortController();
      assert.equal(api.handle({ method: "PUT", path: LEASE, headers: {}, body, signal }).status, 200);
    },
    async advance(ms) {
      for (let left = ms; left > 0; left -= 50) await step(Math.min(50, left));
    },
    async until(condition, withinMs) {
      const start = clock.monotonic();
      while (!condition()) {
        assert.ok(clock.monotonic() - start < withinMs, `not so within ${withinMs} ms`);
        await step(50);
      }
      return clock.monotonic() - start;
    },
  };
}

interface CandidateOptions extends ProcessLifeOptions {
  readonly world: ManualClock;
  readonly random?: Random;
  /** How long a piece of work takes before it writes. */
  readonly workMs?: number;
  receive(name: string, request: HandlerRequest): HandlerResponse;
}

function startCandidate(name: string, options: CandidateOptions): Candidate {
  const { world, receive, random = () => 0.5, workMs = 0 } = options;
  const life = createProcessLife(options);
  const { clock } = life;
  let network: Network = "open";
  const transport = async (request: HandlerRequest): Promise<HandlerResponse> => {
    if (life.isDead() || network === "no requests") return never();
    const response = receive(name, request);
    await life.awake();
    return network === "open" && !life.isDead() ? response : never();
  };
  const client = createClient({ server: "http://memory" }, { clock, random, transport });
  let workedAt: number | undefined;
  let pieces = 0;
  const worker: ManagedController = {
    name: "worker",
    run(signal, { gate = () => {}, cut }) {
      const writer = client.withGate(gate);
      const work = async () => {
        if (signal.aborted) return;
        clock.after(100, () => void work());
        try {
          gate();
        } catch {
          return;
        }
        workedAt = world.monotonic();
        pieces += 1;
        if (workMs > 0) await new Promise<void>((resolve) => clock.after(workMs, resolve));
        const draft = { metadata: { name: `${name}-${pieces}`, namespace: "system" } };
        await writer
          .create(configMap, draft, { tries: 1, ...(cut === undefined ? {} : { signal: cut }) })
          .catch(() => {});
      };
      void work();
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    },
  };
  const manager = createManager({
    client,
    clock,
    random,
    controllers: [worker],
    election: { namespace: "system", name: "leader", identity: name },
  });
  const stopping = new AbortController();
  let outcome: { readonly error: unknown } | "fine" | undefined;
  manager.run(stopping.signal).then(
    () => {
      outcome = "fine";
    },
    (error) => {
      outcome = { error };
    },
  );
  return {
    name,
    // A dead or stopped process asks its gate nothing.
    manager: { ...manager, isLeader: () => !life.isDead() && manager.isLeader() },
    get network() {
      return network;
    },
    set network(next) {
      network = next;
    },
    outcome: () => outcome,
    workedAt: () => workedAt,
    pieces: () => pieces,
    pause: life.pause,
    resume: life.resume,
    kill: life.kill,
    stop: () => stopping.abort(new Error("asked to stop")),
    jump: life.jump,
  };
}

function never(): Promise<never> {
  return new Promise(() => {});
}
