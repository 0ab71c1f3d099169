// SPDX-License-Identifier: Apache-2.0
import { type Client, configMap, isAlreadyExists, isForbidden, isNotFound, type Random } from "../kube/index.ts";
import { INSTALLATION, SYSTEM_NAMESPACE } from "./names.ts";
import { ProviderError } from "./provider-error.ts";
import { randomUuid } from "./random-uuid.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A request that was launched, and with which id, as far as it tells. */
export interface LaunchedWith {
  /** As `namespace/name`. */
  readonly request: string;
  readonly id: string | undefined;
  /** Its machine was seen, which is written in its status: that is not the user's to write. */
  readonly wasSeen: boolean;
}

/** Where the id is kept. */
export interface InstallationOptions {
  readonly client: Client;
  readonly random: Random;
  /** What was launched. Where the kept id is gone, it is put back from there. */
  readonly launchedWith?: () => readonly LaunchedWith[];
}

/** Tells which installation of Butler this is. */
export interface Installation {
  /**
   * The id that all machines of this installation carry: a UUID, made once and never changed. However many ask at once, all get the
   * same one. Rejects with a `ProviderError` that says what to do where it cannot be had; also where what is kept is no id, or is gone
   * and what was launched does not tell it, for to make a new one would disown every machine there is.
   */
  id(options: { readonly signal: AbortSignal }): Promise<string>;
}

/** Makes one that has asked nobody yet. It remembers the answer. */
export function createInstallation({ client, random, launchedWith }: InstallationOptions): Installation {
  const key = { namespace: SYSTEM_NAMESPACE, name: INSTALLATION };
  let known: string | undefined;
  const read = async (signal: AbortSignal) => idOf((await client.get(configMap, key, { signal })).data);
  return {
    async id({ signal }) {
      if (known !== undefined) return known;
      try {
        const id = await read(signal).catch((error: unknown) => {
          if (isNotFound(error)) return make(signal);
          throw error;
        });
        known = id;
        return id;
      } catch (error) {
        throw explained(error);
      }
    },
  };

  async function make(signal: AbortSignal): Promise<string> {
    try {
      const id = idOfLaunched(launchedWith?.() ?? []) ?? randomUuid(random);
      const made = await client.create(configMap, { metadata: key, data: { id } }, { signal });
      return idOf(made.data);
    } catch (error) {
      if (isAlreadyExists(error)) return await read(signal);
      throw error;
    }
  }
}

/** The id that was lost; undefined where nothing was launched. */
function idOfLaunched(all: readonly LaunchedWith[]): string | undefined {
  const idsOf = (launched: readonly LaunchedWith[]) => launched.flatMap(({ id }) => (id === undefined ? [] : [id]));
  // Annotations are the user's to write: those of machines that were seen count, and no others.
  const id = mostCommon(idsOf(all.filter(({ wasSeen }) => wasSeen)));
  if (id !== undefined || all.length === 0) return id;
  const told = mostCommon(idsOf(all));
  const hint = told === undefined ? "" : ` (their annotations say ${told}, which anybody may have written)`;
  throw unknown(
    `ConfigMap "${SYSTEM_NAMESPACE}/${INSTALLATION}" does not exist, and there are MachineRequests that say they were launched, of which none can be trusted to tell its id: ${named(all)}. Make it with the id in the marks of their machines${hint}, or with a new UUID if there are no machines: kubectl create configmap -n ${SYSTEM_NAMESPACE} ${INSTALLATION} --from-literal=id=UUID`,
  );
}

const NAMED = 3;

function named(all: readonly LaunchedWith[]): string {
  const more = all.length - NAMED;
  const first = all.slice(0, NAMED).map(({ request }) => `"${request}"`);
  return `${first.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Annotations are the user's to change: a single one does not outvote the rest. */
function mostCommon(ids: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const id of ids) if (UUID.test(id)) counts.set(id, (counts.get(id) ?? 0) + 1);
  const [first] = [...counts].sort(([, left], [, right]) => right - left);
  return first?.[0];
}

function idOf(data: Readonly<Record<string, string>> | undefined): string {
  const id = data?.id ?? "";
  if (UUID.test(id)) return id;
  throw unknown(
    `ConfigMap "${SYSTEM_NAMESPACE}/${INSTALLATION}" has no UUID in its key "id"; put the one back that the machines carry, or delete the ConfigMap if there are none`,
  );
}

/** What an operator must mend. Whatever passes by itself is thrown on as it is. */
function explained(error: unknown): unknown {
  if (isNotFound(error))
    return unknown(`namespace "${SYSTEM_NAMESPACE}" does not exist; install what "butleradm manifests" prints`);
  if (isForbidden(error))
    return unknown(
      `Butler may not use ConfigMap "${SYSTEM_NAMESPACE}/${INSTALLATION}"; install what "butleradm manifests" prints`,
    );
  return error;
}

function unknown(message: string): ProviderError {
  return new ProviderError({ kind: "unavailable", reason: "InstallationUnknown", message, mayHaveActed: false });
}
