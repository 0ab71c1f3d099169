// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { buildPackage } from "../scripts/build-package.ts";
import { startApiServer } from "../test/kubernetes/api-server.ts";
import { findAssets } from "../test/kubernetes/assets.ts";
import { createClient } from "../test/kubernetes/request.ts";
import { startPlaneProcess } from "../test/plane/plane-process.ts";
import { type Load, startLoad } from "./plane-load-process.ts";
import { createTable, type Table } from "./plane-table.ts";
import { definition, type LoadAnswer, type LoadRequest, type Target, WIDGETS_PATH } from "./plane-widgets.ts";
import { bareRate } from "./store.ts";

const isQuick = process.argv.includes("--quick");
const rounds = isQuick ? 2 : 7;
const sliceMs = isQuick ? 500 : 2_000;
const starts = isQuick ? 1 : 3;
const objectCount = isQuick ? 1_000 : 10_000;
const watchers = 100;
const root = fileURLToPath(new URL("..", import.meta.url));

/** A server that is measured. */
interface Server {
  readonly name: "plane" | "real";
  readonly target: Target;
  /** Resident memory of all its processes, in MiB. */
  memory(): Promise<number>;
  stop(): Promise<void>;
}

type Start = () => Promise<Server>;

/**
 * The plane beside a real kube-apiserver with its etcd, both with durable writes, in slices that take turns. Gives 0 when
 * the plane is ready ten times sooner and takes a third of the memory or less; other rows are told, not judged.
 */
export async function bench(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "butler-bench-"));
  const running: Server[] = [];
  const load = startLoad();
  try {
    const launcher = join(await buildPackage(root, join(folder, "package")), "bin/butleradm.js");
    const assets = await findAssets();
    if ("missing" in assets) process.stdout.write(`${assets.missing}\n`);
    const ways: Start[] = [
      planeStart(folder, launcher),
      ...("missing" in assets ? [] : [() => startReal(assets.folder)]),
    ];
    const table = createTable();
    for (const start of ways) running.push(await timedStart(start, table));
    for (const server of running) table.add("memory, empty", { server: server.name, value: await rested(server) });
    await measure(running, load, table);
    await measureDisk(folder, { json: await storedText(running), table });
    process.stdout.write(table.text());
    return table.keeps({ "time to ready": 10, "memory, empty": 3, [`memory, ${objectCount} objects`]: 3 }) ? 0 : 1;
  } finally {
    load.stop();
    for (const server of running) await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function planeStart(folder: string, launcher: string): Start {
  let count = 0;
  return async () => {
    const plane = await startPlaneProcess(join(folder, `plane-${count++}`), { launcher });
    await ready(plane.access);
    const memory = () => residentMb([plane.pid]);
    return { name: "plane", target: plane.access, memory, stop: () => plane.end("SIGTERM") };
  };
}

async function startReal(assets: string): Promise<Server> {
  const { url, ca, adminCertificate, adminKey, pids, stop } = await startApiServer({ assets, fsync: true });
  const target = { url, ca, certificate: adminCertificate, key: adminKey };
  return { name: "real", target, memory: () => residentMb([pids.apiServer, pids.etcd]), stop };
}

async function ready(target: Target): Promise<void> {
  const client = createClient(target);
  const { status } = await client.request("GET", "/readyz");
  await client.close();
  if (status !== 200) throw new Error(`/readyz answered ${status}`);
}

/** Starts several times on empty folders; the last stays. The first one warms what the system caches. */
async function timedStart(start: Start, table: Table): Promise<Server> {
  for (let round = 0; ; round++) {
    const before = performance.now();
    const server = await start();
    const { name } = server;
    if (round > 0) table.add("time to ready", { server: name, value: performance.now() - before });
    if (round === starts) return server;
    await server.stop();
  }
}

async function residentMb(pids: readonly number[]): Promise<number> {
  const texts = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/status`, "utf8")));
  return texts.reduce((sum, text) => sum + Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? Number.NaN) / 1024, 0);
}

/** Memory after some seconds of rest. */
async function rested(server: Server): Promise<number> {
  await delay(isQuick ? 500 : 3_000);
  return server.memory();
}

const NAMES = Array.from({ length: 200 }, (_, at) => `made-0-${at + 1}`);

async function measure(servers: readonly Server[], load: Load, table: Table): Promise<void> {
  for (const server of servers) await prepare(server, load);
  for (const server of servers)
    table.add(`memory, ${objectCount} objects`, { server: server.name, value: await rested(server) });
  const row = async (label: string, request: Pick<LoadRequest, "operation" | "clients" | "namespace">) => {
    for (let round = 0; round < rounds; round++)
      for (const { name, target } of servers) {
        const mark = `${request.operation.replace(" ", "-")}-${request.clients}-${round}`;
        const answer = await load.run({ ...request, target, ms: sliceMs, mark, names: NAMES });
        addAnswer(table, label, { name, answer });
      }
  };
  for (const operation of ["create", "get", "status patch", "apply"] as const)
    for (const clients of [1, 16])
      await row(`${operation}, ${clients} at a time`, { operation, clients, namespace: "work" });
  await row(`list of ${objectCount}`, { operation: "list", clients: 1, namespace: "fill" });
  await row(`fan-out to ${watchers} watchers`, { operation: "fan-out", clients: watchers, namespace: "watched" });
  for (const server of servers) table.add("memory, at the end", { server: server.name, value: await server.memory() });
}

function addAnswer(table: Table, label: string, { name, answer }: { name: Server["name"]; answer: LoadAnswer }): void {
  table.add(label, { server: name, value: answer.perSecond, isRate: true });
  table.add(`${label}, p50`, { server: name, value: answer.p50 });
  table.add(`${label}, p99`, { server: name, value: answer.p99 });
}

async function prepare({ target }: Server, load: Load): Promise<void> {
  const client = createClient(target);
  await client.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
  for (const name of ["fill", "work", "watched"])
    await client.request("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  while ((await client.request("GET", "/apis/bench.example.com/v1/widgets")).status !== 200) await delay(20);
  await client.close();
  const common = { target, operation: "create", ms: Number.MAX_SAFE_INTEGER, names: [] } as const;
  await load.run({ ...common, clients: 1, most: NAMES.length, namespace: "work", mark: "made" });
  await load.run({ ...common, clients: 1, most: 1, namespace: "watched", mark: "made" });
  await load.run({ ...common, clients: 16, most: objectCount, namespace: "fill", mark: "fill" });
}

/** An object as the plane stores it. */
async function storedText(servers: readonly Server[]): Promise<string> {
  const plane = servers.find(({ name }) => name === "plane");
  if (plane === undefined) throw new Error("the plane is not running");
  const client = createClient(plane.target);
  const { body } = await client.request("GET", `${WIDGETS_PATH("work")}/${NAMES[0]}`);
  await client.close();
  return JSON.stringify(body);
}

/**
 * What the disk gives to SQLite alone: the same rows into the same table, as long as the plane is measured, with as many in a
 * commit as the plane can have there at most, since each client waits for its answer.
 */
async function measureDisk(
  folder: string,
  { json, table }: { readonly json: string; readonly table: Table },
): Promise<void> {
  for (let round = 0; round < rounds; round++)
    for (const perTransaction of [1, 16])
      table.add(`node:sqlite alone, ${perTransaction} per commit`, {
        server: "plane",
        value: bareRate(join(folder, `bare-${perTransaction}-${round}`), { perTransaction, json, ms: sliceMs }),
        isRate: true,
      });
  for (const rows of [1, 16]) table.share(`create, ${rows} at a time`, `node:sqlite alone, ${rows} per commit`);
}
