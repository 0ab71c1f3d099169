// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
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
  /** Where it is not known any more, anything that is no machine id: the machine is known by its owner and providerID then. */
  readonly machineId: string;
  /** The MachineRequest that it was made for, as `namespace/name`. */
  readonly owner?: string | undefined;
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
  /** What is written down there or in `butler-system`, for `isReleased`: as of now where it is to be fresh, else of at most ten seconds ago. */
  ids(options: { readonly signal: AbortSignal; readonly isFresh?: boolean }): Promise<ReadonlySet<string>>;
}

/** Whether a machine was let go of: its id is written down, or its owner with its providerID. */
export function isReleased(
  ids: ReadonlySet<string>,
  { machineId, owner, providerId }: Pick<ReleasedMachine, "machineId" | "owner" | "providerId">,
): boolean {
  return ids.has(machineId) || (providerId !== undefined && ids.has(`${owner} ${providerId}`));
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
 * Makes the list of one namespace. Nothing is read or written before it is asked. Everything is written down in `butler-system` too:
 * ProviderConfigs of other namespaces may lead to the same machines, and a namespace takes its list along when it goes.
 */
export function createReleased({ client, clock, namespace, isEnding = () => false }: ReleasedOptions): Released {
  let known: { readonly ids: ReadonlySet<string>; readonly at: number } | undefined;
  /** How many were to be written down: what was read before that is old. */
  let records = 0;
  return {
    async record({ machineId, owner, name, providerId, why }, { signal }) {
      known = undefined;
      records += 1;
      const time = new Date(clock.now()).toISOString();
      const entry = { machineId, text: JSON.stringify({ name, owner, providerID: providerId, time, why }) };
      let isTaken = false;
      if (namespace !== SYSTEM_NAMESPACE && !isEnding()) {
        try {
          isTaken = await writeDown(entry, { client, namespace, signal });
        } catch (error) {
          if (!(isForbidden(error) || isNotFound(error))) throw error;
        }
      }
      isTaken = (await writeDown(entry, { client, namespace: SYSTEM_NAMESPACE, signal })) || isTaken;
      if (isTaken) return;
      throw new Error(
        `the ConfigMaps "${RELEASED_NAMES.join('", "')}" in namespace "${SYSTEM_NAMESPACE}" are full: remove entries of machines that are gone`,
      );
    },
    async ids({ signal, isFresh = false }) {
      if (!isFresh && known !== undefined && clock.monotonic() - known.at < FRESH_MS) return known.ids;
      const before = records;
      const ids = new Set<string>();
      for (const each of new Set([namespace, SYSTEM_NAMESPACE]))
        for (const id of await idsIn({ client, namespace: each, signal })) ids.add(id);
      if (before === records) known = { ids, at: clock.monotonic() };
      return ids;
    },
  };
}

interface Shelf {
  readonly client: Client;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** Writes into the first ConfigMap that has room. False where all are full. */
async function writeDown(entry: { readonly machineId: string; readonly text: string }, shelf: Shelf): Promise<boolean> {
  for (const name of RELEASED_NAMES) {
    const there = await read(name, shelf);
    if (there !== undefined && entry.machineId in there) return true;
    if (await hasTaken(name, { entry, there, shelf })) return true;
  }
  return false;
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
    for (const [key, text] of Object.entries(there)) ids.push(key, ...ownedId(text));
  }
  return ids;
}

const ownedShape = z.object({ owner: z.string(), providerID: z.string() });

/** People write here too: what cannot be read says nothing more than its key. */
function ownedId(text: string): readonly string[] {
  try {
    const { success, data } = ownedShape.safeParse(JSON.parse(text));
    return success ? [`${data.owner} ${data.providerID}`] : [];
  } catch {
    return [];
  }
}

async function read(name: string, { client, namespace, signal }: Shelf) {
  try {
    return (await client.get(configMap, { namespace, name }, { signal })).data ?? {};
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
