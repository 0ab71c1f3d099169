// SPDX-License-Identifier: Apache-2.0
import type { MachineRequest, ProviderConfig } from "../api/index.ts";
import { type Cache, keyOf, keyText, type ObjectKey, parseKeyText } from "../kube/index.ts";
import type { Guard } from "./guard.ts";
import { type Identity, identityOf, ownerOf } from "./identity.ts";
import type { MayRequestUse } from "./may-use.ts";
import { SYSTEM_NAMESPACE } from "./names.ts";
import type { OpenConnection, OpenConnections } from "./open-connections.ts";
import type { Calls } from "./outside-call.ts";
import type { Protection } from "./protection.ts";
import type { Connection, MachineHave, Provider } from "./provider.ts";
import { configCandidates, launchedAt, quotedKey } from "./provider-config-use.ts";
import type { ProviderEntry } from "./provider-entry.ts";
import { ProviderError } from "./provider-error.ts";
import type { Released } from "./released.ts";
import type { RequestsByConfig } from "./requests-by-config.ts";
import type { Sightings } from "./sightings.ts";
import type { UsedConfig } from "./used-config.ts";

export type { UsedConfig } from "./used-config.ts";

/** The infrastructure of a request can be talked to. */
export interface Connected {
  readonly state: "connected";
  readonly provider: Provider;
  readonly connection: Connection;
  /** The UUID of this installation, for marks. */
  readonly installation: string;
  readonly config: UsedConfig;
  /** How every verb of the provider is called. */
  readonly calls: Calls;
  readonly sightings: Sightings;
  /** To be asked before each create call, and before the first launch of a machine is written down. */
  readonly guard: Guard;
  readonly released: Released;
  /** How often the ProviderConfig was found usable after it had not been: what failed before deserves a fresh try. */
  readonly recoveries: number;
  /**
   * Puts the finalizers on the ProviderConfig and its Secret that keep them while machines need them. To be awaited before the
   * first launch through them is written down; costs nothing where they are there.
   */
  protect(request: MachineRequest, options: { readonly signal: AbortSignal }): Promise<void>;
}

/**
 * How a request stands to this provider. `absent`: no such ProviderConfig; every manager says the same. `other-provider`: not ours,
 * to be left alone. `not-runnable`: its provider has settings only; every manager says the same. `refused`: ours, and it cannot be
 * used as it is: not allowed, Secret missing or incomplete, settings wrong. Comes back by itself when that changes.
 */
export type ConnectionState =
  | Connected
  | { readonly state: "absent"; readonly reason: string; readonly message: string }
  | { readonly state: "other-provider" }
  | { readonly state: "not-runnable"; readonly reason: string; readonly message: string }
  | { readonly state: "refused"; readonly config: UsedConfig; readonly error: ProviderError };

/** A machine, and where it stands. */
export interface SeenAt {
  readonly at: Connected;
  readonly have: MachineHave;
}

/** The connections of one provider: one for each ProviderConfig in use, kept while it and its Secret stay what they are. */
export interface Connections {
  of(request: MachineRequest, options: { readonly signal: AbortSignal }): Promise<ConnectionState>;
  /** The same for a ProviderConfig itself, whoever may use it. */
  ofConfig(key: ObjectKey, options: { readonly signal: AbortSignal }): Promise<ConnectionState>;
  /**
   * The same for the ProviderConfig that the request's launch names, which is the user's to write: refused where the request may
   * not use it and its machine is not seen there. `isProven`: that is known from before.
   */
  ofLaunch(
    request: MachineRequest,
    options: { readonly key: ObjectKey; readonly isProven: boolean; readonly signal: AbortSignal },
  ): Promise<ConnectionState>;
  /** The ProviderConfig that the request goes by, as `namespace/name`; the first candidate where none exists. */
  configKeyOf(request: MachineRequest): string;
  /**
   * Where a machine of this request is seen that has the id the request is known by, or the one that is recorded. Of what is open
   * already: its own ProviderConfig first, then those beside it or in its namespace or in `butler-system` that it may use. Undefined
   * where none is seen.
   */
  whereSeen(request: MachineRequest, identity: Identity | undefined): SeenAt | undefined;
  /** Ends all watches and closes all connections. They are opened again when needed. */
  close(): Promise<void>;
}

/** What connections are found by. */
export interface ConnectionsOptions {
  /** The provider whose connections these are. */
  readonly provider: string;
  readonly entries: readonly ProviderEntry[];
  readonly configs: Cache<ProviderConfig>;
  readonly requests: Pick<RequestsByConfig, "configKeyOf">;
  readonly mayRequestUse: MayRequestUse;
  readonly readConfig: (object: ProviderConfig) => UsedConfig;
  readonly open: OpenConnections;
  readonly protection: Protection;
  /** By ProviderConfig. */
  readonly recoveries: ReadonlyMap<string, number>;
}

