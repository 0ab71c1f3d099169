// SPDX-License-Identifier: Apache-2.0
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ApiServer } from "./api-server.ts";
import { type GuardedProcess, startGuarded } from "./guarded-process.ts";
import { createClient } from "./request.ts";

/** What an API server does not do itself: empty namespaces, collect what nobody owns any more, give namespaces a service account. */
const CONTROLLERS = ["namespace-controller", "garbage-collector-controller", "serviceaccount-controller"];

const PROBES = "/api/v1/namespaces/default/configmaps";
const PROBE = {
  metadata: {
    name: "nobody-owns-this",
    ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "absent", uid: "absent" }],
  },
};

/** Where the program is, and how long it may take. */
export interface ControllersOptions {
  /** Folder of kube-controller-manager. */
  readonly assets: string;
  readonly readyWithinMs?: number;
}

/**
 * Starts kube-controller-manager for a server and waits until garbage is collected. It looks for kinds when it starts and
 * then only twice a minute, so install CRDs before.
 */
export async function startControllers(
  server: ApiServer,
  { assets, readyWithinMs = 60_000 }: ControllersOptions,
): Promise<GuardedProcess> {
  const client = createClient({ ...server, certificate: server.adminCertificate, key: server.adminKey });
  try {
    const probe = await client.request("POST", PROBES, PROBE);
    if (probe.status !== 201) throw new Error(`create a probe: ${JSON.stringify(probe.body)}`);
    const process = await startGuarded(join(assets, "kube-controller-manager"), {
      args: argumentsFor(server),
      log: join(server.folder, "kube-controller-manager.log"),
      folder: server.folder,
    });
    const isCollected = async () =>
      (await client.request("GET", `${PROBES}/${PROBE.metadata.name}`)).status === 404 ? true : undefined;
    const deadline = performance.now() + readyWithinMs;
    while (!(await isCollected())) {
      if (process.ended() === undefined && performance.now() < deadline) {
        await delay(50);
        continue;
      }
      const problem = process.ended() ?? `nothing collected within ${readyWithinMs} ms`;
      const lines = await process.lastLines();
      await process.stop(0);
      throw new Error(`kube-controller-manager: ${problem}; its log ends:\n${lines}`);
    }
    return process;
  } finally {
    await client.close();
  }
}

function argumentsFor({ kubeconfig }: ApiServer): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--controllers=${CONTROLLERS.join(",")}`,
    "--leader-elect=false",
    "--bind-address=127.0.0.1",
    "--secure-port=0",
    // Its own idea of politeness would make a namespace's end take half a minute.
    "--kube-api-qps=1000",
    "--kube-api-burst=1000",
  ];
}
