// SPDX-License-Identifier: Apache-2.0
import { sharedServer } from "../kubernetes/harness.ts";
import { suites } from "./cases/index.ts";
import { runConformance } from "./framework/run.ts";

/** Asks etcd for the newest revision, then to forget all before it. */
async function compact(etcdUrl: string): Promise<void> {
  const ask = async (path: string, body: unknown) => {
    const answer = await fetch(`${etcdUrl}/v3/kv/${path}`, { method: "POST", body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`etcd: ${await answer.text()}`);
    return (await answer.json()) as { header: { revision: string } };
  };
  const { header } = await ask("range", { key: Buffer.from("none").toString("base64") });
  await ask("compaction", { revision: header.revision });
}

runConformance(suites, {
  update: process.env.UPDATE_GOLDENS === "1",
  async open(t) {
    const server = await sharedServer(t);
    if (server === undefined) return undefined;
    return {
      url: server.url,
      ca: server.ca,
      admin: { certificate: server.adminCertificate, key: server.adminKey },
      issueClient: server.issueClient,
      startControllers: server.startControllers,
      compact: () => compact(server.etcdUrl),
    };
  },
});
