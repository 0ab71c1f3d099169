// SPDX-License-Identifier: Apache-2.0
import { type MachineRequest, machineRequest, type ProviderConfig, providerConfigKind, team } from "../../api/index.ts";
import {
  type Client,
  createCaches,
  createClient,
  createLog,
  createManager,
  createMetrics,
  customResourceDefinition,
  type HandlerTransport,
  isNotFound,
  type KubeObject,
  type ManualClock,
  type Metrics,
  manualClock,
  namespace as namespaceKind,
  type Secret,
  secret as secretKind,
} from "../../kube/index.ts";
import { type Plane, startPlane } from "../../plane/plane.ts";
import { createEngine, type Engine } from "../engine.ts";
import type { EngineOptions } from "../engine-options.ts";
import { providerConfigDescriptor } from "../provider-config-use.ts";
import type { ProviderEntry } from "../provider-entry.ts";

/** A plane with Butler's kinds, its administrator, and engines on a clock that stands still. */
export interface Stage {
  readonly plane: Plane;
  readonly client: Client;
  readonly clock: ManualClock;
  readonly lines: string[];
  readonly metrics: Metrics;
  readonly entries: readonly ProviderEntry[];
  /** Every request to the plane that changes something, as `PATCH /apis/...`. */
  readonly writes: string[];
  /** Starts an engine; ends with the stage or earlier. */
  run(provider: string, options?: Partial<EngineOptions>): Run;
  /** A client that is somebody else. */
  clientAs(user: string): Client;
  /** Goes on until this holds, letting at most five minutes pass by the clock. */
  until(what: string, holds: () => boolean | Promise<boolean>): Promise<void>;
  /** Lets everything that is ready happen, and a little time pass. */
  settle(ms?: number): Promise<void>;
  secret(data?: Record<string, string>, key?: Key): Promise<Secret>;
  config(spec?: object, key?: Key): Promise<ProviderConfig>;
  request(name: string, spec?: object, more?: { readonly namespace?: string }): Promise<MachineRequest>;
  /** The object as it is, or undefined. */
  configNow(key?: Key): Promise<ProviderConfig | undefined>;
  requestNow(name: string, namespace?: string): Promise<MachineRequest | undefined>;
  stop(): Promise<void>;
}

/** An engine under way. */
export interface Run {
  readonly engine: Engine;
  stop(): Promise<void>;
}

interface Key {
  readonly name?: string;
  readonly namespace?: string;
}

/** Numbers that look random and are the same every time. */
export function fixedRandom(seed = 1): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** What may differ from the usual stage. */
export interface StageOptions {
  /** When the clock stands still, in milliseconds since 1970. */
  readonly startMs?: number;
  /** Whether the plane can be reached from outside this process, as by kubectl. */
  readonly listens?: boolean;
}

