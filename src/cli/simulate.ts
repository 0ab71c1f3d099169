// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunningSimulator, Simulator } from "../engine/testing/simulator.ts";
import { systemClock } from "../kube/index.ts";
import { didYouMean } from "../lib/suggest.ts";
import { printYamlStream } from "../lib/yaml-print.ts";
import { providers } from "../providers/index.ts";
import type { Input } from "./command.ts";
import { exitCodes, type Io, UsageError } from "./io.ts";

/** Runs a simulated infrastructure until the process is told to end. What it prints is YAML: how to use it stands in comments. */
export async function run(io: Io, { program, arguments: [name = ""], options }: Input): Promise<number> {
  const simulator = await simulatorOf(name);
  const port = portOf(options.port);
  const pace = paceOf(options.pace);
  const told = io.untilTold();
  let running: RunningSimulator;
  try {
    running = await simulator.start({ clock: systemClock, random: Math.random, listens: true, port, pace });
  } catch (error) {
    io.complain(`${program}: ${explain(error, port)}\n`);
    return exitCodes.problems;
  }
  const folder = join(io.home, ".butler", `simulated-${name}-${new URL(running.url).port}`);
  try {
    const manifests = printYamlStream(manifestsFor(name, running));
    const files = write(folder, { manifests, kubeconfig: running.adminKubeconfig });
    io.write(`${introduction(name, running.url, files)}${manifests}`);
    await told;
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await running.stop();
  }
  return exitCodes.fine;
}

async function simulatorOf(name: string): Promise<Simulator> {
  const known = providers.filter(({ simulator }) => simulator !== undefined);
  const load = known.find((entry) => entry.name === name)?.simulator;
  if (load !== undefined) return (await load()).simulator;
  const names = known.map((entry) => entry.name);
  throw new UsageError(`PROVIDER: "${name}" is not one of ${names.join(", ")}${didYouMean(name, names)}`);
}

/** The objects that make Butler use the simulation. */
function manifestsFor(provider: string, { settings, secret }: RunningSimulator): readonly object[] {
  const name = `simulated-${provider}`;
  const namespace = "butler-system";
  return [
    { apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, type: "Opaque", stringData: secret },
    {
      apiVersion: "butler.butlerlabs.dev/v1alpha1",
      kind: "ProviderConfig",
      metadata: { name, namespace },
      spec: { provider, credentialsRef: { name }, [provider]: settings },
    },
  ];
}

interface Files {
  readonly manifests: string;
  readonly kubeconfig: string | undefined;
}

/** Writes what only the user may read, and says where. */
function write(folder: string, { manifests, kubeconfig }: Files): Files {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const paths = { manifests: join(folder, "provider.yaml"), kubeconfig: join(folder, "kubeconfig") };
  writeFileSync(paths.manifests, manifests, { mode: 0o600 });
  if (kubeconfig === undefined) return { manifests: paths.manifests, kubeconfig: undefined };
  writeFileSync(paths.kubeconfig, kubeconfig, { mode: 0o600 });
  return paths;
}

function introduction(name: string, url: string, { manifests, kubeconfig }: Files): string {
  const look =
    kubeconfig === undefined
      ? []
      : [
          "To look inside, as its administrator:",
          "",
          `  export KUBECONFIG=${quoted(kubeconfig)}`,
          "  kubectl api-resources",
          "",
        ];
  const lines = [
    `A simulated ${name} on ${url}. Nothing in it is real, and all of it is gone when it ends.`,
    "",
    ...look,
    "To have Butler make machines on it, on the cluster where Butler runs:",
    "",
    `  kubectl apply -f ${quoted(manifests)}`,
    "",
    "That file holds the objects below. Ctrl-C ends it.",
  ];
  return `${lines.map((line) => `# ${line}`.trimEnd()).join("\n")}\n`;
}

function portOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65535) return port;
  throw new UsageError(`--port: "${text}" is not a port; ports are numbers from 1 to 65535, or 0 for a free one`);
}

function paceOf(text: string | undefined): number {
  if (text === undefined) return 1;
  const pace = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && pace <= 100) return pace;
  throw new UsageError(`--pace: "${text}" is not a number from 0 to 100; 0.1 is ten times as fast, 0 takes no time`);
}

function explain(error: unknown, port: number): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE") return `port ${port} is in use by another process; choose another with --port`;
  if (code === "EACCES" && port < 1024) return `port ${port} is for the system's own programs; choose another`;
  return (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
}

/** A path as a shell takes it. */
function quoted(path: string): string {
  return /^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
