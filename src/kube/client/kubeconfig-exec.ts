// SPDX-License-Identifier: Apache-2.0
import type { ExecPlugin } from "./cluster-config.ts";
import type { Fields } from "./kubeconfig-file.ts";

/** The name under which a cluster carries settings for plug-ins. */
const EXTENSION = "client.authentication.k8s.io/exec";

interface Surroundings {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly interactive?: boolean;
}

/** Reads the `exec` part of a user, by the rules of its version. Runs nothing. */
export function readExecPlugin(
  exec: Fields,
  cluster: Fields,
  { env = {}, interactive = false }: Surroundings,
): ExecPlugin {
  const command = exec.command("command");
  if (command === undefined) throw exec.fail(".command is missing");
  const apiVersion = exec.text("apiVersion");
  if (apiVersion !== "client.authentication.k8s.io/v1" && apiVersion !== "client.authentication.k8s.io/v1beta1")
    throw exec.fail(".apiVersion must be client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1");
  const interactiveMode = exec.text("interactiveMode") ?? (apiVersion.endsWith("/v1beta1") ? "IfAvailable" : undefined);
  if (interactiveMode !== "Never" && interactiveMode !== "IfAvailable" && interactiveMode !== "Always")
    throw exec.fail(".interactiveMode must be Never, IfAvailable or Always");
  const own = exec.list("env").map((entry) => {
    const name = entry.text("name");
    if (name === undefined) throw entry.fail(".name is missing");
    return { name, value: entry.text("value") ?? "" };
  });
  const args = exec.texts("args");
  const installHint = exec.text("installHint");
  return {
    apiVersion,
    command,
    args,
    env: Object.fromEntries([
      ...Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      ...own.map(({ name, value }) => [name, value]),
    ]),
    secrets: secretsOf([...args, ...own.map(({ value }) => value)]),
    ...(installHint === undefined ? {} : { installHint }),
    ...(exec.flag("provideClusterInfo") ? { cluster: clusterInfo(cluster) } : {}),
    interactiveMode,
    isInteractive: interactive,
  };
}

/** The values, and what stands behind `=` in them; the longest first, so that none is hidden in part only. */
function secretsOf(values: readonly string[]): readonly string[] {
  const parts = values.flatMap((value) => [value, value.slice(value.indexOf("=") + 1)]);
  return [...new Set(parts)].filter((part) => part !== "").toSorted((one, other) => other.length - one.length);
}

/** What a plug-in may know about the cluster. A CA that lies in a file is not read for it. */
function clusterInfo(cluster: Fields): Readonly<Record<string, unknown>> {
  const names = ["server", "tls-server-name", "insecure-skip-tls-verify", "certificate-authority-data", "proxy-url"];
  const config = cluster
    .list("extensions")
    .find((extension) => extension.text("name") === EXTENSION)
    ?.value("extension");
  return Object.fromEntries([
    ...names.flatMap((name) => {
      const value = cluster.value(name);
      return value === undefined || value === null ? [] : [[name, value]];
    }),
    ...(config === undefined ? [] : [["config", config]]),
  ]);
}
