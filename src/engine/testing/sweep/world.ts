// SPDX-License-Identifier: Apache-2.0
import { type MachineRequest, machineRequest, type ProviderConfig } from "../../../api/index.ts";
import {
  type Client,
  createClient,
  type HandlerTransport,
  type ManualClock,
  manualClock,
} from "../../../kube/index.ts";
import { type Plane, startPlane } from "../../../plane/plane.ts";
import type { Managers, ManagersOptions } from "../../managers.ts";
import { SYSTEM_NAMESPACE } from "../../names.ts";
import { providerConfigDescriptor } from "../../provider-config-use.ts";
import type { ProviderEntry } from "../../provider-entry.ts";
import type { RunningSimulator, SimulatedAccess, SimulatorOptions } from "../simulator.ts";
import { type Furnishing, furnish, loaded, usualSpec } from "./furnish.ts";
import type { Server } from "./line.ts";
import { inProcess, type Network } from "./network.ts";
import { createPast, type Past } from "./past.ts";
import { seededRandom, seedOf } from "./seeded-random.ts";
import { infrastructureServer, kubernetesServer, type Witness, witnessed } from "./servers.ts";
import { overSockets } from "./socket-network.ts";
import { StuckError, untilStill } from "./stillness.ts";
import { createTraffic, type Disturbance, type Side, type Traffic } from "./traffic.ts";
import { type ManagerStart, startManager, type WorldManager } from "./world-manager.ts";

export { StuckError } from "./stillness.ts";

/** What a world is made of. */
export interface WorldOptions<Sim extends RunningSimulator = RunningSimulator> {
  /** The provider, as the list of providers has it. */
  readonly entry: ProviderEntry;
  readonly simulator: { start(options: SimulatorOptions): Promise<Sim> };
  /** Everything that looks random follows from it. 1 unless told otherwise. */
  readonly seed?: number;
  /** The credentials and settings to use; the simulator's usual ones unless told otherwise. */
  readonly access?: (sim: Sim) => SimulatedAccess;
  /** Whether managers reach both servers over real sockets, see `overSockets`; in this process unless told otherwise. */
  readonly usesSockets?: boolean;
  /** How managers are made, for those who break a part of them. */
  readonly makeManagers?: (options: ManagersOptions) => Managers;
  /** See `StillnessOptions`. */
  readonly mostAtOnce?: number;
  /** Another Kubernetes on the infrastructure and the clock of this world, which lives on when this one is stopped. */
  readonly beside?: World<Sim> | undefined;
}

/**
 * A Kubernetes with Butler's kinds, one ProviderConfig `prod` with its Secret `credentials`, an infrastructure, and any number of
 * managers between them, all in this process and on one clock, which moves only when nothing is left to happen.
 */
export interface World<Sim extends RunningSimulator = RunningSimulator> {
  readonly seed: number;
  readonly clock: ManualClock;
  readonly plane: Plane;
  /** Of this world and of those beside it. */
  readonly planes: Set<Plane>;
  readonly sim: Sim;
  readonly access: SimulatedAccess;
  readonly entry: ProviderEntry;
  /** A person who may do everything in Kubernetes. What it sends is no point and meets no fault. */
  readonly client: Client;
  /** What all managers have logged, at level debug. */
  readonly lines: string[];
  readonly traffic: Traffic;
  /** What managers talk to, with witnesses told of what is served. */
  readonly servers: Readonly<Record<Side, Server>>;
  /** What the infrastructure would have answered, for reads that are to be old. */
  readonly past: Past;
  /** All that were ever started, the dead ones included. */
  readonly managers: readonly WorldManager[];
  startManager(start?: ManagerStart): WorldManager;
  /** Kills every manager and starts a new one at once. */
  restart(start?: ManagerStart): WorldManager;
  /** Has something happen at a request of a manager. Returns how to take it back. */
  disturb(disturbance: Disturbance): () => void;
  /** Called whenever the world stands still. Returns how to call that off. */
  onStill(look: () => void): () => void;
  /** Called with every request of a manager that a server has served, late ones included, and with its answer. */
  onServed(look: Witness): () => void;
  /** Resolves when nothing is left to happen but what waits for the clock. */
  still(): Promise<void>;
  /** Goes on by so many milliseconds, from one thing that happens to the next. */
  pass(ms: number): Promise<void>;
  /** Goes on until this holds while the world stands still. Throws `StuckError` where it does not within so many milliseconds. */
  until(what: string, holds: () => boolean, withinMs?: number): Promise<void>;
  request(name: string, spec?: object): Promise<MachineRequest>;
  /** The object as it is, or undefined. It is another one whenever it has changed. */
  requestNow(name: string): MachineRequest | undefined;
  configNow(): ProviderConfig | undefined;
  stop(): Promise<void>;
}

export { NETWORK_DATA_CANARY, USER_DATA_CANARY } from "./furnish.ts";

const USER = { name: "person", groups: ["system:masters", "system:authenticated"] };
const TWO_HOURS_MS = 2 * 3_600_000;

