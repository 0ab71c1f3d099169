// SPDX-License-Identifier: Apache-2.0
import type { MachineRequest } from "../api/index.ts";
import {
  type Clock,
  type Controller,
  type ControllerHooks,
  createController,
  createRuntimeMetrics,
  keyOf,
  keyText,
  type ManagedController,
  type ObjectKey,
  parseKeyText,
} from "../kube/index.ts";
import { createAudit } from "./audit.ts";
import { closedBecause } from "./closed-config.ts";
import { type Connections, createConnections } from "./connections.ts";
import { createGround, type Ground } from "./engine-ground.ts";
import type { EngineOptions } from "./engine-options.ts";
import { createFence, type Fence, runTogether } from "./engine-run.ts";
import { configWatches, machineWatches, wantOrFateChanged } from "./engine-watches.ts";
import { createGuard, createTraffic, type Guard, type Traffic } from "./guard.ts";
import { ANNOTATIONS, ownerOf } from "./identity.ts";
import { createMachineReconciler } from "./machine-reconciler.ts";
import { createOpenConnections, type OpenConnection, type OpenConnections } from "./open-connections.ts";
import { createCalls } from "./outside-call.ts";
import { createProviderConfigReconciler } from "./provider-config-controller.ts";
import { launchedAt, quotedKey } from "./provider-config-use.ts";
import type { ProviderEntry } from "./provider-entry.ts";
import { randomUuid } from "./random-uuid.ts";
import type { UsedConfig } from "./used-config.ts";

export type { EngineOptions } from "./engine-options.ts";

/** Everything about the machines of one provider. */
export interface Engine {
  readonly provider: string;
  /** To be run by one manager, with the Lease `butler-provider-<name>`. */
  readonly controller: ManagedController;
  readonly connections: Connections;
}

const PER_CONFIG = 16;
const CONCURRENCY = 64;
const CONFIG_CONCURRENCY = 8;

/** Machines come and go by the thousand; their number is not urgent. */
const COUNT_AFTER_MS = 2_000;

/** How far a machine has got is not urgent either: something else will have happened to it by then. */
const DETAIL_AFTER_MS = 3_000;

/** Puts the engine of one provider together. Nothing is sent before its controller runs. */
export function createEngine(options: EngineOptions): Engine {
  const { provider, entries } = options;
  const entry = entries.find(({ name }) => name === provider);
  if (entry?.load === undefined) throw new Error(`provider "${provider}" cannot run`);
  const fence = createFence();
  const ground = createGround(options, {
    gate: fence.check,
    sightingsOf: (configKey) => open.peek(configKey)?.sightings,
  });
  const requeue = (configKey: string) => {
    for (const request of ground.requests.concerning(configKey)) machines.add(keyOf(request));
  };
  const open = openConnections(entry, options, {
    ground,
    fence,
    onSighting(configKey, owner, isDetail) {
      if (owner === undefined) requeue(configKey);
      else machines.add(parseKeyText(owner), { afterMs: isDetail ? DETAIL_AFTER_MS : 0 });
      configs.add(parseKeyText(configKey), { afterMs: COUNT_AFTER_MS });
    },
    onReplaced(configKey) {
      requeue(configKey);
      configs.add(parseKeyText(configKey));
    },
    onTurn: (owner) => machines.add(parseKeyText(owner)),
  });
  const recoveries = new Map<string, number>();
  const connections = createConnections({ ...ground, provider, entries, open, recoveries });
  const onRecovered = (configKey: string) => {
    recoveries.set(configKey, (recoveries.get(configKey) ?? 0) + 1);
    requeue(configKey);
  };
  const machines = machineController(options, ground, connections);
  const configs = configController(options, ground, { connections, open, onRecovered });
  const afterwards = async () => {
    await Promise.all([ground.events.flush(), ground.sharedEvents.flush()]);
    await open.close();
  };
  const controller = runTogether(`provider-${provider}`, { parts: [machines, configs], fence, afterwards });
  return { provider, controller, connections };
}

function machineController(options: EngineOptions, ground: Ground, connections: Connections): Controller {
  const { provider, entries, clock, random, log, perConfig = PER_CONFIG, concurrency = CONCURRENCY } = options;
  const { client, requestCache, requests, releasedIn, events, sharedEvents } = ground;
  return createController({
    ...named(`machines-${provider}`, options),
    client,
    cache: requestCache,
    watches: machineWatches(ground),
    concurrency,
    groupLimits: { inFlight: perConfig },
    // One slow infrastructure keeps only its own machines waiting.
    group(key) {
      const request = requestCache.get(key);
      return request === undefined ? "" : requests.configKeyOf(request);
    },
    reconcile: createMachineReconciler({
      provider,
      providers: entries.filter(({ load }) => load !== undefined).map(({ name }) => name),
      cache: requestCache,
      connections,
      releasedIn,
      events,
      sharedEvents,
      clock,
      random,
      newId: () => randomUuid(random),
      log,
    }),
  });
}

