// SPDX-License-Identifier: Apache-2.0
import { type Client, type Clock, configMap, isAlreadyExists, isNotFound } from "../kube/index.ts";
import { RELEASED } from "./names.ts";

/** A machine that was let go of: it stays, and nobody here looks after it any more. */
export interface ReleasedMachine {
  readonly machineId: string;
  readonly name: string;
  readonly providerId?: string | undefined;
  /** `abandon` or `Retain`. */
  readonly why: string;
}

/** The machines of one ProviderConfig's namespace that were let go of, in its ConfigMap `butler-released`. */
export interface Released {
  /** Writes one down. Repeats change nothing. To be awaited before the request lets go. */
  record(machine: ReleasedMachine, options: { readonly signal: AbortSignal }): Promise<void>;
  /** The machine ids that are written down, as of at most ten seconds ago. */
  ids(options: { readonly signal: AbortSignal }): Promise<ReadonlySet<string>>;
}

/** Where they are written down. */
export interface ReleasedOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly namespace: string;
}

const FRESH_MS = 10_000;

/** Makes the list of one namespace. Nothing is read or written before it is asked. */
export function createReleased({ client, clock, namespace }: ReleasedOptions): Released {
  const key = { namespace, name: RELEASED };
  let known: { readonly ids: ReadonlySet<string>; readonly at: number } | undefined;
  const read = async (signal: AbortSignal) => {
    try {
      return (await client.get(configMap, key, { signal })).data ?? {};
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  return {
    async record({ machineId, name, providerId, why }, { signal }) {
      known = undefined;
      const there = await read(signal);
      if (there !== undefined && machineId in there) return;
      const time = new Date(clock.now()).toISOString();
      const data = { [machineId]: JSON.stringify({ name, providerID: providerId, time, why }) };
      if (there === undefined) {
        try {
          await client.create(configMap, { metadata: key, data }, { signal });
          return;
        } catch (error) {
          if (!isAlreadyExists(error)) throw error;
        }
      }
      await client.mergePatch(configMap, key, { data }, { signal });
    },
    async ids({ signal }) {
      if (known !== undefined && clock.monotonic() - known.at < FRESH_MS) return known.ids;
      const ids = new Set(Object.keys((await read(signal)) ?? {}));
      known = { ids, at: clock.monotonic() };
      return ids;
    },
  };
}
