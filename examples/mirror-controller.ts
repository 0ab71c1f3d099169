// SPDX-License-Identifier: Apache-2.0
import {
  type ClusterConfig,
  configMap,
  createCaches,
  createClient,
  createController,
  createManager,
  ownerReference,
  secret,
  watchOwned,
} from "../src/kube/index.ts";

/** Keeps a Secret of the same name for every ConfigMap that is labelled `mirror=yes`, until the signal. */
export async function mirror(config: ClusterConfig, signal: AbortSignal): Promise<void> {
  const client = createClient(config);
  const caches = createCaches(client);
  const originals = caches.of(configMap, { labelSelector: "mirror=yes" });
  const copies = caches.of(secret, { labelSelector: "mirrored=yes" });
  const controller = createController({
    name: "mirror",
    client,
    cache: originals,
    watches: [watchOwned(copies, configMap)],
    async reconcile(key, { client: writer, signal: cut }) {
      const original = originals.get(key);
      if (original === undefined) return "done"; // Its copy is owned, and collected with it.
      const copy = {
        metadata: {
          name: key.name,
          namespace: key.namespace ?? "",
          labels: { mirrored: "yes" },
          ownerReferences: [ownerReference(configMap, original)],
        },
        data: Object.fromEntries(Object.entries(original.data ?? {}).map(([name, text]) => [name, btoa(text)])),
      };
      await writer.apply(secret, copy, { fieldManager: "mirror", force: true, signal: cut });
      return "done";
    },
  });
  const election = { namespace: "default", name: "mirror", identity: `mirror-${process.pid}` };
  await createManager({ client, controllers: [controller], election }).run(signal);
  await client.close();
}
