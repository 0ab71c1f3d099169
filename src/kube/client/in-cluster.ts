// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../errors.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import type { Environment } from "./kubeconfig.ts";
import { proxyFromEnvironment } from "./proxy-environment.ts";

const SERVICE_ACCOUNT_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Where to look; given by tests, else as every Pod has it. */
export interface InClusterOptions {
  /** The process's environment; it is not read otherwise. */
  readonly env: Environment;
  readonly folder?: string;
}

/**
 * The cluster this process runs in as a Pod, as its service account. Token and authority are files that the kubelet replaces;
 * clients read them again. A proxy is used where the environment wants one. Throws a `ConfigError` outside of a cluster.
 */
export function inClusterConfig({ env, folder = SERVICE_ACCOUNT_FOLDER }: InClusterOptions): ClusterConfig {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (!host || !port)
    throw new ConfigError("not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
  const namespace = readNamespace(join(folder, "namespace"));
  const server = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const proxyUrl = proxyFromEnvironment(server, env);
  return {
    server,
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    ca: { path: join(folder, "ca.crt") },
    credentials: { tokenFile: join(folder, "token") },
    ...(namespace === undefined ? {} : { namespace }),
  };
}

function readNamespace(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}
