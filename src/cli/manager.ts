// SPDX-License-Identifier: Apache-2.0
import { hostname } from "node:os";
import { resolve } from "node:path";
import { createManagers } from "../engine/managers.ts";
import { randomUuid } from "../engine/random-uuid.ts";
import {
  type Client,
  type ClusterConfig,
  ConfigError,
  createClient,
  createLog,
  createMetrics,
  createRuntimeMetrics,
  inClusterConfig,
  type LogLevel,
  LostLeadershipError,
  loadKubeconfig,
  systemClock,
} from "../kube/index.ts";
import { providers } from "../providers/index.ts";
import { chosenTimes } from "./chosen-times.ts";
import type { Input } from "./command.ts";
import { exitCodes, type Io, UsageError } from "./io.ts";
import { chosenNamespaces, chosenProviders } from "./provider-names.ts";

const HEALTH_PORT = 8081;

/** Runs Butler's controllers against a Kubernetes until the process is told to end, which is fine; a lost lease is not. */
export async function run(io: Io, { program, options }: Input): Promise<number> {
  const chosen = chosenProviders(options.providers, providers);
  const secretNamespaces = chosenNamespaces(options.namespaces);
  const port = portOf(options["health-port"]);
  const times = chosenTimes(options);
  const random = Math.random;
  const identity = `${hostname()}_${randomUuid(random)}`;
  const metrics = createMetrics();
  const log = createLog({ write: (line) => io.complain(line), level: levelOf(options["log-level"]) });
  let client: Client;
  try {
    const { onRequest } = createRuntimeMetrics(metrics);
    const userAgent = `${program}/${io.version()}`;
    client = createClient(clusterConfig(io, options.kubeconfig), { clock: systemClock, random, onRequest, userAgent });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    io.complain(`${program}: ${error.message}\n`);
    return exitCodes.usage;
  }
  const end = new AbortController();
  void io.untilTold().then(() => end.abort(new Error("the process was asked to stop")));
  const managers = createManagers({
    providers: chosen,
    entries: providers,
    client,
    clock: systemClock,
    random,
    log,
    metrics,
    identity,
    secretNamespaces,
    leaderElect: options["leader-elect"] !== "false",
    electionTimes: times,
    health: { port, host: options["health-host"] ?? "127.0.0.1" },
  });
  log.info("Butler's controllers", { version: io.version(), providers: chosen, server: client.server, identity });
  try {
    await managers.run(end.signal);
    return exitCodes.fine;
  } catch (error) {
    io.complain(`${program}: ${explain(error, port)}\n`);
    return exitCodes.problems;
  } finally {
    await client.close();
  }
}

/** The order that other controllers have: what is named, `KUBECONFIG`, the cluster this runs in, the user's own file. */
function clusterConfig({ directory, environment: env }: Io, path: string | undefined): ClusterConfig {
  if (path !== undefined) return loadKubeconfig({ path: resolve(directory, path), env });
  const isInCluster = (env.KUBERNETES_SERVICE_HOST ?? "") !== "";
  return isInCluster && (env.KUBECONFIG ?? "") === "" ? inClusterConfig({ env }) : loadKubeconfig({ env });
}

function portOf(text: string | undefined): number {
  if (text === undefined) return HEALTH_PORT;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65535) return port;
  throw new UsageError(
    `--health-port: "${text}" is not a port; ports are numbers from 1 to 65535, or 0 for a free one`,
  );
}

function levelOf(text: string | undefined): LogLevel {
  return text === "debug" || text === "warn" || text === "error" ? text : "info";
}

function explain(error: unknown, port: number): string {
  if (error instanceof LostLeadershipError)
    return `${error.message}: another process may lead now, so this one ends; it is meant to be started again`;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE") return `port ${port} is in use by another process; choose another with --health-port`;
  return (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
}
