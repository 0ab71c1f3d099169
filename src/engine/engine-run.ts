// SPDX-License-Identifier: Apache-2.0
import { type Controller, LostLeadershipError, type ManagedController, type RunOptions } from "../kube/index.ts";

/** Stands between this process and everything it could do outside: open only while the engine runs and may act. */
export interface Fence {
  /** Throws where nothing may be sent now. */
  readonly check: () => void;
  open(gate: (() => void) | undefined): void;
  close(): void;
}

/** Makes a fence that is closed. */
export function createFence(): Fence {
  let gate: (() => void) | undefined;
  return {
    check() {
      if (gate === undefined) throw new LostLeadershipError("the engine does not run");
      gate();
    },
    open(given = () => {}) {
      gate = given;
    },
    close() {
      gate = undefined;
    },
  };
}

/** What runs together, and what is done when all of it has ended. */
export interface EngineParts {
  readonly parts: readonly Controller[];
  readonly fence: Fence;
  /** Writes what is left to write and lets go of connections. Still behind the open fence. */
  readonly afterwards: () => Promise<void>;
}

/** Makes one controller of several. Connections outlive every reconcile that uses them, and nothing outlives the run. */
export function runTogether(name: string, { parts, fence, afterwards }: EngineParts): ManagedController {
  return {
    name,
    caches: [...new Set(parts.flatMap(({ caches }) => caches))],
    async run(signal: AbortSignal, options: RunOptions = {}) {
      fence.open(options.gate);
      try {
        const ends = await Promise.allSettled(parts.map((part) => part.run(signal, options)));
        for (const end of ends) if (end.status === "rejected") throw end.reason;
      } finally {
        await afterwards();
        fence.close();
      }
    },
    get depth() {
      return parts.reduce((sum, { depth }) => sum + depth, 0);
    },
  };
}
