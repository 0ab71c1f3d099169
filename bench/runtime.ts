// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPackage } from "../scripts/build-package.ts";
import type { Target } from "./plane-widgets.ts";
import type { ContestantName } from "./runtime-contestant.ts";
import { type Prepared, prepare, type Run, startRun } from "./runtime-run.ts";
import { fill, type Server, startServers } from "./runtime-servers.ts";
import { createRuntimeTable, type Reaches, type RuntimeTable } from "./runtime-table.ts";

const isQuick = process.argv.includes("--quick");
const rounds = isQuick ? 2 : 5;
const sliceMs = isQuick ? 400 : 1_200;
const restMs = isQuick ? 300 : 1_000;
const objectCount = isQuick ? 1_000 : 10_000;
const contestants: readonly ContestantName[] = ["butler", "client-node", "undici"];
const names = Array.from({ length: 200 }, (_, at) => `made-0-${at + 1}`);
const root = fileURLToPath(new URL("..", import.meta.url));

const third = [{ beside: "client-node", most: 1 / 3 }] as const;
const requestReaches: Reaches = {
  "GET, 16 at a time, 1/s": [
    { beside: "client-node", least: 5 },
    { beside: "undici", least: 0.75 },
  ],
  "apply, 16 at a time, 1/s": [
    { beside: "client-node", least: 3 },
    { beside: "undici", least: 0.75 },
  ],
  "live memory after requests and changes, MiB": third,
};
const processReaches: Reaches = {
  "live memory at start, MiB": third,
  [`live memory with ${objectCount} objects, MiB`]: third,
};

/**
 * Our runtime, as it is published, beside the usual client and bare undici, each in processes of its own that take turns: requests
 * against a real kube-apiserver, where there is one, and against the plane; the rest against the first of these. Gives 0 when all
 * that is to be reached is.
 */