/** Makes the connections of one provider. None is opened before it is asked for. */
export function createConnections(options: ConnectionsOptions): Connections {
  const { configs, readConfig, open, protection, requests } = options;
  const { configKeyOf } = requests;
  const connect = async (config: UsedConfig, signal: AbortSignal): Promise<ConnectionState> => {
    const opened = await open.get(config, { signal });
    if (opened instanceof ProviderError) return { state: "refused", config, error: opened };
    return connected(config, opened);
  };
  const ofConfig = async (key: ObjectKey, signal: AbortSignal): Promise<ConnectionState> => {
    const object = configs.get(key);
    if (object === undefined) return absent([keyText(key)]);
    const config = readConfig(object);
    return notOurs(config, options) ?? (await connect(config, signal));
  };
  const connected = (config: UsedConfig, opened: OpenConnection): Connected => ({
    state: "connected",
    config,
    ...opened,
    recoveries: options.recoveries.get(config.key) ?? 0,
    protect: (request, { signal }) => protection.protect(config, { request, signal }),
  });
  return {
    async of(request, { signal }) {
      const key = configKeyOf(request);
      const object = configs.get(parseKeyText(key));
      if (object === undefined) return absent(configCandidates(request));
      const config = readConfig(object);
      const elsewhere = notOurs(config, options);
      if (elsewhere !== undefined) return elsewhere;
      const refusal = refusalOf(request, config, options);
      if (refusal !== undefined) return { state: "refused", config, error: refusal };
      return await connect(config, signal);
    },
    ofConfig: (key, { signal }) => ofConfig(key, signal),
    async ofLaunch(request, { key, isProven, signal }) {
      const object = configs.get(key);
      if (object === undefined || isProven || options.mayRequestUse(request, object))
        return await ofConfig(key, signal);
      const config = readConfig(object);
      const opened = config.provider === options.provider ? open.peek(config.key) : undefined;
      if (opened !== undefined && seenBy(opened, request, identityOf(request)) !== undefined)
        return await ofConfig(key, signal);
      return { state: "refused", config, error: launchNotAllowed(request, config) };
    },
    configKeyOf,
    whereSeen(request, identity) {
      const own = configKeyOf(request);
      const others = configs.list().filter((each) => keyText(keyOf(each)) !== own);
      const near = [request.metadata.namespace, parseKeyText(own).namespace, SYSTEM_NAMESPACE];
      // An infrastructure of somebody else's may show what its owner likes, the marks of others included.
      const mayUse = (each: ProviderConfig) =>
        near.includes(each.metadata.namespace) && options.mayRequestUse(request, each);
      for (const object of [configs.get(parseKeyText(own)), ...others.filter(mayUse)]) {
        if (object === undefined) continue;
        const config = readConfig(object);
        const opened = config.provider === options.provider ? open.peek(config.key) : undefined;
        const have = opened === undefined ? undefined : seenBy(opened, request, identity);
        if (opened !== undefined && have !== undefined) return { at: connected(config, opened), have };
      }
      return undefined;
    },
    close: () => open.close(),
  };
}

/** Annotations are the user's to write: a machine counts only where its own mark names the request. */
function seenBy(
  { sightings }: OpenConnection,
  request: MachineRequest,
  identity: Identity | undefined,
): MachineHave | undefined {
  const owner = ownerOf(request);
  const recordedId = request.status?.providerID;
  const isRecorded = ({ mark, providerId }: MachineHave) => mark.owner === owner && providerId === recordedId;
  const byId = identity === undefined ? undefined : sightings.get({ machineId: identity.machineId, owner });
  return byId ?? (recordedId === undefined ? undefined : sightings.list().find(isRecorded));
}

function absent(candidates: readonly string[]): ConnectionState {
  const [first = "", second] = candidates;
  const there = second === undefined ? "" : `, nor does ${quotedKey(second)}`;
  return {
    state: "absent",
    reason: "ProviderConfigNotFound",
    message: `ProviderConfig ${quotedKey(first)} does not exist${there}; create it, or correct spec.providerRef`,
  };
}

function notOurs(config: UsedConfig, { provider, entries }: ConnectionsOptions): ConnectionState | undefined {
  const entry = entries.find(({ name }) => name === config.provider);
  if (entry?.load === undefined)
    return {
      state: "not-runnable",
      reason: "ProviderNotSupported",
      message: `provider "${config.provider}" of ProviderConfig ${quotedKey(config.key)} cannot make machines yet; providers that can: ${runnable(entries)}`,
    };
  return config.provider === provider ? undefined : { state: "other-provider" };
}

function runnable(entries: readonly ProviderEntry[]): string {
  const names = entries.filter(({ load }) => load !== undefined).map(({ name }) => name);
  return names.length === 0 ? "none" : names.join(", ");
}

/**
 * Why this request may not go by this ProviderConfig. A machine that was launched while it was allowed may still be deleted: what
 * is deleted is proven to be the request's own.
 */
function refusalOf(
  request: MachineRequest,
  config: UsedConfig,
  { mayRequestUse }: ConnectionsOptions,
): ProviderError | undefined {
  const { namespace: name = "", deletionTimestamp } = request.metadata;
  if (mayRequestUse(request, config.object)) return undefined;
  const teamName = config.object.spec.scope?.teamRef?.name;
  if (deletionTimestamp !== undefined && launchedAt(request) !== undefined) return undefined;
  return new ProviderError({
    kind: "denied",
    reason: "ProviderConfigNotAllowed",
    message: `ProviderConfig ${quotedKey(config.key)} is for team "${teamName ?? ""}" alone, and namespace "${name}" does not belong to it; use another ProviderConfig, or let an administrator label the namespace butler.butlerlabs.dev/team=${teamName ?? "TEAM"}`,
  });
}

/** What is told says nothing of the ProviderConfig but whose it is: who asks may have nothing to do with it. */
function launchNotAllowed({ metadata }: MachineRequest, { key, object }: UsedConfig): ProviderError {
  const team = object.spec.scope?.teamRef?.name;
  return new ProviderError({
    kind: "denied",
    reason: "ProviderConfigNotAllowed",
    message: `the machine cannot be looked for through ProviderConfig ${quotedKey(key)}, which is for team "${team ?? ""}" alone: none of this request is seen there, and namespace "${metadata.namespace ?? ""}" does not belong to that team. If it did when the machine was made, let an administrator label it butler.butlerlabs.dev/team=${team ?? "TEAM"} until the machine is gone`,
  });
}
