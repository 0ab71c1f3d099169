// SPDX-License-Identifier: Apache-2.0
import type { SecretNamespaces } from "./credentials.ts";
import { SYSTEM_NAMESPACE } from "./names.ts";

/** What the Deployment depends on. */
export interface DeploymentOptions {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly image: string;
  readonly providers: readonly string[];
  readonly namespaces: SecretNamespaces;
}

const HEALTH_PORT = 8081;

/** Nobody's user in images without users. */
const NOBODY = 65532;

/** Longer than the manager takes to finish what is under way. */
const GRACE_SECONDS = 45;

/** The Deployment of the manager: probes, no root, nothing to write to but the API. */
export function managerDeployment({ name, labels, image, providers, namespaces }: DeploymentOptions): object {
  const selected = { "app.kubernetes.io/name": name };
  const named = namespaces === "all" ? "all" : namespaces.filter((each) => each !== SYSTEM_NAMESPACE).join(",");
  const command = [
    "manager",
    `--providers=${providers.join(",")}`,
    ...(named === "" ? [] : [`--namespaces=${named}`]),
    "--health-host=$(POD_IP)",
    `--health-port=${HEALTH_PORT}`,
  ];
  const probe = (path: string, more: object) => ({ httpGet: { path, port: "health" }, ...more });
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: SYSTEM_NAMESPACE, labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: selected },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: name,
          terminationGracePeriodSeconds: GRACE_SECONDS,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: NOBODY,
            runAsGroup: NOBODY,
            seccompProfile: { type: "RuntimeDefault" },
          },
          containers: [
            {
              name: "manager",
              image,
              args: command,
              env: [{ name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } }],
              ports: [{ name: "health", containerPort: HEALTH_PORT, protocol: "TCP" }],
              livenessProbe: probe("/healthz", { initialDelaySeconds: 10, periodSeconds: 20, failureThreshold: 3 }),
              readinessProbe: probe("/readyz", { periodSeconds: 10 }),
              resources: { requests: { cpu: "50m", memory: "128Mi" }, limits: { memory: "512Mi" } },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ["ALL"] },
              },
            },
          ],
        },
      },
    },
  };
}
