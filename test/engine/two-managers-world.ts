// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { machineRequest } from "../../src/api/index.ts";
import { type Client, createClient, isNotFound, loadKubeconfig } from "../../src/kube/index.ts";
import { type ApiServer, startApiServer } from "../kubernetes/api-server.ts";
import { findAssets } from "../kubernetes/assets.ts";
import { type AuditedWrite, auditTo } from "./api-audit.ts";
import { type LifeStage, sharedStage } from "./life-stage.ts";
import { clientInside, createAccess, followRequests, type LivesWorld, startHarvester } from "./lives-world.ts";

/** A world whose Kubernetes is a real API server, with Butler installed as its manual says. */
export interface RealWorld extends LivesWorld {
  readonly stage: LifeStage;
  /** Every write that arrived at the API server. */
  writes(): Promise<readonly AuditedWrite[]>;
  stop(): Promise<void>;
}

/** Makes the world of a file. It raises it once, and gives nothing where the test was skipped. */
export function realWorld(): (t: TestContext, seed: number) => Promise<RealWorld | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "butler-audit-"));
  const audit = auditTo(folder);
  let server: ApiServer | undefined;
  const stageOf = sharedStage({
    hasDeployments: true,
    async open(t) {
      const assets = await findAssets();
      if ("missing" in assets) {
        process.stderr.write(`skipped: ${assets.missing}\n`);
        t.skip("no kube-apiserver");
        return undefined;
      }
      server = await startApiServer({ assets: assets.folder, flags: audit.flags });
      return { url: server.url, ca: server.ca, admin: { certificate: server.adminCertificate, key: server.adminKey } };
    },
  });
  const close = async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return async (t, seed) => {
    t.after(close);
    const stage = await stageOf(t);
    if (stage === undefined || server === undefined) return undefined;
    const simulator = await startHarvester(seed);
    const client = createClient(loadKubeconfig({ path: server.kubeconfig }));
    const behind = clientInside(simulator.plane);
    await createAccess(client, simulator);
    const following = await followRequests(client);
    return {
      stage,
      simulator,
      client,
      behind,
      requests: following.requests,
      writes: audit.writes,
      machineIdOf: (namespace, name) => machineIdOf(client, { namespace, name }),
      async stop() {
        await following.stop();
        await client.close();
        await behind.close();
        await simulator.stop();
      },
    };
  };
}

async function machineIdOf(client: Client, key: { namespace: string; name: string }): Promise<string | undefined> {
  try {
    const { metadata } = await client.get(machineRequest, key);
    return metadata.annotations?.["butler.butlerlabs.dev/machine-id"];
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
