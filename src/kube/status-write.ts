// SPDX-License-Identifier: Apache-2.0
import { isDeepStrictEqual } from "node:util";
import type { ApplyDraft, CallOptions, Client } from "./client/types.ts";
import { ApiError, isConflict } from "./errors.ts";
import type { KindDescriptor, KubeObject } from "./types.ts";

/** An object with a status of some sort. */
export type WithStatus = KubeObject & { status?: unknown };

/** How to write a status. */
export interface StatusWriteOptions<T extends WithStatus> extends CallOptions {
  readonly client: Client;
  readonly kind: KindDescriptor<T>;
  /** Makes the status from the object as it is. Called again with a fresh one after each conflict; it may change what it is given. */
  readonly change: (current: T) => T["status"];
  /** How often others may get in between; 5 unless told otherwise. */
  readonly conflicts?: number;
  readonly fieldManager?: string;
}

/**
 * Writes the status of this very object. Nothing is sent where nothing changed. On a conflict the object is read again and
 * `change` decides anew, so that no other's change is overwritten unseen. Resolves to the object as it is then.
 */
export async function writeStatus<T extends WithStatus>(object: T, options: StatusWriteOptions<T>): Promise<T> {
  const { client, kind, change, conflicts = 5, ...calling } = options;
  const { name = "", namespace, uid } = object.metadata;
  const key = namespace === undefined ? { name } : { name, namespace };
  let current = object;
  for (let attempt = 0; ; attempt += 1) {
    const status = change(structuredClone(current));
    if (isEqualJson(status, current.status)) return current;
    try {
      return await client.update(kind, { ...current, status }, { ...calling, subresource: "status" });
    } catch (error) {
      if (!isConflict(error) || attempt >= conflicts) throw error;
      current = await client.get(kind, key, calling);
      if (current.metadata.uid !== uid)
        throw new ApiError({
          status: 404,
          reason: "NotFound",
          message: `${kind.plural} "${name}" is another object by now`,
        });
    }
  }
}

/** Applies statuses as one field manager. */
export interface StatusApplier<T extends WithStatus> {
  /**
   * Makes the manager own exactly the status fields of the draft. Nothing is sent where the same draft was the last one applied to
   * this very object and the object still has it. Resolves to the object as it is then.
   */
  apply(current: T, draft: ApplyDraft<T>, options?: CallOptions): Promise<T>;
}

/** Who applies, and to what. */
export interface StatusApplierOptions<T extends WithStatus> {
  readonly client: Client;
  readonly kind: KindDescriptor<T>;
  readonly fieldManager: string;
  /** Takes fields from other managers; true unless told otherwise, for a status has one author. */
  readonly force?: boolean;
}

/** Objects whose last draft is remembered. Past that the oldest is applied once more, which the server takes for no change. */
const MOST_REMEMBERED = 10_000;

/** Makes one that has applied nothing yet. */
export function createStatusApplier<T extends WithStatus>(options: StatusApplierOptions<T>): StatusApplier<T> {
  const { client, kind, fieldManager, force = true } = options;
  const last = new Map<string, string>();
  return {
    async apply(current, draft, calling = {}) {
      const { uid } = current.metadata;
      const text = JSON.stringify(draft);
      const status = "status" in draft ? draft.status : undefined;
      if (uid !== undefined && last.get(uid) === text && contains(current.status, status)) return current;
      const applied = await client.apply(kind, draft, { ...calling, fieldManager, force, subresource: "status" });
      const id = applied.metadata.uid;
      if (id === undefined) return applied;
      last.delete(id);
      last.set(id, text);
      for (const oldest of last.keys()) {
        if (last.size <= MOST_REMEMBERED) break;
        last.delete(oldest);
      }
      return applied;
    },
  };
}

/** As the server would see it: what JSON leaves out does not count. */
function isEqualJson(left: unknown, right: unknown): boolean {
  const plain = (value: unknown) => (value === undefined ? {} : JSON.parse(JSON.stringify(value)));
  return isDeepStrictEqual(plain(left), plain(right));
}

/** Whether the whole has everything that the part has. Lists must be of the same length. */
function contains(whole: unknown, part: unknown): boolean {
  if (part === undefined) return true;
  if (typeof part !== "object" || part === null || typeof whole !== "object" || whole === null) return whole === part;
  if (Array.isArray(part) && (!Array.isArray(whole) || whole.length !== part.length)) return false;
  const fields = new Map(Object.entries(whole));
  return Object.entries(part).every(([name, value]) => contains(fields.get(name), value));
}