interface ConfigParts {
  readonly connections: Connections;
  readonly open: OpenConnections;
  readonly onRecovered: (configKey: string) => void;
}

function configController(options: EngineOptions, ground: Ground, parts: ConfigParts): Controller {
  const { provider, clock, random } = options;
  const { client, configs } = ground;
  return createController({
    ...named(`provider-configs-${provider}`, options),
    client,
    cache: configs,
    when: wantOrFateChanged,
    watches: configWatches(ground),
    concurrency: CONFIG_CONCURRENCY,
    reconcile: createProviderConfigReconciler({ ...ground, ...parts, cache: configs, clock, random }),
  });
}

/** Everything that goes wrong in a controller is in the log; conflicts are nobody's fault. */
function named(name: string, { clock, random, metrics, log: whole }: EngineOptions) {
  const hooks: ControllerHooks = metrics === undefined ? {} : createRuntimeMetrics(metrics).hooks(name);
  const log = whole.with({ controller: name });
  const onProblem = (error: unknown, key?: ObjectKey) => {
    if (key === undefined) log.warn("a problem beside the work", { error });
    else log.warn("reconcile failed", { key: keyText(key), error });
  };
  return { name, clock, random, hooks, onProblem };
}

interface Opening extends Pick<Parameters<typeof createOpenConnections>[0], "onSighting" | "onReplaced"> {
  readonly ground: Ground;
  readonly fence: Fence;
  readonly onTurn: (owner: string) => void;
}

function openConnections(entry: ProviderEntry, options: EngineOptions, opening: Opening): OpenConnections {
  const { provider, clock, random, log, metrics, transport } = options;
  const { ground, fence, onTurn, onSighting, onReplaced } = opening;
  // A connection is replaced when credentials rotate: create calls that are under way through the old one still count.
  const traffics = new Map<string, Traffic>();
  return createOpenConnections({
    ...ground,
    entry,
    clock,
    random,
    transport,
    callsFor: ({ key }) =>
      createCalls({ clock, gate: fence.check, audit: createAudit({ log, metrics, provider, providerConfig: key }) }),
    guardFor(config, opened) {
      const traffic = traffics.get(config.key) ?? createTraffic(clock, onTurn);
      traffics.set(config.key, traffic);
      return guardFor(config, opened, { ground, clock, traffic });
    },
    onSighting,
    onReplaced,
  });
}

interface GuardSurroundings extends Pick<Opening, "ground"> {
  readonly clock: Clock;
  readonly traffic: Traffic;
}

function guardFor(
  { key, object }: UsedConfig,
  { connection, sightings }: Pick<OpenConnection, "connection" | "sightings">,
  { ground, clock, traffic }: GuardSurroundings,
): Guard {
  const { configs, credentials, readConfig, requests, requestCache, releasedIn, mayRequestUse } = ground;
  const current = () => {
    const now = configs.get(keyOf(object));
    return now === undefined ? undefined : readConfig(now);
  };
  const idOf = ({ metadata }: MachineRequest) => metadata.annotations?.[ANNOTATIONS.machineId];
  // Annotations are the user's to write: a request counts where it may use the ProviderConfig, or its machine is really there.
  const isSeen = (request: MachineRequest) =>
    sightings.get({ machineId: idOf(request) ?? "", owner: ownerOf(request) }) !== undefined;
  const counts = (request: MachineRequest) =>
    mayRequestUse(request, configs.get(keyOf(object)) ?? object) || isSeen(request);
  const isNearby = (request: MachineRequest) => {
    // Whatever has become of the ProviderConfig that it was made through.
    if (isSeen(request)) return true;
    if (requests.configKeyOf(request) === key) return counts(request);
    const launched = launchedAt(request);
    return launched?.place === connection.place && requests.isLaunchedThrough(request, launched.providerConfig ?? "");
  };
  const gone = {
    reason: "ProviderConfigNotFound",
    message: `ProviderConfig ${quotedKey(key)} does not exist any more`,
  };
  return createGuard({
    clock,
    config: quotedKey(key),
    limits: () => current() ?? { maxConcurrentCreates: 1 },
    closed() {
      const config = current();
      return config === undefined ? gone : closedBecause(config, credentials);
    },
    marked: () => sightings.list().map(({ mark, name, providerId }) => ({ ...mark, name, providerId })),
    requested: () => requests.of(key).filter(counts).map(idOf),
    requestedNearby: () => requestCache.list().filter(isNearby).map(idOf),
    isRequest: (owner) => requestCache.get(parseKeyText(owner)) !== undefined,
    released: releasedIn(object.metadata.namespace ?? ""),
    traffic,
  });
}
