// SPDX-License-Identifier: Apache-2.0
import * as kube from "../src/kube/index.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

/** Keeps a Secret of the same name for every ConfigMap of a namespace, until the signal. */
export async function mirror(config: kube.ClusterConfig, namespace: string, signal: AbortSignal): Promise<void> {
  const client = kube.createClient(config);
  const caches = kube.createCaches(client);
  const originals = caches.of(kube.configMap, { namespace });
  const copies = caches.of(kube.secret, { namespace, labelSelector: "mirrored=yes" });
  const controller = kube.createController({
    name: "mirror",
    client,
    cache: originals,
    watches: [kube.watchOwned(copies, kube.configMap)],
    async reconcile(key, { client: writer, signal: cut }) {
      const original = originals.get(key);
      if (original === undefined) return "done"; // Its copy is owned, and collected with it.
      const copy = {
        metadata: {
          name: key.name,
          namespace,
          labels: { mirrored: "yes" },
          ownerReferences: [kube.ownerReference(kube.configMap, original)],
        },
        data: Object.fromEntries(Object.entries(original.data ?? {}).map(([name, text]) => [name, base64(text)])),
      };
      await writer.apply(kube.secret, copy, { fieldManager: "mirror", force: true, signal: cut });
      return "done";
    },
  });
  const election = { namespace, name: "mirror" };
  await kube.createManager({ client, controllers: [controller], election }).run(signal);
  await client.close();
}
