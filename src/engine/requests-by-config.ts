// SPDX-License-Identifier: Apache-2.0
import type { MachineRequest, ProviderConfig } from "../api/index.ts";
import { type Cache, keyOf, keyText, parseKeyText } from "../kube/index.ts";
import { holderOf, ownerOf } from "./identity.ts";
import type { MayRequestUse } from "./may-use.ts";
import { MACHINE_ID_ANNOTATION } from "./names.ts";
import { configCandidates, launchedAt } from "./provider-config-use.ts";
import type { Sightings } from "./sightings.ts";
import type { UsedConfig } from "./used-config.ts";

const INDEX = "provider-config";

/** Finds the MachineRequests of a ProviderConfig, which is named as `namespace/name`. */
export interface RequestsByConfig {
  /** The ProviderConfig that the request's spec means; the first candidate where none exists. */
  configKeyOf(request: MachineRequest): string;
  /** Those whose spec means it. */
  of(configKey: string): readonly MachineRequest[];
  /** Those whose machines were launched through it, whatever their spec says now. */
  launchedThrough(configKey: string): readonly MachineRequest[];
  /** Whether there are any of those. Costs little, however many there are. */
  isNeeded(configKey: string): boolean;
  /**
   * Whether the request was launched through it, as far as its annotations can be believed, which are the user's to write: its
   * namespace may use the ProviderConfig, or the machine is really seen there.
   */
  isLaunchedThrough(request: MachineRequest, configKey: string): boolean;
  /** Those that have anything to do with it: also those that would mean it if another were not there. */
  concerning(configKey: string): readonly MachineRequest[];
}

/** What requests are judged by. */
export interface RequestsByConfigOptions {
  readonly requests: Cache<MachineRequest>;
  readonly configs: Cache<ProviderConfig>;
  readonly mayRequestUse: MayRequestUse;
  readonly readConfig: (object: ProviderConfig) => Pick<UsedConfig, "provider">;
  /** What is seen through a ProviderConfig, where it is connected. */
  readonly sightingsOf: (configKey: string) => Pick<Sightings, "get" | "isComplete" | "blindness"> | undefined;
}

/** Adds what it needs to the cache. */
export function createRequestsByConfig(options: RequestsByConfigOptions): RequestsByConfig {
  const { requests, configs, readConfig } = options;
  requests.addIndex(INDEX, concernedConfigs);
  const configKeyOf = (request: MachineRequest) => {
    const candidates = configCandidates(request);
    return candidates.find((each) => configs.get(parseKeyText(each)) !== undefined) ?? candidates[0] ?? "";
  };
  const concerning = (configKey: string) => requests.byIndex(INDEX, configKey);
  const isLaunchedThrough = (request: MachineRequest, configKey: string) => {
    const launch = launchedAt(request);
    if (launch === undefined || (launch.providerConfig ?? configKeyOf(request)) !== configKey) return false;
    if (launch.owner !== undefined && launch.owner !== ownerOf(request)) return false;
    const config = configs.get(parseKeyText(configKey));
    // One that was made under the name of another leads to nothing that the other has made.
    if (config !== undefined && (launch.provider ?? readConfig(config).provider) !== readConfig(config).provider)
      return false;
    if (config !== undefined && options.mayRequestUse(request, config)) return true;
    return holderOf(request) !== undefined && mayStandAt(request, configKey, options);
  };
  return {
    configKeyOf,
    concerning,
    isLaunchedThrough,
    of: (configKey) => concerning(configKey).filter((request) => configKeyOf(request) === configKey),
    isNeeded: (configKey) =>
      requests.findByIndex(INDEX, configKey, (request) => isLaunchedThrough(request, configKey)) !== undefined,
    launchedThrough: (configKey) => concerning(configKey).filter((request) => isLaunchedThrough(request, configKey)),
  };
}

/** Whether the request's machine is seen there; or, where nothing can be seen, was seen once and is seen nowhere else. */
function mayStandAt(
  request: MachineRequest,
  configKey: string,
  { configs, sightingsOf }: RequestsByConfigOptions,
): boolean {
  const mark = { machineId: request.metadata.annotations?.[MACHINE_ID_ANNOTATION] ?? "", owner: ownerOf(request) };
  const isSeenAt = (key: string) => sightingsOf(key)?.get(mark) !== undefined;
  if (isSeenAt(configKey)) return true;
  const sightings = sightingsOf(configKey);
  if (sightings?.isComplete && sightings.blindness === undefined) return false;
  const wasSeen = request.status?.providerID !== undefined;
  return wasSeen && !configs.list().some((each) => isSeenAt(keyText(keyOf(each))));
}

function concernedConfigs(request: MachineRequest): readonly string[] {
  const launched = launchedAt(request)?.providerConfig;
  return launched === undefined ? configCandidates(request) : [...configCandidates(request), launched];
}
