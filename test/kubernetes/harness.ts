// SPDX-License-Identifier: Apache-2.0
import { after, type TestContext, test } from "node:test";
import { type ApiServer, startApiServer } from "./api-server.ts";
import { findAssets } from "./assets.ts";
import { startControllers } from "./controllers.ts";
import type { GuardedProcess } from "./guarded-process.ts";
import { type Client, createClient } from "./request.ts";

export {
  type Attempt,
  attemptOf,
  type Cause,
  type Crd,
  collectionPath,
  createNamespace,
  type InstalledCrd,
  installCrds,
  type KubernetesObject,
  tryCreate,
} from "./crds.ts";

/** The API server of a test file, with requests sent as its admin. */
export type TestServer = ApiServer &
  Client & {
    /** Starts kube-controller-manager, once however often it is asked for; see `startControllers`. Ended with the server. */
    startControllers(): Promise<void>;
  };

type Shared = { readonly server: TestServer } | { readonly missing: string };

let shared: Promise<Shared> | undefined;

/**
 * A test that needs a real API server. The first of a file starts one, all of the file share it, and it is stopped after the
 * last. Where there is no kube-apiserver to be had the test is skipped, and one line says how to get it.
 */
export function kubernetesTest(name: string, run: (server: TestServer, t: TestContext) => Promise<void>): void {
  test(name, async (t) => {
    const server = await sharedServer(t);
    if (server !== undefined) await run(server, t);
  });
}

/** The file's server, for tests that are built otherwise. Where there is none the test is skipped and the answer is undefined. */
export async function sharedServer(t: TestContext): Promise<TestServer | undefined> {
  shared ??= startShared();
  const outcome = await shared;
  if ("server" in outcome) return outcome.server;
  t.skip("no kube-apiserver");
  return undefined;
}

after(async () => {
  const outcome = await shared?.catch(() => undefined);
  if (outcome === undefined || "missing" in outcome) return;
  await outcome.server.close();
  await outcome.server.stop();
});

async function startShared(): Promise<Shared> {
  const assets = await findAssets();
  if ("missing" in assets) {
    process.stderr.write(`skipped: ${assets.missing}\n`);
    return assets;
  }
  const server = await startApiServer({ assets: assets.folder });
  const { url, ca, adminCertificate, adminKey } = server;
  const client = createClient({ url, ca, certificate: adminCertificate, key: adminKey });
  let controllers: Promise<GuardedProcess> | undefined;
  return {
    server: {
      ...server,
      ...client,
      async startControllers() {
        controllers ??= findAssets(["kube-controller-manager"]).then((found) => {
          if ("missing" in found) throw new Error(found.missing);
          return startControllers(server, { assets: found.folder });
        });
        await controllers;
      },
      async stop() {
        await (await controllers?.catch(() => undefined))?.stop();
        await server.stop();
      },
    },
  };
}
