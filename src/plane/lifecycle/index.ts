// SPDX-License-Identifier: Apache-2.0
import type { Registry } from "../registry.ts";
import type { Objects } from "../rest/objects.ts";
import type { Clock, Store } from "../types.ts";
import { createChangeFeed } from "./change-feed.ts";
import { createClaimProtection } from "./claim-protection.ts";
import type { Surroundings } from "./controller.ts";
import { createDefaultAccounts } from "./default-accounts.ts";
import { createDefinitionRemoval } from "./definition-removal.ts";
import { createEventExpiry } from "./event-expiry.ts";
import { createGarbageCollector } from "./garbage-collector.ts";
import { createNamespaceTermination } from "./namespace-termination.ts";
import { createWorkQueue } from "./work-queue.ts";

/** What the controllers need. */
export interface LifecycleOptions {
  readonly store: Store;
  readonly registry: Registry;
  readonly objects: Objects;
  readonly clock: Clock;
  /**
   * Which of them: what the server itself sees to (custom resources go with their definitions, events expire), what
   * Kubernetes has a controller manager for, or both, which is so when left out.
   */
  readonly parts?: readonly ("server" | "manager")[];
  /** Told of work that failed; it is tried again. */
  readonly onFault?: (error: unknown) => void;
}

/** The running controllers. */
export interface Lifecycle {
  /** Ends them; what is under way is finished. */
  stop(): Promise<void>;
  /** Resolves when nothing is left to do. */
  settled(): Promise<void>;
}

/**
 * Starts the controllers without which objects would never go: garbage collection by owners, emptying of namespaces,
 * removal of custom resources with their definitions, and some smaller ones. They react to changes and never poll.
 */
export function startLifecycle(options: LifecycleOptions): Lifecycle {
  const { store, registry, objects, clock, onFault = () => {}, parts = ["server", "manager"] } = options;
  const queue = createWorkQueue({ clock, onFault });
  const feed = createChangeFeed(store, registry);
  const surroundings: Surroundings = { store, registry, objects, clock, queue, typeOf: feed.typeOf };
  const makers = {
    server: [createDefinitionRemoval, createEventExpiry],
    manager: [createGarbageCollector, createNamespaceTermination, createDefaultAccounts, createClaimProtection],
  };
  const controllers = parts.flatMap((part) => makers[part].map((make) => make(surroundings)));
  feed.start(controllers);
  return {
    async settled() {
      for (;;) {
        feed.drain();
        if (queue.isIdle() && feed.isCurrent()) return;
        await queue.idle();
      }
    },
    async stop() {
      feed.stop();
      for (const controller of controllers) controller.stop?.();
      queue.stop();
      await queue.idle();
    },
  };
}