export async function bench(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "butler-bench-"));
  const servers: Server[] = [];
  try {
    const ourPackage = await buildPackage(root, join(folder, "package"));
    const prepared = await prepare(folder, ourPackage);
    servers.push(...(await startServers({ folder, launcher: join(ourPackage, "bin/butleradm.js") })));
    for (const [at, server] of servers.entries())
      await fill(server, { work: names.length, kept: at === 0 ? objectCount : 0 });
    return await measure(servers, prepared);
  } finally {
    for (const server of servers) await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A server with those who ask it. */
interface Field {
  readonly server: Server;
  readonly started: readonly Started[];
  readonly table: RuntimeTable;
}

async function measure(servers: readonly Server[], prepared: Prepared): Promise<number> {
  const [first] = servers;
  if (first === undefined) throw new Error("there is no server");
  const processes = createRuntimeTable();
  const load = `${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`;
  const { bareMb, bareLiveMb } = await bareNode(prepared, first.target);
  const start = (name: ContestantName, { target }: Server) => ({ name, run: startRun(name, prepared, target) });
  const fields: Field[] = servers.map((server) => ({
    server,
    started: contestants.map((name) => start(name, server)),
    table: createRuntimeTable(),
  }));
  // Who is still starting would slow down whoever is measured.
  for (const { started } of fields) for (const { run } of started) await run.ask({ operation: "start" });
  for (let round = 0; round < rounds; round++) {
    for (const name of contestants) {
      const table = processes;
      await measureFresh(start(name, first), { table, bareLiveMb });
      await measureFilled(start(name, first), { table, bareLiveMb });
    }
    for (const field of fields) await measureRequests(field);
  }
  for (const field of fields) await measureEnd(field, bareLiveMb);
  process.stdout.write(
    `Medians of ${rounds} rounds. The load of the machine was ${load} when they began.\n` +
      `Live memory is above that of bare Node, which is ${bareLiveMb.toFixed(1)} MiB; ` +
      `resident memory is with bare Node, ${bareMb.toFixed(1)} MiB.\n\n` +
      `Processes, against ${first.name}\n${processes.text(processReaches)}`,
  );
  for (const { server, table } of fields)
    process.stdout.write(`\nRequests, against ${server.name}\n${table.text(requestReaches)}`);
  const isReached = processes.reached(processReaches) && fields.every(({ table }) => table.reached(requestReaches));
  return isReached ? 0 : 1;
}

/** What a process takes in which nobody does anything. */
async function bareNode(prepared: Prepared, target: Target): Promise<{ bareMb: number; bareLiveMb: number }> {
  const code = "process.stdout.write(String(process.memoryUsage.rss() / 2 ** 20))";
  const bareMb = Number(spawnSync(process.execPath, ["-e", code], { encoding: "utf8" }).stdout);
  const run = startRun("nobody", prepared, target);
  const { memoryMb: bareLiveMb = Number.NaN } = await run.ask({ operation: "live memory" });
  run.end();
  return { bareMb, bareLiveMb };
}

interface Started {
  readonly name: ContestantName;
  readonly run: Run;
}

/** Load on processes that live through all rounds, as controllers do: what they do not give back adds up. */
async function measureRequests({ server, started, table }: Field): Promise<void> {
  for (const operation of ["get", "apply"] as const)
    for (const clients of [1, 16])
      for (const { name, run } of started) {
        // Once unmeasured: connections are made and code is compiled.
        await run.ask({ operation, clients, ms: sliceMs / 10, names });
        const before = await server.busy();
        const { count = 0, wallMs = 0, cpuMs = 0 } = await run.ask({ operation, clients, ms: sliceMs, names });
        const after = await server.busy();
        const row = `${operation === "get" ? "GET" : operation}, ${clients} at a time`;
        const fullMs = after.fullMs - before.fullMs;
        const serverMs = after.cpuMs - before.cpuMs;
        table.add(`${row}, 1/s`, name, (count / wallMs) * 1000);
        table.addServer(`${row}, 1/s`, name, {
          most: (count / fullMs) * 1000,
          share: serverMs / (serverMs + cpuMs),
        });
        table.add(`${row}, CPU ms each`, name, cpuMs / count);
        table.add(`${row}, CPU ms of the server each`, name, serverMs / count);
        table.add(`${row}, server at % of ${server.means}`, name, (fullMs / wallMs) * 100);
      }
  for (const { name, run } of started) {
    const { p50, p99 } = await run.ask({ operation: "watch", ms: sliceMs, names });
    table.add("change until heard of, p50, ms", name, p50);
    table.add("change until heard of, p99, ms", name, p99);
    const { memoryMb } = await run.ask({ operation: "memory", restMs });
    table.add("resident memory after requests and changes, MiB", name, memoryMb);
  }
}

/** Once, after the last round: nobody's garbage is collected for them before. */
async function measureEnd({ started, table }: Field, bareLiveMb: number): Promise<void> {
  for (const { name, run } of started) {
    const { memoryMb = Number.NaN } = await run.ask({ operation: "live memory" });
    table.add("live memory after requests and changes, MiB", name, memoryMb - bareLiveMb);
    run.end();
  }
}

interface ProcessTable {
  readonly table: RuntimeTable;
  readonly bareLiveMb: number;
}

/** A process that does nothing else: collecting its garbage would change what follows. */
async function measureFresh({ name, run }: Started, { table, bareLiveMb }: ProcessTable): Promise<void> {
  table.add("import, ms", name, (await run.ask({ operation: "start" })).importMs);
  table.add("resident memory at start, MiB", name, (await run.ask({ operation: "memory", restMs })).memoryMb);
  const { memoryMb = Number.NaN } = await run.ask({ operation: "live memory" });
  table.add("live memory at start, MiB", name, memoryMb - bareLiveMb);
  run.end();
}

/** The cache of a process that has done nothing yet. */
async function measureFilled({ name, run }: Started, { table, bareLiveMb }: ProcessTable): Promise<void> {
  const { count, syncMs } = await run.ask({ operation: "sync" });
  if (count !== objectCount) throw new Error(`${name} has ${count} objects`);
  table.add(`sync of ${objectCount} objects, ms`, name, syncMs);
  const resident = await run.ask({ operation: "memory", restMs });
  table.add(`resident memory with ${objectCount} objects, MiB`, name, resident.memoryMb);
  const { memoryMb = Number.NaN } = await run.ask({ operation: "live memory" });
  table.add(`live memory with ${objectCount} objects, MiB`, name, memoryMb - bareLiveMb);
  const { perSecond } = await run.ask({ operation: "reconcile", ms: sliceMs });
  table.add("reconciles that do nothing, 1/s", name, perSecond ?? Number.NaN);
  run.end();
}
