// SPDX-License-Identifier: Apache-2.0
import type { MachineRequest, ProviderConfig } from "../api/index.ts";
import {
  addFinalizer,
  type Cache,
  type Client,
  type Clock,
  hasFinalizer,
  keyOf,
  keyText,
  type ObjectKey,
  parseKeyText,
  removeFinalizer,
} from "../kube/index.ts";
import { CONFIG_FINALIZER, SYSTEM_NAMESPACE } from "./names.ts";
import { blockedBy } from "./provider-config-status.ts";
import { launchedAt, providerConfigDescriptor } from "./provider-config-use.ts";
import type { RequestsByConfig } from "./requests-by-config.ts";
import type { SecretProtection, Writing } from "./secret-protection.ts";
import type { UsedConfig } from "./used-config.ts";

/** Keeps ProviderConfigs and their Secrets while machines need them. */
export interface Protection {
  /** Puts both finalizers in place. To be awaited before a launch of the request is written down. */
  protect(
    config: UsedConfig,
    options: { readonly request: MachineRequest; readonly signal: AbortSignal },
  ): Promise<void>;
  /**
   * Puts the finalizers in place where machines need the ProviderConfig, and takes them away where none does. To be repeated after
   * a while where somebody is about to launch: nothing tells when that came to nothing.
   */
  settle(config: UsedConfig, writing: Writing): Promise<Need>;
  /** Lets go of Secrets that no ProviderConfig names any more. */
  sweep(writing: Writing): Promise<void>;
}

/** Who needs a ProviderConfig. */
export interface Need {
  /** In no order. There may be thousands: only for those who tell of them. */
  readonly requests: () => readonly MachineRequest[];
  /** Whether others are about to be launched. */
  readonly isAboutToBe: boolean;
}

/** What protection goes by. */
export interface ProtectionOptions {
  readonly client: Client;
  readonly configs: Cache<ProviderConfig>;
  readonly requests: RequestsByConfig;
  readonly requestCache: Cache<MachineRequest>;
  readonly secrets: SecretProtection;
  readonly readConfig: (object: ProviderConfig) => UsedConfig;
  readonly clock: Clock;
}

/** For so long a request that is about to be launched counts as launched, until the cache shows it. */
const HOLD_MS = 120_000;

