// SPDX-License-Identifier: Apache-2.0
import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { buildPackage } from "../scripts/build-package.ts";
import { startApiServer } from "../test/kubernetes/api-server.ts";
import { findAssets } from "../test/kubernetes/assets.ts";
import { kubeconfigText } from "../test/kubernetes/kubeconfig.ts";
import { createClient } from "../test/kubernetes/request.ts";
import { startPlaneProcess } from "../test/plane/plane-process.ts";
import { startLoad } from "./plane-load-process.ts";
import { definition, type Target } from "./plane-widgets.ts";
import type { ContestantName, RuntimeAnswer, RuntimeRequest, Setup } from "./runtime-contestant.ts";
import { createRuntimeTable, type Reach, type RuntimeTable } from "./runtime-table.ts";

const isQuick = process.argv.includes("--quick");
const rounds = isQuick ? 2 : 5;
const sliceMs = isQuick ? 500 : 2_000;
const objectCount = isQuick ? 1_000 : 10_000;
/** For one measurement. Who takes longer hangs. */
const LONGEST_MS = 60_000;
const contestants: readonly ContestantName[] = ["butler", "client-node", "undici"];
const names = Array.from({ length: 200 }, (_, at) => `made-0-${at + 1}`);
const root = fileURLToPath(new URL("..", import.meta.url));

const third = [{ beside: "client-node", most: 1 / 3 }] as const;
const reaches: Readonly<Record<string, readonly Reach[]>> = {
  "GET, 16 at a time, 1/s": [
    { beside: "client-node", least: 5 },
    { beside: "undici", least: 0.75 },
  ],
  "apply, 16 at a time, 1/s": [
    { beside: "client-node", least: 3 },
    { beside: "undici", least: 0.75 },
  ],
  "memory after requests and changes, MiB": third,
  // Node alone takes more than a third of what the others take with it.
  "memory at start, above bare Node, MiB": third,
  [`memory with ${objectCount} objects, above bare Node, MiB`]: third,
};

/**
 * Our runtime, as it is published, beside the usual client and bare undici, each in processes of its own that take turns, all
 * against one server: a real kube-apiserver where there is one, else the plane. Gives 0 when all that is to be reached is.
 */
