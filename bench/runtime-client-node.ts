// SPDX-License-Identifier: Apache-2.0
import { WIDGETS_PATH, widget } from "./plane-widgets.ts";
import type { Contestant, Setup } from "./runtime-contestant.ts";

const kind = { group: "bench.example.com", version: "v1", plural: "widgets" };

/** The usual client: its generated API for custom objects, and its informer. It has no queue and no controllers. */
export async function clientNode({ kubeconfig, modules }: Setup): Promise<Contestant> {
  const usual: typeof import("@kubernetes/client-node") = await import(modules["client-node"]);
  const config = new usual.KubeConfig();
  config.loadFromString(kubeconfig);
  const api = config.makeApiClient(usual.CustomObjectsApi);
  const asApply = usual.setHeaderOptions("Content-Type", usual.PatchStrategy.ServerSideApply);
  const stops: (() => Promise<void>)[] = [];
  const follow = async (namespace: string, onObject: (object: object) => void) => {
    const list = () => api.listNamespacedCustomObject({ ...kind, namespace });
    const informer = usual.makeInformer(config, WIDGETS_PATH(namespace), list);
    let isStopped = false;
    const stop = async () => {
      isStopped = true;
      await informer.stop();
    };
    stops.push(stop);
    informer.on("update", onObject);
    // It gives its watches up when they break, and starts them again only where it is told to.
    informer.on("error", () => void setTimeout(() => isStopped || informer.start(), 100));
    await informer.start();
    return { informer, stop };
  };
  return {
    async get(name) {
      await api.getNamespacedCustomObject({ ...kind, namespace: "work", name });
    },
    async apply(name, size) {
      const how = { fieldManager: "bench", force: true };
      const body = widget(name, size);
      await api.patchNamespacedCustomObject({ ...kind, namespace: "work", name, body, ...how }, asApply);
    },
    async watch(onSize) {
      const { stop } = await follow("watched", (object) => onSize(Object(object).spec.size));
      return stop;
    },
    async sync() {
      const { informer } = await follow("fill", () => {});
      return informer.list().length;
    },
    async close() {
      for (const stop of stops) await stop();
    },
  };
}