/** Raises a stage for these providers. Stop it at the end of the test. */
export async function raiseStage(
  entries: readonly ProviderEntry[],
  { startMs, listens = false }: StageOptions = {},
): Promise<Stage> {
  const clock = manualClock(startMs);
  const writes: string[] = [];
  const plane = await startPlane({ memory: true, listen: listens, clock, random: fixedRandom(7) });
  const transportAs =
    (name: string, groups: readonly string[]): HandlerTransport =>
    async (request) => {
      if (request.method !== "GET") writes.push(`${request.method} ${request.path.replace(/\?.*/, "")}`);
      return await plane.handle({ ...request, user: { name, groups: [...groups, "system:authenticated"] } });
    };
  const clientOf = (transport: HandlerTransport) =>
    createClient({ server: "http://plane" }, { transport, clock, random: fixedRandom(3) });
  const client = clientOf(transportAs("admin", ["system:masters"]));
  const lines: string[] = [];
  const metrics = createMetrics();
  const runs = new Set<Run>();
  for (const kind of [machineRequest, providerConfigKind(entries), team])
    await client.create(customResourceDefinition, kind.crd());
  await client.create(namespaceKind, { metadata: { name: "butler-system" } });
  await plane.settled();
  const now = async <T extends KubeObject>(read: Promise<T>) => {
    try {
      return await read;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const stage: Stage = {
    plane,
    client,
    clock,
    lines,
    metrics,
    entries,
    writes,
    run(provider, options = {}) {
      const log = createLog({ write: (line) => void lines.push(line), clock, level: "debug" });
      const own = options.client ?? client;
      const random = fixedRandom(11);
      const engine = createEngine({
        provider,
        entries,
        client: own,
        caches: createCaches(own, { clock, random, onProblem: (error) => log.warn("cache", { error }) }),
        clock,
        random,
        log,
        metrics,
        identity: "test",
        ...options,
      });
      const end = new AbortController();
      const manager = createManager({ client: own, controllers: [engine.controller], clock, random, log });
      const ended = manager.run(end.signal);
      const run: Run = {
        engine,
        async stop() {
          runs.delete(run);
          end.abort(new Error("the test is over"));
          let isOver = false;
          const over = ended.finally(() => {
            isOver = true;
          });
          // What does not end by itself is given up by the clock.
          for (let turns = 0; !isOver; turns += 1) {
            await new Promise((resolve) => setImmediate(resolve));
            if (turns > 100) await clock.advance(1_000);
          }
          await over;
        },
      };
      runs.add(run);
      return run;
    },
    clientAs: (user) =>
      clientOf(transportAs(user, user.startsWith("system:serviceaccount:") ? ["system:serviceaccounts"] : [])),
    async until(what, holds) {
      const deadline = clock.monotonic() + 5 * 60_000;
      for (let turns = 0; ; turns += 1) {
        if (await holds()) return;
        if (clock.monotonic() > deadline)
          throw new Error(`${what}: not within five minutes\n${lines.slice(-30).join("")}`);
        await new Promise((resolve) => setImmediate(resolve));
        if (turns % 20 === 19) await clock.advance(500);
      }
    },
    async settle(ms = 0) {
      for (let turns = 0; turns < 40; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      for (let left = ms; left > 0; left -= 1_000) {
        await clock.advance(Math.min(left, 1_000));
        for (let turns = 0; turns < 10; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      }
    },
    async secret(
      data = { kubeconfig: "secret-kubeconfig" },
      { name = "credentials", namespace = "butler-system" } = {},
    ) {
      const encoded = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, btoa(value)]));
      return await client.apply(
        secretKind,
        { metadata: { name, namespace }, data: encoded },
        { fieldManager: "test", force: true },
      );
    },
    async config(spec = {}, { name = "prod", namespace = "butler-system" } = {}) {
      const whole = {
        provider: "harvester",
        credentialsRef: { name: "credentials" },
        harvester: { namespace: "default" },
        ...spec,
      };
      return await client.apply(
        providerConfigDescriptor,
        { metadata: { name, namespace }, spec: whole },
        { fieldManager: "test", force: true },
      );
    },
    async request(name, spec = {}, { namespace = "butler-system" } = {}) {
      const whole = {
        providerRef: { name: "prod" },
        machineName: name,
        role: "worker",
        cpu: 2,
        memoryMB: 2048,
        diskGB: 20,
        ...spec,
      } as const;
      return await client.apply(
        machineRequest,
        { metadata: { name, namespace }, spec: whole },
        { fieldManager: "test", force: true },
      );
    },
    configNow: ({ name = "prod", namespace = "butler-system" } = {}) =>
      now(client.get(providerConfigDescriptor, { name, namespace })),
    requestNow: (name, namespace = "butler-system") => now(client.get(machineRequest, { name, namespace })),
    async stop() {
      for (const run of [...runs]) await run.stop();
      await client.close();
      await plane.stop();
    },
  };
  return stage;
}
