// SPDX-License-Identifier: Apache-2.0
import type { Cache, Client, KindDescriptor, KubeObject } from "../src/kube/index.ts";
import { widget } from "./plane-widgets.ts";
import type { Contestant, Setup } from "./runtime-contestant.ts";

type Runtime = typeof import("../src/kube/index.ts");

interface Widget extends KubeObject {
  spec: { size: number; mode: string; note: string; disks: { name: string; path: string; sizeGb: number }[] };
}

const kind: KindDescriptor<Widget> = {
  group: "bench.example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  scope: "Namespaced",
};

/** Our own runtime, as the package has it. */
export async function butler({ kubeconfig, modules }: Setup): Promise<Contestant> {
  const runtime: Runtime = await import(modules.butler);
  const client = runtime.createClient(runtime.loadKubeconfig({ text: kubeconfig, trusted: false }));
  const end = new AbortController();
  let filled: Cache<Widget> | undefined;
  return {
    async get(name) {
      await client.get(kind, { namespace: "work", name });
    },
    async apply(name, size) {
      const { metadata, ...rest } = widget(name, size);
      const draft = { ...rest, metadata: { ...metadata, namespace: "work" } };
      await client.apply(kind, draft, { fieldManager: "bench", force: true });
    },
    async watch(onSize) {
      const stop = new AbortController();
      const cache = runtime.createCache(client, kind, { namespace: "watched" });
      const running = cache.start(stop.signal);
      await cache.synced;
      cache.subscribe((_old, now) => now !== undefined && onSize(now.spec.size));
      return async () => {
        stop.abort(new Error("over"));
        await running;
      };
    },
    async sync() {
      filled = runtime.createCache(client, kind, { namespace: "fill" });
      void filled.start(end.signal);
      await filled.synced;
      return filled.size;
    },
    reconcile: (ms) => reconcile({ runtime, client, cache: filled, ms }),
    async close() {
      end.abort(new Error("over"));
      await client.close();
    },
  };
}

interface Reconciling {
  readonly runtime: Runtime;
  readonly client: Client;
  readonly cache: Cache<Widget> | undefined;
  readonly ms: number;
}

async function reconcile({ runtime, client, cache, ms }: Reconciling): Promise<number> {
  if (cache === undefined) throw new Error("nothing is synced");
  const keys = cache.list().map(runtime.keyOf);
  const stop = new AbortController();
  let count = 0;
  let whenAll = () => {};
  const controller = runtime.createController({
    name: "nothing",
    client,
    cache,
    concurrency: 16,
    async reconcile() {
      count += 1;
      if (count % keys.length === 0) whenAll();
      return "done";
    },
  });
  const all = () =>
    new Promise<void>((resolve) => {
      whenAll = resolve;
    });
  const started = performance.now();
  let round = all();
  const running = controller.run(stop.signal);
  for (;;) {
    await round;
    if (performance.now() - started >= ms) break;
    round = all();
    for (const key of keys) controller.add(key);
  }
  const perSecond = (count / (performance.now() - started)) * 1000;
  stop.abort(new Error("over"));
  await running;
  return perSecond;
}
