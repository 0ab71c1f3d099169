// SPDX-License-Identifier: Apache-2.0
import type { PolicyRule } from "../kube/index.ts";
import type { SecretNamespaces } from "./credentials.ts";
import { managerDeployment } from "./manager-deployment.ts";
import { credentialRules, everywhereRules, ownRules } from "./manager-rights.ts";
import { SYSTEM_NAMESPACE } from "./names.ts";

/** What to install. */
export interface ManifestsOptions {
  readonly providers: readonly string[];
  /** Where ProviderConfigs may have their Secrets. */
  readonly namespaces: SecretNamespaces;
  readonly image: string;
  /** The CustomResourceDefinitions. */
  readonly definitions: readonly object[];
}

/** The name of everything that belongs to the manager. */
export const MANAGER = "butler-manager";
const CREDENTIALS = "butler-manager-credentials";

/**
 * Everything a cluster needs to run Butler's controllers, in an order in which it can be applied: the namespace, the kinds, an
 * account with no more rights than the work needs, the Deployment. Pure: the same options give the same objects.
 */
export function managerManifests(options: ManifestsOptions): readonly object[] {
  const { providers, namespaces, definitions } = options;
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: SYSTEM_NAMESPACE, labels: labels() } },
    ...definitions,
    {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: MANAGER, namespace: SYSTEM_NAMESPACE, labels: labels() },
    },
    ...granted(MANAGER, { rules: everywhereRules }),
    ...granted(MANAGER, { rules: ownRules(providers), namespace: SYSTEM_NAMESPACE }),
    ...(namespaces === "all"
      ? granted(CREDENTIALS, { rules: credentialRules })
      : namespaces.flatMap((namespace) => granted(CREDENTIALS, { rules: credentialRules, namespace }))),
    managerDeployment({ ...options, name: MANAGER, labels: labels() }),
  ];
}

function labels(): Record<string, string> {
  return { "app.kubernetes.io/name": MANAGER, "app.kubernetes.io/part-of": "butler" };
}

interface Grant {
  readonly rules: readonly PolicyRule[];
  /** Left out, the rules hold everywhere. */
  readonly namespace?: string;
}

/** A role and the binding that gives it to the manager. */
function granted(name: string, { rules, namespace }: Grant): readonly object[] {
  const kind = namespace === undefined ? "ClusterRole" : "Role";
  const group = "rbac.authorization.k8s.io";
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }), labels: labels() };
  return [
    { apiVersion: `${group}/v1`, kind, metadata, rules },
    {
      apiVersion: `${group}/v1`,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: group, kind, name },
      subjects: [{ kind: "ServiceAccount", name: MANAGER, namespace: SYSTEM_NAMESPACE }],
    },
  ];
}
