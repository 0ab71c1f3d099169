// SPDX-License-Identifier: Apache-2.0
import { join, resolve } from "node:path";
import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { type Plane, startPlane } from "../plane/plane.ts";
import type { Input } from "./command.ts";
import { exitCodes, type Io, UsageError } from "./io.ts";

/** Runs a plane until the process is told to end. A folder or port that cannot be had is one line and exit code 1. */
export async function run(io: Io, { program, options }: Input): Promise<number> {
  const dir = options.dir === undefined ? join(io.home, ".butler", "plane") : resolve(io.directory, options.dir);
  const port = portOf(options.port);
  const told = io.untilTold();
  let plane: Plane;
  try {
    plane = await startPlane({ dir, port, onFault: (error) => io.complain(`${program}: ${oneLine(error)}\n`) });
  } catch (error) {
    io.complain(`${program}: ${explain(error, port)}\n`);
    return exitCodes.problems;
  }
  holdYoungHeap();
  const path = plane.kubeconfigPath ?? "";
  io.write(`Kubernetes API on ${plane.url}, kept in ${dir}

  export KUBECONFIG=${quoted(path)}
  kubectl get namespaces

Ctrl-C ends it.
`);
  await told;
  await plane.stop();
  return exitCodes.fine;
}

/** The heap's part for new objects, both halves of it. */
const YOUNG_HEAP_BYTES = 16 * 1024 * 1024;

/**
 * Lets the heap's part for new objects grow to 16 MiB and no further. Left alone it grows to 128 MiB under load, which can be
 * half of all memory, and no gain from that was measured. A flag on the command line would do the same, but only for another process, and
 * starting one takes a fifth of the time until the plane is ready. It can have grown only after a collection of garbage.
 */
function holdYoungHeap(): void {
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    if (young !== undefined && young.space_size < YOUNG_HEAP_BYTES) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    observer.disconnect();
  });
  observer.observe({ entryTypes: ["gc"] });
}

function portOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65535) return port;
  throw new UsageError(`--port: "${text}" is not a port; ports are numbers from 1 to 65535, or 0 for a free one`);
}

function explain(error: unknown, port: number): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE") return `port ${port} is in use by another process; choose another with --port`;
  if (code === "EACCES" && port > 0 && port < 1024)
    return `port ${port} is for the system's own programs; choose another`;
  return oneLine(error);
}

function oneLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
}

/** A path as a shell takes it. */
function quoted(path: string): string {
  return /^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
