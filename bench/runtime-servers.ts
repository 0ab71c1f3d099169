// SPDX-License-Identifier: Apache-2.0
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startApiServer } from "../test/kubernetes/api-server.ts";
import { findAssets } from "../test/kubernetes/assets.ts";
import { createClient } from "../test/kubernetes/request.ts";
import { startPlaneProcess } from "../test/plane/plane-process.ts";
import { startLoad } from "./plane-load-process.ts";
import { definition, type Target } from "./plane-widgets.ts";

/** What the bench runs against. */
export interface Server {
  readonly name: string;
  readonly target: Target;
  /** What it can be busy with at most, in words. */
  readonly means: string;
  busy(): Promise<Busy>;
  stop(): Promise<void>;
}

/** How long a server has worked since it was started, in milliseconds; not a number where the system does not tell. */
export interface Busy {
  readonly cpuMs: number;
  /** The same as a share of what it can do: while this grows by a second each second, it can do no more. */
  readonly fullMs: number;
}

/** Where servers come from. */
export interface Sources {
  readonly folder: string;
  /** The launcher of the plane. */
  readonly launcher: string;
}

/** A real kube-apiserver, where there is one, comes first; the plane, as its own process, comes always. */
export async function startServers({ folder, launcher }: Sources): Promise<Server[]> {
  const assets = await findAssets();
  if ("missing" in assets) process.stdout.write(`${assets.missing}\n`);
  const real = "missing" in assets ? [] : [await startReal(assets.folder)];
  return [...real, await startPlane(join(folder, "plane"), launcher)];
}

async function startReal(assets: string): Promise<Server> {
  const { url, ca, adminCertificate, adminKey, pids, stop } = await startApiServer({ assets });
  const cores = availableParallelism();
  return {
    name: "kube-apiserver",
    target: { url, ca, certificate: adminCertificate, key: adminKey },
    means: cores === 1 ? "its one core" : `all ${cores} cores`,
    async busy() {
      const cpuMs = (await cpuMsOf(`${pids.apiServer}`)) + (await cpuMsOf(`${pids.etcd}`));
      return { cpuMs, fullMs: cpuMs / cores };
    },
    stop,
  };
}

async function startPlane(folder: string, launcher: string): Promise<Server> {
  const { access, pid, end } = await startPlaneProcess(folder, { launcher });
  return {
    name: "the plane",
    target: access,
    means: "its one thread",
    // It answers in its main thread; the others collect garbage.
    busy: async () => ({ cpuMs: await cpuMsOf(`${pid}`), fullMs: await cpuMsOf(`${pid}/task/${pid}`) }),
    stop: () => end("SIGTERM"),
  };
}

/** Linux counts in hundredths of a second, for a process with all its threads or for one of them. */
async function cpuMsOf(path: string): Promise<number> {
  const text = await readFile(`/proc/${path}/stat`, "utf8").catch(() => "");
  // The name, in brackets, may have spaces and brackets. The times are the 14th and 15th of all fields, of which the name is the 2nd.
  const [user, system] = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

/** What a server is filled with. */
export interface Filling {
  /** Objects to read and write. */
  readonly work: number;
  /** Objects to keep in memory. */
  readonly kept: number;
}

/** Fills a server by a process that ends before anything is measured. */
export async function fill({ target }: Server, { work, kept }: Filling): Promise<void> {
  const client = createClient(target);
  await client.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
  for (const name of ["fill", "work", "watched"])
    await client.request("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  while ((await client.request("GET", "/apis/bench.example.com/v1/widgets")).status !== 200) await delay(20);
  await client.close();
  const load = startLoad();
  const common = { target, operation: "create", ms: Number.MAX_SAFE_INTEGER, names: [] } as const;
  await load.run({ ...common, clients: 1, most: work, namespace: "work", mark: "made" });
  await load.run({ ...common, clients: 1, most: 1, namespace: "watched", mark: "made" });
  if (kept > 0) await load.run({ ...common, clients: 16, most: kept, namespace: "fill", mark: "fill" });
  load.stop();
}
