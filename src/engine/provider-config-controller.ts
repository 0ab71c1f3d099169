// SPDX-License-Identifier: Apache-2.0
import type { ProviderConfig } from "../api/index.ts";
import {
  type Cache,
  type Clock,
  type EventRecorder,
  keyOf,
  keyText,
  type Random,
  type Reconcile,
  type ReconcileContext,
  type Result,
  writeStatus,
} from "../kube/index.ts";
import { closedBecause } from "./closed-config.ts";
import type { ConnectionState, Connections } from "./connections.ts";
import type { CredentialsReader } from "./credentials.ts";
import type { OpenConnections } from "./open-connections.ts";
import type { Need, Protection } from "./protection.ts";
import { createConfigChecks, type LastCheck, outcomeOf } from "./provider-config-checks.ts";
import { newsOf } from "./provider-config-events.ts";
import { type ConfigKnowledge, providerConfigStatus } from "./provider-config-status.ts";
import { providerConfigDescriptor } from "./provider-config-use.ts";
import type { Sightings } from "./sightings.ts";
import type { UsedConfig } from "./used-config.ts";

/** What the controller of one provider's ProviderConfigs works with. */
export interface ProviderConfigReconcilerOptions {
  readonly cache: Cache<ProviderConfig>;
  readonly connections: Connections;
  readonly open: OpenConnections;
  readonly protection: Protection;
  readonly readConfig: (object: ProviderConfig) => UsedConfig;
  readonly credentials: Pick<CredentialsReader, "known" | "isWatched">;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  /** The ProviderConfig can be used again: its machines need not wait any longer. */
  readonly onRecovered: (configKey: string) => void;
}

/** Numbers of machines are worth a write this often. */
const COUNT_MS = 10_000;

/** What nobody tells of is looked at this often: Secrets that are not watched, launches that came to nothing. */
const UNTOLD_MS = 60_000;

/** How a ProviderConfig was found. */
interface Stand {
  readonly config: UsedConfig;
  readonly state: ConnectionState;
  readonly check: LastCheck | undefined;
  readonly need: Need;
  readonly count: Count;
}

interface Count {
  readonly machines?: { readonly total: number; readonly running: number };
  /** When the number is to be told; left out where it is told already. */
  readonly againInMs?: number;
}

/** Keeps the statuses of ProviderConfigs true: logs in, tells what works and what does not, and protects those in use. */
export function createProviderConfigReconciler(options: ProviderConfigReconcilerOptions): Reconcile {
  const { cache, connections, open, protection, readConfig, clock, onRecovered } = options;
  const checks = createConfigChecks(options);
  const countOf = createCounting(clock);
  return async (key, context) => {
    const text = keyText(key);
    const object = cache.get(key);
    if (object === undefined) {
      checks.forget(text);
      await open.drop(text);
      await protection.sweep(context);
      return "done";
    }
    const state = await connections.ofConfig(key, context);
    if (state.state === "other-provider" || state.state === "absent") return "done";
    const config = readConfig(object);
    const need = await protection.settle(config, context);
    const check = state.state === "connected" ? await checks.of(text, state, context) : undefined;
    const count = state.state === "connected" ? countOf(object, state.sightings) : {};
    const stand = { config, state, check, need, count };
    const before = cache.get(key)?.status;
    const after = await write(object, knowledgeOf(stand, options), { clock, context });
    for (const news of newsOf(before, after)) options.events.record(object, news);
    if (before?.ready === false && after?.ready === true) onRecovered(text);
    return again(stand, options);
  };
}

/** While many machines come and go their number is told now and then. */
function createCounting(clock: Clock): (config: ProviderConfig, sightings: Sightings) => Count {
  const counted = new WeakMap<Sightings, number>();
  return ({ status }, sightings) => {
    if (!sightings.isComplete) return {};
    const all = sightings.list().filter(({ state }) => state !== "remains");
    const machines = { total: all.length, running: all.filter(({ state }) => state === "running").length };
    const isSame = status?.machines?.total === machines.total && status.machines.running === machines.running;
    if (isSame) return { machines };
    const againInMs = (counted.get(sightings) ?? Number.NEGATIVE_INFINITY) + COUNT_MS - clock.monotonic();
    if (againInMs > 0) return { againInMs };
    counted.set(sightings, clock.monotonic());
    return { machines };
  };
}

function knowledgeOf(
  { config, state, check, need, count }: Stand,
  { credentials }: ProviderConfigReconcilerOptions,
): ConfigKnowledge {
  return {
    config,
    outcome: outcomeOf(state, check),
    machines: count.machines,
    neededBy: config.isDeleting ? need.requests().map((request) => keyText(keyOf(request))) : [],
    closed: closedBecause(config, credentials),
    checkedAtMs: check?.atMs,
  };
}

async function write(
  object: ProviderConfig,
  known: ConfigKnowledge,
  { clock, context }: { readonly clock: Clock; readonly context: ReconcileContext },
) {
  const { client, signal } = context;
  const written = await writeStatus(object, {
    client,
    kind: providerConfigDescriptor,
    signal,
    change: ({ status }) => providerConfigStatus(status, known, { now: clock.now() }),
  });
  return written.status;
}

function again({ config, state, check, need, count }: Stand, options: ProviderConfigReconcilerOptions): Result {
  if (state.state === "not-runnable") return "done";
  const { credentials: place } = config;
  const isWatched = place?.state !== "named" || options.credentials.isWatched(place.key.namespace ?? "");
  const waits = [
    ...(check === undefined ? [] : [check.dueAt - options.clock.monotonic()]),
    ...(isWatched ? [] : [UNTOLD_MS * (0.8 + options.random() / 5)]),
    // Nobody tells when what is refused would be allowed.
    ...(state.state === "refused" ? [5 * UNTOLD_MS] : []),
    ...(need.isAboutToBe ? [UNTOLD_MS] : []),
    ...(count.againInMs === undefined ? [] : [count.againInMs]),
  ];
  return waits.length === 0 ? "done" : { againInMs: Math.max(1, Math.min(...waits)) };
}
