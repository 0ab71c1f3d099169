// SPDX-License-Identifier: Apache-2.0
import { GROUP } from "../api/kind.ts";
import type { PolicyRule } from "../kube/index.ts";
import { INSTALLATION, leaseName, RELEASED_NAMES } from "./names.ts";

/** Everywhere: the objects that users make, and telling them what happened. Nothing can be created or deleted but events. */
export const everywhereRules: readonly PolicyRule[] = [
  { apiGroups: [GROUP], resources: ["machinerequests", "providerconfigs"], verbs: ["get", "list", "patch", "watch"] },
  { apiGroups: [GROUP], resources: ["machinerequests/status", "providerconfigs/status"], verbs: ["update"] },
  { apiGroups: [GROUP], resources: ["teams"], verbs: ["list", "watch"] },
  { apiGroups: [""], resources: ["namespaces"], verbs: ["list", "watch"] },
  { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "get", "patch"] },
];

/**
 * Where ProviderConfigs have their Secrets: to read those, to keep them while machines need them (a finalizer is a patch), and to
 * write down machines that were let go of.
 */
export const credentialRules: readonly PolicyRule[] = [
  { apiGroups: [""], resources: ["secrets"], verbs: ["get", "list", "patch", "watch"] },
  { apiGroups: [""], resources: ["configmaps"], resourceNames: [...RELEASED_NAMES], verbs: ["get", "patch"] },
  // What is not there yet has no name to be allowed by.
  { apiGroups: [""], resources: ["configmaps"], verbs: ["create"] },
];

/** In Butler's own namespace: who it is, who leads, and machines that were let go of where nothing can be written down any more. */
export function ownRules(providers: readonly string[]): readonly PolicyRule[] {
  const leases = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] };
  return [
    { apiGroups: [""], resources: ["configmaps"], resourceNames: [INSTALLATION], verbs: ["get"] },
    { apiGroups: [""], resources: ["configmaps"], resourceNames: [...RELEASED_NAMES], verbs: ["get", "patch"] },
    { apiGroups: [""], resources: ["configmaps"], verbs: ["create"] },
    { ...leases, resourceNames: providers.map(leaseName), verbs: ["get", "update"] },
    { ...leases, verbs: ["create"] },
  ];
}
