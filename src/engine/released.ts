// SPDX-License-Identifier: Apache-2.0
import {
  ApiError,
  type Client,
  type Clock,
  configMap,
  isAlreadyExists,
  isForbidden,
  isInvalid,
  isNotFound,
} from "../kube/index.ts";
import { RELEASED_NAMES, SYSTEM_NAMESPACE } from "./names.ts";

/** A machine that was let go of: it stays, and nobody here looks after it any more. */
export interface ReleasedMachine {
  readonly machineId: string;
  readonly name: string;
  readonly providerId?: string | undefined;
  /** `abandon` or `Retain`. */
  readonly why: string;
}

/**
 * The machines of one ProviderConfig's namespace that were let go of, in its ConfigMap `butler-released` and, once that is full, in
 * `butler-released-2` and so on.
 */
export interface Released {
  /** Writes one down. Repeats change nothing. To be awaited before the request lets go. */
  record(machine: ReleasedMachine, options: { readonly signal: AbortSignal }): Promise<void>;
  /** The machine ids that are written down there or in `butler-system`, as of at most ten seconds ago. */
  ids(options: { readonly signal: AbortSignal }): Promise<ReadonlySet<string>>;
}

/** Where they are written down. */
export interface ReleasedOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly namespace: string;
  /** Whether the namespace is being deleted, and all that is written down in it with it. */
  readonly isEnding?: () => boolean;
}

const FRESH_MS = 10_000;
const TOO_LARGE = 413;

/**
 * Makes the list of one namespace. Nothing is read or written before it is asked. What cannot be written down there, as in a namespace
 * that is being deleted, is written down in `butler-system`.
 */
export function createReleased({ client, clock, namespace, isEnding = () => false }: ReleasedOptions): Released {
  let known: { readonly ids: ReadonlySet<string>; readonly at: number } | undefined;
  return {
    async record({ machineId, name, providerId, why }, { signal }) {
      known = undefined;
      const time = new Date(clock.now()).toISOString();
      const entry = { machineId, text: JSON.stringify({ name, providerID: providerId, time, why }) };
      if (namespace === SYSTEM_NAMESPACE || !isEnding()) {
        try {
          return await writeDown(entry, { client, namespace, signal });
        } catch (error) {
          if (namespace === SYSTEM_NAMESPACE || !(isForbidden(error) || isNotFound(error))) throw error;
        }
      }
      await writeDown(entry, { client, namespace: SYSTEM_NAMESPACE, signal });
    },
    async ids({ signal }) {
      if (known !== undefined && clock.monotonic() - known.at < FRESH_MS) return known.ids;
      const ids = new Set<string>();
      for (const each of new Set([namespace, SYSTEM_NAMESPACE]))
        for (const id of await idsIn({ client, namespace: each, signal })) ids.add(id);
      known = { ids, at: clock.monotonic() };
      return ids;
    },
  };
}

interface Shelf {
  readonly client: Client;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** Writes into the first ConfigMap that has room. */
async function writeDown(entry: { readonly machineId: string; readonly text: string }, shelf: Shelf): Promise<void> {
  for (const name of RELEASED_NAMES) {
    const there = await read(name, shelf);
    if (there !== undefined && entry.machineId in there) return;
    if (await hasTaken(name, { entry, there, shelf })) return;
  }
  throw new Error(
    `the ConfigMaps "${RELEASED_NAMES.join('", "')}" in namespace "${shelf.namespace}" are full: remove entries of machines that are gone`,
  );
}

interface Taking {
  readonly entry: { readonly machineId: string; readonly text: string };
  readonly there: Readonly<Record<string, string>> | undefined;
  readonly shelf: Shelf;
}

/** Whether the entry stands there now; otherwise it is full. */
async function hasTaken(name: string, { entry, there, shelf }: Taking): Promise<boolean> {
  const { client, namespace, signal } = shelf;
  const key = { namespace, name };
  const data = { [entry.machineId]: entry.text };
  if (there === undefined) {
    try {
      await client.create(configMap, { metadata: key, data }, { signal });
      return true;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }
  try {
    await client.mergePatch(configMap, key, { data }, { signal });
    return true;
  } catch (error) {
    if (isInvalid(error) || (error instanceof ApiError && error.status === TOO_LARGE)) return false;
    throw error;
  }
}

async function idsIn(shelf: Shelf): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const name of RELEASED_NAMES) {
    const there = await read(name, shelf);
    if (there === undefined) break;
    ids.push(...Object.keys(there));
  }
  return ids;
}

async function read(name: string, { client, namespace, signal }: Shelf) {
  try {
    return (await client.get(configMap, { namespace, name }, { signal })).data ?? {};
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
