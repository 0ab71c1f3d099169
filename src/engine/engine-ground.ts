// SPDX-License-Identifier: Apache-2.0
import { machineRequest, team } from "../api/index.ts";
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
import { createInstallation, type Installation } from "./installation.ts";
import { SYSTEM_NAMESPACE } from "./names.ts";
import { createProtection, type Protection } from "./protection.ts";
import { providerConfigDescriptor } from "./provider-config-use.ts";
import { createReleased, type Released } from "./released.ts";
import { createRequestsByConfig } from "./requests-by-config.ts";
import { createSecretProtection } from "./secret-protection.ts";
import { createConfigReader } from "./used-config.ts";

/** What the parts of an engine stand on. */
export interface Ground extends Watched {
  /** Refuses to write while the engine may not act. */
  readonly client: Client;
  readonly credentials: CredentialsReader;
  readonly protection: Protection;
  readonly installation: Installation;
  readonly releasedIn: (namespace: string) => Released;
  readonly events: EventRecorder;
  /** For news that every manager may tell; whoever does, it is the same event. */
  readonly sharedEvents: EventRecorder;
}

/** Prepares everything that needs no infrastructure. Asks for caches and starts none. */
export function createGround(options: EngineOptions, gate: () => void): Ground {
  const { caches, clock, random, entries, secretNamespaces = [SYSTEM_NAMESPACE] } = options;
  const client = options.client.withGate(gate);
  const requestCache = caches.of(machineRequest);
  const configs = caches.of(providerConfigDescriptor);
  const credentials = createCredentials({ client, caches, namespaces: secretNamespaces });
  const requests = createRequestsByConfig(requestCache, configs);
  const readConfig = createConfigReader(entries);
  const lists = new Map<string, Released>();
  const events = recorder(options, client, { isShared: false });
  const secrets = createSecretProtection({ credentials, events, clock });
  return {
    client,
    requestCache,
    configs,
    namespaces: caches.of(namespaceKind),
    teams: caches.of(team),
    credentials,
    requests,
    readConfig,
    protection: createProtection({ client, configs, requests, requestCache, secrets, readConfig, clock }),
    installation: createInstallation({ client, random }),
    releasedIn(namespace) {
      const list = lists.get(namespace) ?? createReleased({ client, clock, namespace });
      lists.set(namespace, list);
      return list;
    },
    events,
    sharedEvents: recorder(options, client, { isShared: true }),
  };
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
