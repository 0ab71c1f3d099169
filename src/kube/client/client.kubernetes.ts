// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { kubernetesTest, type TestServer } from "../../../test/kubernetes/harness.ts";
import { kubeconfigText } from "../../../test/kubernetes/kubeconfig.ts";
import { createClient } from "./client.ts";
import { loadKubeconfig } from "./kubeconfig.ts";
import { clientBehaviours } from "./testing/client-behaviour.ts";

function configOf({ url, ca, adminCertificate, adminKey }: TestServer) {
  const text = kubeconfigText({ url, ca, certificate: adminCertificate, key: adminKey });
  return loadKubeconfig({ text, trusted: false });
}

for (const { promise, run } of clientBehaviours)
  kubernetesTest(`client on a real API server: ${promise}`, (server) => run({ config: configOf(server) }));

kubernetesTest("a real API server knows requests by our ids", async (server) => {
  const ids: string[] = [];
  const client = createClient(configOf(server), { onRequest: ({ id }) => void ids.push(id) });
  try {
    const { headers } = await client.raw("GET", "/version");
    assert.equal(headers["audit-id"], ids[0]);
  } finally {
    await client.close();
  }
});
