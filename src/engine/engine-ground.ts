// SPDX-License-Identifier: Apache-2.0
import { type MachineRequest, machineRequest, team } from "../api/index.ts";
import {
  type Client,
  createEventRecorder,
  createRuntimeMetrics,
  type EventRecorder,
  namespace as namespaceKind,
} from "../kube/index.ts";
import { type CredentialsReader, createCredentials } from "./credentials.ts";
import type { EngineOptions } from "./engine-options.ts";
import type { Watched } from "./engine-watches.ts";
import { holderOf, identityOf, ownerOf } from "./identity.ts";
import { createInstallation, type Installation, type LaunchedWith } from "./installation.ts";
import { createMayRequestUse, type MayRequestUse } from "./may-use.ts";
import { SYSTEM_NAMESPACE } from "./names.ts";
import { createProtection, type Protection } from "./protection.ts";
import { providerConfigDescriptor } from "./provider-config-use.ts";
import { createReleased, type Released } from "./released.ts";
import { createRequestsByConfig, type RequestsByConfigOptions } from "./requests-by-config.ts";
import { createSecretProtection } from "./secret-protection.ts";
import { createConfigReader } from "./used-config.ts";

/** What the parts of an engine stand on. */
export interface Ground extends Watched {
  /** Refuses to write while the engine may not act. */
  readonly client: Client;
  readonly credentials: CredentialsReader;
  readonly protection: Protection;
  readonly mayRequestUse: MayRequestUse;
  readonly installation: Installation;
  readonly releasedIn: (namespace: string) => Released;
  readonly events: EventRecorder;
  /** For news that every manager may tell; whoever does, it is the same event. */
  readonly sharedEvents: EventRecorder;
}

/** What comes from the engine that stands on it. */
export interface GroundParts {
  readonly gate: () => void;
  readonly sightingsOf: RequestsByConfigOptions["sightingsOf"];
}

/** Prepares everything that needs no infrastructure. Asks for caches and starts none. */
export function createGround(options: EngineOptions, { gate, sightingsOf }: GroundParts): Ground {
  const { caches, clock, random, entries, secretNamespaces = [SYSTEM_NAMESPACE] } = options;
  const client = options.client.withGate(gate);
  const requestCache = caches.of(machineRequest);
  const configs = caches.of(providerConfigDescriptor);
  const credentials = createCredentials({ client, caches, namespaces: secretNamespaces });
  const namespaces = caches.of(namespaceKind);
  const mayRequestUse = createMayRequestUse({ namespaces, teams: caches.of(team) });
  const readConfig = createConfigReader(entries);
  const requests = createRequestsByConfig({ requests: requestCache, configs, mayRequestUse, readConfig, sightingsOf });
  const lists = new Map<string, Released>();
  const events = recorder(options, client, { isShared: false });
  const secrets = createSecretProtection({ credentials, events, clock });
  return {
    client,
    requestCache,
    configs,
    namespaces,
    teams: caches.of(team),
    credentials,
    requests,
    mayRequestUse,
    readConfig,
    protection: createProtection({ client, configs, requests, requestCache, secrets, readConfig, clock }),
    installation: createInstallation({
      client,
      random,
      launchedWith: () => requestCache.list().flatMap(launchedWith),
    }),
    releasedIn(namespace) {
      const isEnding = () => namespaces.get({ name: namespace })?.metadata.deletionTimestamp !== undefined;
      const list = lists.get(namespace) ?? createReleased({ client, clock, namespace, isEnding });
      lists.set(namespace, list);
      return list;
    },
    events,
    sharedEvents: recorder(options, client, { isShared: true }),
  };
}

function launchedWith(request: MachineRequest): readonly LaunchedWith[] {
  const { launch } = identityOf(request) ?? {};
  const wasSeen = request.status?.providerID !== undefined;
  // What was launched by us is held by us.
  const isLaunched = wasSeen || (launch !== undefined && holderOf(request) !== undefined);
  const id = launch?.installation;
  return isLaunched || id !== undefined ? [{ request: ownerOf(request), id, wasSeen }] : [];
}

function recorder(
  { provider, identity, clock, random, metrics }: EngineOptions,
  client: Client,
  { isShared }: { readonly isShared: boolean },
): EventRecorder {
  const runtime = metrics === undefined ? undefined : createRuntimeMetrics(metrics);
  return createEventRecorder({
    client,
    controller: isShared ? "butler.butlerlabs.dev/machines" : `butler.butlerlabs.dev/provider-${provider}`,
    instance: isShared ? "butler" : identity,
    clock,
    random,
    hasFixedNames: isShared,
    ...(runtime === undefined ? {} : { onDropped: () => runtime.droppedEvent() }),
  });
}
