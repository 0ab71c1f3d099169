// SPDX-License-Identifier: Apache-2.0
import type { MachineRequest, ProviderConfig, Team } from "../api/index.ts";
import {
  type Cache,
  hasFinalizer,
  type KubeObject,
  keyOf,
  keyText,
  type Namespace,
  type ObjectKey,
  parseKeyText,
  type Secret,
  type Watch,
  watchMapped,
} from "../kube/index.ts";
import { type CredentialsReader, digestOf } from "./credentials.ts";
import { TEAM_LABEL } from "./may-use.ts";
import { CREDENTIALS_FINALIZER } from "./names.ts";
import { launchedAt } from "./provider-config-use.ts";
import type { RequestsByConfig } from "./requests-by-config.ts";
import type { UsedConfig } from "./used-config.ts";

/** What changes are looked for in. */
export interface Watched {
  readonly requestCache: Cache<MachineRequest>;
  readonly configs: Cache<ProviderConfig>;
  readonly namespaces: Cache<Namespace>;
  readonly teams: Cache<Team>;
  readonly credentials: Pick<CredentialsReader, "caches">;
  readonly requests: RequestsByConfig;
  readonly readConfig: (object: ProviderConfig) => UsedConfig;
}

/** What makes machines look again, besides their own requests: their ProviderConfig, its Secret, and whose namespace they are in. */
export function machineWatches(watched: Watched): readonly Watch[] {
  const { requestCache, configs, namespaces, teams, credentials, requests } = watched;
  const requestsOf = (config: ProviderConfig) => requests.concerning(keyText(keyOf(config))).map(keyOf);
  const requestsIn = (name: string | undefined): readonly ObjectKey[] =>
    name === undefined ? [] : requestCache.list({ namespace: name }).map(keyOf);
  return [
    watchMapped(configs, requestsOf, { when: wantOrFateChanged }),
    ...credentials.caches.map((cache) =>
      watchMapped(cache, (secret) => configsOf(secret, watched).flatMap(requestsOf), { when: dataOrFateChanged }),
    ),
    watchMapped(namespaces, ({ metadata }) => requestsIn(metadata.name), {
      when: (old, now) => old?.metadata.labels?.[TEAM_LABEL] !== now?.metadata.labels?.[TEAM_LABEL],
    }),
    watchMapped(teams, ({ status }) => requestsIn(status?.namespace), {
      when: (old, now) => old?.status?.namespace !== now?.status?.namespace,
    }),
  ];
}

/** What makes ProviderConfigs look again, besides themselves: their Secret, and the end of the last machine that needed them. */
export function configWatches(watched: Watched): readonly Watch[] {
  const { requestCache, credentials } = watched;
  return [
    watchMapped(requestCache, (request) => neededNoLonger(request, watched), { when: needEnded }),
    ...credentials.caches.map((cache) =>
      watchMapped(cache, (secret) => configsOf(secret, watched).map(keyOf), { when: dataFateOrKeepChanged }),
    ),
  ];
}

/** Passes what users change, and not what is said in statuses. */
export function wantOrFateChanged(old: KubeObject | undefined, now: KubeObject | undefined): boolean {
  const essence = (object: KubeObject | undefined) =>
    JSON.stringify([object?.metadata.uid, object?.metadata.generation, object?.metadata.deletionTimestamp]);
  return essence(old) !== essence(now);
}

function dataOrFateChanged(old: Secret | undefined, now: Secret | undefined): boolean {
  if (old === undefined || now === undefined) return true;
  const essence = (secret: Secret) => [secret.metadata.uid, secret.metadata.deletionTimestamp, digestOf(secret)].join();
  return essence(old) !== essence(now);
}

/** Passes finalizers of ours too: the write that sets one may come late, when nothing needs it any more. */
function dataFateOrKeepChanged(old: Secret | undefined, now: Secret | undefined): boolean {
  const isKept = (secret: Secret | undefined) => secret !== undefined && hasFinalizer(secret, CREDENTIALS_FINALIZER);
  return dataOrFateChanged(old, now) || (!isKept(old) && isKept(now));
}

function needEnded(old: MachineRequest | undefined, now: MachineRequest | undefined): boolean {
  const before = old === undefined ? undefined : launchedAt(old);
  if (before === undefined) return false;
  return now === undefined || launchedAt(now)?.providerConfig !== before.providerConfig;
}

/** While other machines need it, or it stays anyway, the end of one makes no difference: there may be thousands. */
function neededNoLonger(request: MachineRequest, { requests, configs }: Watched): readonly ObjectKey[] {
  const text = launchedAt(request)?.providerConfig ?? requests.configKeyOf(request);
  const key = parseKeyText(text);
  const isDeleting = configs.get(key)?.metadata.deletionTimestamp !== undefined;
  return isDeleting || !requests.isNeeded(text) ? [key] : [];
}

function configsOf(secret: Secret, { configs, readConfig }: Watched): readonly ProviderConfig[] {
  const text = keyText(keyOf(secret));
  return configs.list().filter((config) => {
    const { credentials: place } = readConfig(config);
    return place?.state === "named" && keyText(place.key) === text;
  });
}