/** Makes the protection of the ProviderConfigs of one provider. */
export function createProtection(options: ProtectionOptions): Protection {
  const { configs, requests, requestCache, secrets, readConfig, clock } = options;
  const holds = createHolds(clock, (key) => requestCache.get(parseKeyText(key)));
  const isNeeded = (configKey: string) => requests.isNeeded(configKey) || holds.has(configKey);
  /** All ProviderConfigs that name the Secret, those of other providers too. */
  const naming = (secret: string) =>
    configs.list().filter((object) => {
      const { credentials: place } = readConfig(object);
      return place?.state === "named" && keyText(place.key) === secret;
    });
  const protectConfig = async (config: UsedConfig, { client, signal }: Writing) => {
    const object = configs.get(parseKeyText(config.key)) ?? config.object;
    if (hasFinalizer(object, CONFIG_FINALIZER)) return;
    await addFinalizer(object, CONFIG_FINALIZER, { client, kind: providerConfigDescriptor, signal });
  };
  const keepBoth = async (config: UsedConfig, need: Need, writing: Writing) => {
    if (!config.isDeleting) await protectConfig(config, writing);
    const secretKey = secretOf(config);
    if (secretKey === undefined) return;
    const state = secrets.stateOf(secretKey);
    const names = () => need.requests().map((request) => keyText(keyOf(request)));
    if (state === "deleting") secrets.tellBlocked(secretKey, blockedBy(names()));
    else if (state === "there") await secrets.protect(secretKey, config.key, writing);
  };
  const releaseBoth = async (config: UsedConfig, writing: Writing) => {
    const secretKey = secretOf(config);
    const object = configs.get(parseKeyText(config.key));
    const isKept = object !== undefined && hasFinalizer(object, CONFIG_FINALIZER);
    // The Secret first: as long as the ProviderConfig has its finalizer, a later try knows that the Secret may have one. One may have
    // come late, too, by a write of a manager that is gone.
    if (secretKey !== undefined && (isKept || secrets.isKept(secretKey))) {
      const isWanted = naming(keyText(secretKey)).some((each) => isNeeded(keyText(keyOf(each))));
      if (!isWanted) await secrets.release(secretKey, writing);
    }
    if (isKept) await removeFinalizer(object, CONFIG_FINALIZER, { ...writing, kind: providerConfigDescriptor });
  };
  /** A ProviderConfig that is missing, where the request's machine needs it. */
  const missingFrom = (request: MachineRequest): readonly string[] => {
    const key = launchedAt(request)?.providerConfig ?? requests.configKeyOf(request);
    const isOrphan = configs.get(parseKeyText(key)) === undefined && requests.isLaunchedThrough(request, key);
    return isOrphan ? [key] : [];
  };
  const sweep = async (writing: Writing) => {
    const strays = secrets.kept().filter(({ key }) => naming(keyText(key)).length === 0);
    if (strays.length === 0) return;
    const missing = new Set(requestCache.list().flatMap(missingFrom));
    // One that does not say who needed it may be needed by whatever might have named it.
    const mayHaveNamed = ({ namespace }: ObjectKey) =>
      [...missing].some((each) => [SYSTEM_NAMESPACE, namespace].includes(parseKeyText(each).namespace));
    for (const { key, neededBy } of strays) {
      const isNeeded = neededBy.length === 0 ? mayHaveNamed(key) : neededBy.some((each) => missing.has(each));
      if (!isNeeded) await secrets.release(key, writing);
    }
  };
  const protecting = new Map<string, Promise<boolean>>();
  const protectBoth = async (config: UsedConfig, writing: Writing) => {
    await protectConfig(config, writing);
    const secretKey = secretOf(config);
    if (secretKey !== undefined) await secrets.protect(secretKey, config.key, writing);
  };
  return {
    async protect(config, { request, signal }) {
      holds.add(config.key, keyText(keyOf(request)));
      const others = protecting.get(config.key);
      // Many are launched at once: one of them writes for all. Where that fails each tries itself.
      if (others !== undefined && (await others)) return;
      const own = protectBoth(config, { client: options.client, signal });
      const outcome = own.then(
        () => true,
        () => false,
      );
      protecting.set(config.key, outcome);
      try {
        await own;
      } finally {
        if (protecting.get(config.key) === outcome) protecting.delete(config.key);
      }
    },
    async settle(config, writing) {
      const isAboutToBe = holds.has(config.key);
      const need = { requests: () => requests.launchedThrough(config.key), isAboutToBe };
      if (!requests.isNeeded(config.key) && !isAboutToBe) await releaseBoth(config, writing);
      else await keepBoth(config, need, writing);
      await sweep(writing);
      return need;
    },
    sweep,
  };
}

function secretOf({ credentials: place }: UsedConfig) {
  return place?.state === "named" ? place.key : undefined;
}

/** Requests that are about to be launched, by ProviderConfig. */
function createHolds(clock: Clock, find: (request: string) => MachineRequest | undefined) {
  const byConfig = new Map<string, Map<string, number>>();
  /** Once the launch is seen it counts by itself; a request that is gone launches nothing. */
  const isOver = (request: string, at: number) => {
    const found = find(request);
    return found === undefined || launchedAt(found) !== undefined || clock.monotonic() - at >= HOLD_MS;
  };
  return {
    add(config: string, request: string) {
      const holds = byConfig.get(config) ?? new Map<string, number>();
      holds.set(request, clock.monotonic());
      byConfig.set(config, holds);
    },
    has(config: string): boolean {
      const holds = byConfig.get(config);
      for (const [request, at] of holds ?? []) if (isOver(request, at)) holds?.delete(request);
      if (holds?.size === 0) byConfig.delete(config);
      return (holds?.size ?? 0) > 0;
    },
  };
}
