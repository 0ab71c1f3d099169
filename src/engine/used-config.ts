// SPDX-License-Identifier: Apache-2.0
import { type ProviderConfig, providerConfigKind, type Warning } from "../api/index.ts";
import { keyOf, keyText } from "../kube/index.ts";
import { durationMs } from "./duration.ts";
import { type CredentialsPlace, credentialsPlace } from "./provider-config-use.ts";
import type { ProviderEntry } from "./provider-entry.ts";

const CREATION_MS = 20 * 60_000;
const MOST_CREATES = 10;

/** A ProviderConfig in today's shape, and what the engine reads of it. */
export interface UsedConfig {
  /** As `namespace/name`. */
  readonly key: string;
  readonly object: ProviderConfig;
  /** Whichever field it stands in. */
  readonly provider: string;
  /** The provider's own block. */
  readonly settings: unknown;
  readonly credentials: CredentialsPlace;
  /** `spec.timeouts.creation`. */
  readonly creationTimeoutMs: number;
  readonly maxConcurrentCreates: number;
  readonly maxMachines: number | undefined;
  /** Whether it is on its way out: machines of it can be deleted, none can be made. */
  readonly isDeleting: boolean;
  /** What is deprecated about the shape it was written in. */
  readonly warnings: readonly Warning[];
}

/** Reads ProviderConfigs, older shapes included. What was read of an object once is remembered with it. */
export function createConfigReader(entries: readonly ProviderEntry[]): (object: ProviderConfig) => UsedConfig {
  const kind = providerConfigKind(entries);
  const read = new WeakMap<ProviderConfig, UsedConfig>();
  return (written) => {
    const known = read.get(written);
    if (known !== undefined) return known;
    const { object, warnings } = kind.normalise(written);
    const used = toUsed(isProviderConfig(object) ? object : written, warnings);
    read.set(written, used);
    return used;
  };
}

function toUsed(object: ProviderConfig, warnings: readonly Warning[]): UsedConfig {
  const { limits, timeouts, provider = "" } = object.spec;
  const fields = new Map<string, unknown>(Object.entries(object.spec));
  return {
    key: keyText(keyOf(object)),
    object,
    provider,
    settings: fields.get(provider),
    credentials: credentialsPlace(object),
    creationTimeoutMs: durationMs(timeouts?.creation, CREATION_MS),
    maxConcurrentCreates: limits?.maxConcurrentCreates ?? MOST_CREATES,
    maxMachines: limits?.maxMachines,
    isDeleting: object.metadata.deletionTimestamp !== undefined,
    warnings,
  };
}

/** Normalising moves fields about; what was a ProviderConfig stays one. */
function isProviderConfig(object: object): object is ProviderConfig {
  return "spec" in object && typeof object.spec === "object" && object.spec !== null;
}
