// SPDX-License-Identifier: Apache-2.0
import type { Clock, HandlerTransport, Random } from "../kube/index.ts";
import type { Credentials, CredentialsReader } from "./credentials.ts";
import { findCredentials } from "./find-credentials.ts";
import type { Guard } from "./guard.ts";
import type { Installation } from "./installation.ts";
import type { Calls } from "./outside-call.ts";
import type { Connection, Provider } from "./provider.ts";
import { quotedKey } from "./provider-config-use.ts";
import type { ProviderEntry } from "./provider-entry.ts";
import { ProviderError } from "./provider-error.ts";
import type { Released } from "./released.ts";
import { createSightings, type Sightings, toProviderError } from "./sightings.ts";
import type { UsedConfig } from "./used-config.ts";

/** A connection and what belongs to it. */
export interface OpenConnection {
  readonly provider: Provider;
  readonly connection: Connection;
  readonly installation: string;
  readonly calls: Calls;
  readonly sightings: Sightings;
  readonly guard: Guard;
  readonly released: Released;
}

/** Opens connections and keeps them: one per ProviderConfig, as long as its spec and its credentials stay what they are. */
export interface OpenConnections {
  /** The connection of a ProviderConfig, or why there is none. All who ask at once get the same one. */
  get(config: UsedConfig, options: { readonly signal: AbortSignal }): Promise<OpenConnection | ProviderError>;
  /** The one that is open, if any; opens none. */
  peek(key: string): OpenConnection | undefined;
  /** Closes the connection of a ProviderConfig that is gone. */
  drop(key: string): Promise<void>;
  close(): Promise<void>;
}

/** What is needed to open connections. */
export interface OpenConnectionsOptions {
  readonly entry: ProviderEntry;
  readonly credentials: CredentialsReader;
  readonly installation: Installation;
  readonly clock: Clock;
  readonly random: Random;
  readonly transport: HandlerTransport | undefined;
  /** What goes along with a connection. Made once for each. */
  readonly callsFor: (config: UsedConfig) => Calls;
  readonly guardFor: (config: UsedConfig, opened: Pick<OpenConnection, "connection" | "sightings">) => Guard;
  readonly releasedIn: (namespace: string) => Released;
  /** Told of what the sightings see: the owner of a machine as `namespace/name`, undefined for all of this ProviderConfig's; see `Sightings`. */
  readonly onSighting: (configKey: string, owner: string | undefined, isDetail: boolean) => void;
  /** The connection, or the reason why there is none, is another than before. */
  readonly onReplaced: (configKey: string) => void;
}

/** A Secret that is not watched is read again after so long. */
const RECHECK_MS = 60_000;

interface Held {
  /** Of everything that the connection was made from. */
  readonly identity: string;
  readonly outcome: OpenConnection | ProviderError;
  /** When the Secret was last known to be the same. */
  checkedAt: number;
}