export async function bench(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "butler-bench-"));
  const server = await startServer(folder);
  try {
    await fill(server.target);
    const setup = await prepare(folder, server.target);
    const table = createRuntimeTable();
    const start = (name: ContestantName) => ({ name, run: startContestant(name, setup) });
    const started = contestants.map(start);
    for (let round = 0; round < rounds; round++) {
      for (const name of contestants) {
        const fresh = start(name);
        await measureStart(fresh, table);
        fresh.run.end();
      }
      await measureRequests(started, table);
    }
    for (const { run } of started) run.end();
    process.stdout.write(`Against ${server.what}; medians of ${rounds} rounds.\n${table.text(reaches)}`);
    return table.reached(reaches) ? 0 : 1;
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Server {
  readonly what: string;
  readonly target: Target;
  stop(): Promise<void>;
}

async function startServer(folder: string): Promise<Server> {
  const assets = await findAssets();
  if ("missing" in assets) {
    process.stdout.write(`${assets.missing}\n`);
    const { access, end } = await startPlaneProcess(join(folder, "plane"));
    return { what: "the plane", target: access, stop: () => end("SIGTERM") };
  }
  const { url, ca, adminCertificate, adminKey, stop } = await startApiServer({ assets: assets.folder });
  return { what: "kube-apiserver", target: { url, ca, certificate: adminCertificate, key: adminKey }, stop };
}

/** Fills the server by a process that ends before anything is measured. */
async function fill(target: Target): Promise<void> {
  const client = createClient(target);
  await client.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
  for (const name of ["fill", "work", "watched"])
    await client.request("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  while ((await client.request("GET", "/apis/bench.example.com/v1/widgets")).status !== 200) await delay(20);
  await client.close();
  const load = startLoad();
  const common = { target, operation: "create", ms: Number.MAX_SAFE_INTEGER, names: [] } as const;
  await load.run({ ...common, clients: 1, most: names.length, namespace: "work", mark: "made" });
  await load.run({ ...common, clients: 1, most: 1, namespace: "watched", mark: "made" });
  await load.run({ ...common, clients: 16, most: objectCount, namespace: "fill", mark: "fill" });
  load.stop();
}

/** What contestants are started with, and the program that they are. */
interface Prepared extends Setup {
  readonly program: string;
}

/** Compiles everything beforehand: what reading TypeScript costs would be counted as memory of whoever is measured. */
async function prepare(folder: string, target: Target): Promise<Prepared> {
  const packed = await buildPackage(root, join(folder, "package"));
  const program = join(folder, "contestant.mjs");
  const options = { bundle: true, format: "esm", platform: "node", target: "node24", logLevel: "warning" } as const;
  await build({ ...options, entryPoints: [join(import.meta.dirname, "runtime-process.ts")], outfile: program });
  const modules = {
    butler: pathToFileURL(join(packed, "dist/kube/index.js")).href,
    "client-node": import.meta.resolve("@kubernetes/client-node"),
    undici: import.meta.resolve("undici"),
  };
  return { target, kubeconfig: kubeconfigText(target), modules, program };
}

interface Started {
  readonly name: ContestantName;
  readonly run: Run;
}

/** Load on processes that live through all rounds, as controllers do: what they do not give back adds up. */
async function measureRequests(started: readonly Started[], table: RuntimeTable): Promise<void> {
  for (const operation of ["get", "apply"] as const)
    for (const clients of [1, 16])
      for (const { name, run } of started) {
        // Once unmeasured: connections are made and code is compiled.
        await run({ operation, clients, ms: sliceMs / 10, names });
        const { perSecond, cpuMs } = await run({ operation, clients, ms: sliceMs, names });
        const row = `${operation === "get" ? "GET" : operation}, ${clients} at a time`;
        table.add(`${row}, 1/s`, name, perSecond);
        table.add(`${row}, CPU ms each`, name, cpuMs);
      }
  for (const { name, run } of started) {
    const { p50, p99 } = await run({ operation: "watch", ms: sliceMs, names });
    table.add("change until heard of, p50, ms", name, p50);
    table.add("change until heard of, p99, ms", name, p99);
    const { memoryMb } = await run({ operation: "memory" });
    table.add("memory after requests and changes, MiB", name, memoryMb);
  }
}

/** The start and the cache of a process that has done nothing yet. */
async function measureStart({ name, run }: Started, table: RuntimeTable): Promise<void> {
  const bareMb = bareNodeMb();
  const memory = (row: string, memoryMb = Number.NaN) => {
    table.add(`${row}, MiB`, name, memoryMb);
    table.add(`${row}, above bare Node, MiB`, name, memoryMb - bareMb);
  };
  const start = await run({ operation: "start" });
  table.add("import, ms", name, start.importMs);
  memory("memory at start", start.memoryMb);
  const { count, syncMs, memoryMb } = await run({ operation: "sync" });
  if (count !== objectCount) throw new Error(`${name} has ${count} objects`);
  table.add(`sync of ${objectCount} objects, ms`, name, syncMs);
  memory(`memory with ${objectCount} objects`, memoryMb);
  const { perSecond } = await run({ operation: "reconcile", ms: sliceMs });
  table.add("reconciles that do nothing, 1/s", name, perSecond ?? Number.NaN);
}

type Run = ((request: RuntimeRequest) => Promise<RuntimeAnswer>) & { end(): void };

function startContestant(name: ContestantName, { program, ...setup }: Prepared): Run {
  const child = spawn(process.execPath, [program, name, JSON.stringify(setup)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const run = async (request: RuntimeRequest): Promise<RuntimeAnswer> => {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    const tooLong = setTimeout(() => child.kill(), LONGEST_MS);
    const { value, done } = await lines.next();
    clearTimeout(tooLong);
    if (done === true) throw new Error(`${name} ended, or took too long, during "${request.operation}"`);
    return JSON.parse(value);
  };
  return Object.assign(run, { end: () => void child.kill() });
}

function bareNodeMb(): number {
  const code = "process.stdout.write(String(process.memoryUsage.rss() / 2 ** 20))";
  return Number(spawnSync(process.execPath, ["-e", code], { encoding: "utf8" }).stdout);
}
