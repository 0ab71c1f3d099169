// SPDX-License-Identifier: Apache-2.0
import { startCrdController } from "./crd-controller.ts";
import { type Lifecycle, type LifecycleOptions, startLifecycle } from "./lifecycle/index.ts";

/** Everything that works on its own in a plane. */
export interface Controllers {
  /** Starts what Kubernetes has a controller manager for: garbage, namespaces, service accounts. May be repeated. */
  startManager(): void;
  /** Resolves when nothing is left to do. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts what the server itself sees to: custom resources are served, and go with their definitions. */
export function startControllers(options: Omit<LifecycleOptions, "parts">): Controllers {
  const { store } = options;
  const definitions = startCrdController(options);
  const housekeeping = startLifecycle({ ...options, parts: ["server"] });
  let manager: Lifecycle | undefined;
  return {
    startManager() {
      manager ??= startLifecycle({ ...options, parts: ["manager"] });
    },
    async settled() {
      // One's work makes work for the others: settled is when nothing was written while all of them rested.
      for (let revision = -1; revision !== store.revision; ) {
        revision = store.revision;
        await definitions.settled();
        await housekeeping.settled();
        await manager?.settled();
      }
    },
    async stop() {
      definitions.stop();
      await housekeeping.stop();
      await manager?.stop();
    },
  };
}