/** Makes one that holds no connection yet. */
export function createOpenConnections(options: OpenConnectionsOptions): OpenConnections {
  const { entry, credentials, clock, onReplaced } = options;
  const held = new Map<string, Held>();
  const opening = new Map<string, { readonly identity: string; readonly outcome: Promise<Held["outcome"]> }>();
  const closing = new Set<Promise<void>>();
  let lifetime = new AbortController();
  let loaded: Promise<{ readonly provider: Provider }> | undefined;

  const retire = (outcome: Held["outcome"] | undefined) => {
    if (outcome === undefined || outcome instanceof ProviderError) return;
    const end = close(outcome).finally(() => closing.delete(end));
    closing.add(end);
  };
  /** Without asking the server, where the watch knows enough. */
  const stillGood = (config: UsedConfig): Held | undefined => {
    const known = held.get(config.key);
    if (known === undefined) return undefined;
    const { credentials: place } = config;
    if (place?.state !== "named") return known.identity.startsWith(configIdentity(config)) ? known : undefined;
    if (credentials.isWatched(place.key.namespace ?? "")) {
      const secret = credentials.known(place.key);
      return known.identity === identityOf(config, secret) ? known : undefined;
    }
    const isFresh = clock.monotonic() - known.checkedAt < RECHECK_MS;
    return isFresh && known.identity.startsWith(configIdentity(config)) ? known : undefined;
  };
  const keep = (config: UsedConfig, identity: string, outcome: Held["outcome"]) => {
    const before = held.get(config.key);
    retire(before?.outcome);
    held.set(config.key, { identity, outcome, checkedAt: clock.monotonic() });
    if (before !== undefined && isNews(before.outcome, outcome)) onReplaced(config.key);
    return outcome;
  };
  const renew = async (config: UsedConfig): Promise<Held["outcome"]> => {
    const { signal } = lifetime;
    const { secret, problem } = await findCredentials(config, { entry, credentials, signal });
    const identity = identityOf(config, secret);
    const known = held.get(config.key);
    if (known?.identity === identity && (problem === undefined || !isNews(known.outcome, problem))) {
      known.checkedAt = clock.monotonic();
      return known.outcome;
    }
    if (secret === undefined || problem !== undefined) return keep(config, identity, problem ?? nothingFound(config));
    loaded ??= load(entry);
    const { provider } = await loaded;
    const installation = await options.installation.id({ signal }).catch(problemOf);
    if (installation instanceof ProviderError) return installation;
    try {
      return keep(config, identity, await openNow(config, { ...options, provider, installation, secret }));
    } catch (thrown) {
      const error = toProviderError(thrown);
      // What may pass by itself is tried again by the next who asks.
      return error.kind === "invalid" || error.kind === "denied" ? keep(config, identity, error) : error;
    }
  };
  return {
    async get(config, { signal }) {
      for (let joined = 0; ; joined += 1) {
        const good = stillGood(config);
        if (good !== undefined) return good.outcome;
        const busy = opening.get(config.key);
        if (busy === undefined) {
          const outcome = renew(config).finally(() => opening.delete(config.key));
          opening.set(config.key, { identity: configIdentity(config), outcome });
          return await unlessAborted(outcome, signal);
        }
        const ended = unlessAborted(busy.outcome, signal);
        // What is under way may have begun before what this caller was called for: only a second one is sure to know of it.
        if (joined > 0 && busy.identity === configIdentity(config)) return await ended;
        await Promise.allSettled([ended]);
        signal.throwIfAborted();
      }
    },
    peek(key) {
      const outcome = held.get(key)?.outcome;
      return outcome instanceof ProviderError ? undefined : outcome;
    },
    async drop(key) {
      await Promise.allSettled([opening.get(key)?.outcome]);
      retire(held.get(key)?.outcome);
      held.delete(key);
    },
    async close() {
      lifetime.abort(new Error("connections are being closed"));
      await Promise.allSettled([...opening.values()].map(({ outcome }) => outcome));
      for (const { outcome } of held.values()) retire(outcome);
      held.clear();
      await Promise.all(closing);
      lifetime = new AbortController();
    },
  };
}

async function load(entry: ProviderEntry): Promise<{ readonly provider: Provider }> {
  if (entry.load === undefined) throw new Error(`provider "${entry.name}" cannot run`);
  return await entry.load();
}

function configIdentity({ object: { metadata } }: UsedConfig): string {
  return `${metadata.uid}/${metadata.generation}/`;
}

function identityOf(config: UsedConfig, secret: { readonly uid: string; readonly digest: string } | undefined): string {
  return `${configIdentity(config)}${secret === undefined ? "none" : `${secret.uid}/${secret.digest}`}`;
}

/** The same refusal over again is no news. */
function isNews(before: Held["outcome"], now: Held["outcome"]): boolean {
  if (!(before instanceof ProviderError) || !(now instanceof ProviderError)) return true;
  return before.message !== now.message;
}

function nothingFound({ key }: UsedConfig): ProviderError {
  const message = `ProviderConfig ${quotedKey(key)} has no credentials; set spec.credentialsRef`;
  return new ProviderError({ kind: "invalid", reason: "NoCredentials", message });
}

function problemOf(thrown: unknown): ProviderError {
  if (thrown instanceof ProviderError) return thrown;
  throw thrown;
}

interface Opening extends Omit<OpenConnectionsOptions, "installation"> {
  readonly provider: Provider;
  readonly installation: string;
  readonly secret: Credentials;
}

async function openNow(config: UsedConfig, opening: Opening): Promise<OpenConnection> {
  const { provider, installation, secret, clock, random, transport, onSighting } = opening;
  const { settings, credentials: place, key } = config;
  const secretKey = place?.state === "named" ? place.secretKey : undefined;
  const connection = await provider.connect({
    settings,
    secret: secret.data,
    installation,
    clock,
    random,
    ...(secretKey === undefined ? {} : { secretKey }),
    ...(transport === undefined ? {} : { transport }),
  });
  const calls = opening.callsFor(config);
  const { visibilityLagMs, callLimitMs, watchLastsMs } = provider;
  const sightings = createSightings({
    machines: connection.machines,
    calls,
    clock,
    random,
    visibilityLagMs,
    callLimitMs,
    watchLastsMs,
    onChange: (owner, isDetail) => onSighting(key, owner, isDetail),
  });
  sightings.start();
  const guard = opening.guardFor(config, { connection, sightings });
  const released = opening.releasedIn(config.object.metadata.namespace ?? "");
  return { provider, connection, installation, calls, sightings, guard, released };
}

/** What is under way may end by itself; nobody begins anything new with what was replaced. */
async function close({ sightings, calls, connection }: OpenConnection): Promise<void> {
  await sightings.stop();
  await calls.idle();
  await connection.close();
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