/** Raises a world without a manager. Stop it at the end. */
export async function raiseWorld<Sim extends RunningSimulator>(options: WorldOptions<Sim>): Promise<World<Sim>> {
  const { simulator, beside, usesSockets = false } = options;
  const seed = beside === undefined ? (options.seed ?? 1) : seedOf(beside.seed, "beside");
  const entry = await loaded(options.entry);
  const clock = beside?.clock ?? manualClock();
  const traffic = beside?.traffic ?? createTraffic();
  const plane = await startPlane({ memory: true, listen: false, clock, random: seededRandom(seedOf(seed, "plane")) });
  const sim =
    beside?.sim ??
    (await simulator.start({ clock, random: seededRandom(seedOf(seed, "infrastructure")), listens: usesSockets }));
  const access = options.access?.(sim) ?? sim;
  const transport: HandlerTransport = async (request) => {
    const leave = traffic.enter();
    try {
      return await plane.handle({ ...request, user: USER });
    } finally {
      leave();
    }
  };
  const random = seededRandom(seedOf(seed, "person"));
  const client = createClient({ server: "http://kubernetes" }, { transport, clock, random });
  await furnish({ client, plane, entry, access });
  const past = createPast(sim.transport, clock);
  const witnesses = new Set<Witness>();
  const servers = {
    kubernetes: witnessed("kubernetes", kubernetesServer(plane), witnesses),
    infrastructure: witnessed(
      "infrastructure",
      beside?.servers.infrastructure ?? infrastructureServer(sim, past),
      witnesses,
    ),
  };
  const between = { entry, servers, traffic, clock };
  const network = usesSockets ? await overSockets({ ...between, plane, sim }) : inProcess(between);
  const { makeManagers, mostAtOnce } = options;
  const parts = { seed, entry, clock, traffic, plane, sim, access, client, makeManagers, mostAtOnce, beside };
  return worldOf({ ...parts, witnesses, servers, network, past });
}

interface Parts<Sim extends RunningSimulator> extends Furnishing {
  readonly seed: number;
  readonly clock: ManualClock;
  readonly traffic: Traffic;
  readonly sim: Sim;
  readonly makeManagers: WorldOptions["makeManagers"];
  readonly mostAtOnce: number | undefined;
  readonly beside: World<Sim> | undefined;
  readonly witnesses: Set<Witness>;
  readonly servers: World["servers"];
  readonly network: Network;
  readonly past: Past;
}

function worldOf<Sim extends RunningSimulator>(parts: Parts<Sim>): World<Sim> {
  const { seed, clock, traffic, plane, sim, client, beside, witnesses, network, past, mostAtOnce } = parts;
  const lines: string[] = [];
  const managers: WorldManager[] = [];
  const looks = new Set<() => void>();
  const planes = beside?.planes ?? new Set<Plane>();
  planes.add(plane);
  const settled = async () => {
    await sim.settled();
    for (const each of planes) await each.settled();
  };
  const still = () => untilStill({ traffic, quietTurns: network.quietTurns, mostAtOnce, settled });
  /** Still, and whoever looks has nothing more to do. */
  const rest = async () => {
    for (let count = -1; count !== managers.length; ) {
      await still();
      await past.note();
      count = managers.length;
      for (const look of [...looks]) look();
    }
  };
  /** To the next thing that happens, or so far. */
  const step = async (mostMs: number) => {
    const ms = Math.min(mostMs, clock.nextInMs ?? mostMs);
    await clock.advance(ms);
    await rest();
    return ms;
  };
  const start = (how: ManagerStart = {}) => {
    const name = `${beside === undefined ? "" : "other-"}manager-${managers.length + 1}`;
    const { makeManagers } = parts;
    const onEnd = (ended: WorldManager, error: unknown) => {
      lines.push(`${JSON.stringify({ manager: ended.name, message: "ended", error: String(error) })}\n`);
      // As the kubelet does.
      clock.after(1_000, () => void start(how));
    };
    const manager = startManager({ name, seed, clock, network, lines, makeManagers, onEnd }, how);
    managers.push(manager);
    return manager;
  };
  const known = new Map<string, { readonly raw: unknown; readonly request: MachineRequest }>();
  return {
    ...parts,
    lines,
    planes,
    managers,
    startManager: start,
    restart(how) {
      for (const manager of managers) manager.kill();
      return start(how);
    },
    disturb: traffic.disturb,
    onStill(look) {
      looks.add(look);
      return () => void looks.delete(look);
    },
    onServed(look) {
      witnesses.add(look);
      return () => void witnesses.delete(look);
    },
    still,
    async pass(ms) {
      await rest();
      for (let leftMs = ms; leftMs > 0; ) leftMs -= await step(leftMs);
    },
    async until(what, holds, withinMs = TWO_HOURS_MS) {
      const deadline = clock.monotonic() + withinMs;
      await rest();
      while (!holds()) {
        const leftMs = deadline - clock.monotonic();
        if (leftMs <= 0) throw new StuckError(`${what}: not within ${Math.round(withinMs / 1000)} s`);
        await step(leftMs);
      }
    },
    async request(name, spec = {}) {
      const whole = { ...usualSpec(name), ...spec };
      return await client.create(machineRequest, { metadata: { name, namespace: SYSTEM_NAMESPACE }, spec: whole });
    },
    requestNow(name) {
      const type = plane.registry.findKind(machineRequest.group, machineRequest.kind);
      const raw = type === undefined ? undefined : plane.objects.get(type, { namespace: SYSTEM_NAMESPACE, name });
      if (raw === undefined) return undefined;
      const last = known.get(name);
      if (last?.raw === raw) return last.request;
      const request: MachineRequest = JSON.parse(JSON.stringify(raw));
      known.set(name, { raw, request });
      return request;
    },
    configNow() {
      const { group, kind } = providerConfigDescriptor;
      const type = plane.registry.findKind(group, kind);
      const raw =
        type === undefined ? undefined : plane.objects.get(type, { namespace: SYSTEM_NAMESPACE, name: "prod" });
      return raw === undefined ? undefined : JSON.parse(JSON.stringify(raw));
    },
    async stop() {
      for (const manager of managers) manager.discard();
      await client.close();
      await network.stop();
      if (beside === undefined) await sim.stop();
      planes.delete(plane);
      await plane.stop();
    },
  };
}
