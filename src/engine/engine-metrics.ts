// SPDX-License-Identifier: Apache-2.0
import { type MachineRequest, machineRequest, type ProviderConfig } from "../api/index.ts";
import { MACHINE_PHASES } from "../api/machine-request.ts";
import type { Caches, Metrics } from "../kube/index.ts";
import { providerConfigDescriptor } from "./provider-config-use.ts";

/** Tells, whenever the metrics are read, how many machines are in which phase and which ProviderConfigs can be used. */
export function addEngineMetrics(metrics: Metrics, caches: Caches): void {
  const machines = metrics.gauge("butler_machines", "MachineRequests by phase.");
  const configs = metrics.gauge("butler_provider_configs", "ProviderConfigs by provider and whether they are ready.");
  const requestCache = caches.of(machineRequest);
  const configCache = caches.of(providerConfigDescriptor);
  const told = new Set<string>();
  metrics.beforeText(() => {
    const byPhase = Map.groupBy(requestCache.list(), ({ status }: MachineRequest) => status?.phase ?? "Pending");
    for (const phase of Object.keys(MACHINE_PHASES))
      machines.set(byPhase.get(isPhase(phase) ? phase : "Pending")?.length ?? 0, { phase });
    const counted = Map.groupBy(configCache.list(), kindOf);
    // What is not there any more is told as none, or its last number would stay.
    for (const kind of counted.keys()) told.add(kind);
    for (const kind of told) {
      const [provider = "", ready = ""] = kind.split(" ");
      configs.set(counted.get(kind)?.length ?? 0, { provider, ready });
    }
  });
}

function isPhase(text: string): text is keyof typeof MACHINE_PHASES {
  return text in MACHINE_PHASES;
}

function kindOf({ spec, status }: ProviderConfig): string {
  return `${spec.provider ?? spec.type ?? ""} ${status?.ready === true}`;
}
