// SPDX-License-Identifier: Apache-2.0
import type { MachineRequest, ProviderConfig } from "../api/index.ts";
import { type Cache, parseKeyText } from "../kube/index.ts";
import { configCandidates, launchedAt } from "./provider-config-use.ts";

const INDEX = "provider-config";

/** Finds the MachineRequests of a ProviderConfig, which is named as `namespace/name`. */
export interface RequestsByConfig {
  /** The ProviderConfig that the request's spec means; the first candidate where none exists. */
  configKeyOf(request: MachineRequest): string;
  /** Those whose spec means it. */
  of(configKey: string): readonly MachineRequest[];
  /** Those whose machines were launched through it, whatever their spec says now. */
  launchedThrough(configKey: string): readonly MachineRequest[];
  /** Those that have anything to do with it: also those that would mean it if another were not there. */
  concerning(configKey: string): readonly MachineRequest[];
}

/** Adds what it needs to the cache. */
export function createRequestsByConfig(
  requests: Cache<MachineRequest>,
  configs: Cache<ProviderConfig>,
): RequestsByConfig {
  requests.addIndex(INDEX, concernedConfigs);
  const configKeyOf = (request: MachineRequest) => {
    const candidates = configCandidates(request);
    return candidates.find((each) => configs.get(parseKeyText(each)) !== undefined) ?? candidates[0] ?? "";
  };
  const concerning = (configKey: string) => requests.byIndex(INDEX, configKey);
  return {
    configKeyOf,
    concerning,
    of: (configKey) => concerning(configKey).filter((request) => configKeyOf(request) === configKey),
    launchedThrough: (configKey) =>
      concerning(configKey).filter((request) => {
        const launch = launchedAt(request);
        return launch !== undefined && (launch.providerConfig ?? configKeyOf(request)) === configKey;
      }),
  };
}

function concernedConfigs(request: MachineRequest): readonly string[] {
  const launched = launchedAt(request)?.providerConfig;
  return launched === undefined ? configCandidates(request) : [...configCandidates(request), launched];
}
