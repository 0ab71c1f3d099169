// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from "node:timers/promises";
import { machineRequest } from "../src/api/index.ts";
import { kinds } from "../src/kinds.ts";
import { accessObjects } from "../test/engine/life-objects.ts";
import { startApiServer } from "../test/kubernetes/api-server.ts";
import { findAssets } from "../test/kubernetes/assets.ts";
import { kubeconfigText } from "../test/kubernetes/kubeconfig.ts";
import { type Child, cpuMs, startChild } from "./machines-child.ts";
import { CONFIG, COPIES, copyOf, NAMESPACE, REQUESTS } from "./machines-objects.ts";
import { openWire } from "./machines-wire.ts";

/** A Kubernetes that the bench runs against, in processes of its own. */
export interface Kubernetes {
  readonly name: string;
  readonly kubeconfig: string;
  /** Every request so far, by method and resource: `PUT machinerequests/status`. */
  counts(): Promise<Readonly<Record<string, number>>>;
  cpuMs(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts one. */
export type StartKubernetes = () => Promise<Kubernetes>;

/** The plane, with its objects on disk. */
export async function startPlane(program: string, folder: string): Promise<Kubernetes> {
  const child = startChild([program, folder]);
  return {
    name: "the plane",
    kubeconfig: await child.ask<string>("kubeconfig"),
    counts: () => child.ask("counts"),
    cpuMs: () => cpuMs([child.pid]),
    stop: () => child.stop(),
  };
}

/** How to start a real kube-apiserver with its etcd, both of which wait for the disk; undefined where there is none. */
export async function findReal(): Promise<StartKubernetes | undefined> {
  const assets = await findAssets();
  if ("folder" in assets) return () => startReal(assets.folder);
  process.stdout.write(`${assets.missing}\n`);
  return undefined;
}

async function startReal(assets: string): Promise<Kubernetes> {
  const { url, ca, adminCertificate, adminKey, pids, stop } = await startApiServer({ assets, fsync: true });
  const kubeconfig = kubeconfigText({ url, ca, certificate: adminCertificate, key: adminKey });
  const wire = openWire(kubeconfig);
  return {
    name: "kube-apiserver",
    kubeconfig,
    counts: async () => parseCounts(await wire.text("/metrics")),
    cpuMs: () => cpuMs([pids.apiServer, pids.etcd]),
    async stop() {
      await wire.close();
      await stop();
    },
  };
}

const METHODS: Readonly<Record<string, string>> = { CREATE: "POST", UPDATE: "PUT", APPLY: "PATCH" };

/** The server counts by its own verbs, and by the answer's code. */
function parseCounts(metrics: string): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [, labels = "", value] of metrics.matchAll(/^apiserver_request_total\{(.*)\} (\S+)$/gm)) {
    const {
      verb = "",
      resource = "",
      subresource = "",
    } = Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, text]) => [name, text]));
    const method = METHODS[verb] ?? (["LIST", "WATCH"].includes(verb) ? "GET" : verb);
    const name = `${method} ${resource}${subresource === "" ? "" : `/${subresource}`}`;
    sums[name] = (sums[name] ?? 0) + Number(value);
  }
  return sums;
}

/** What the ProviderConfig of the bench is made from. */
export interface Access {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly secret: Readonly<Record<string, string>>;
  /** A kubeconfig that may do everything on Harvester. */
  readonly admin: string;
}

/** Everything but requests: kinds, namespaces, credentials and the ProviderConfig. */
export async function furnish({ kubeconfig }: Kubernetes, simulator: Child): Promise<Access> {
  const wire = openWire(kubeconfig);
  const access = await simulator.ask<Access>("access");
  const butler = "/apis/butler.butlerlabs.dev/v1alpha1";
  const copy = copyOf(machineRequest.crd());
  for (const definition of [...kinds.map((kind) => kind.crd()), copy])
    await wire.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
  for (const name of ["butler-system", NAMESPACE])
    await wire.send("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  for (const path of [REQUESTS, COPIES])
    while (
      await wire.send("GET", path).then(
        () => false,
        () => true,
      )
    )
      await delay(50);
  const [credentials = {}, config = {}] = accessObjects(CONFIG, access);
  await wire.send("POST", "/api/v1/namespaces/butler-system/secrets", credentials);
  await wire.send("POST", `${butler}/namespaces/butler-system/providerconfigs`, config);
  await wire.close();
  return access;
}
