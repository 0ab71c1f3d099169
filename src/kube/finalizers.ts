// SPDX-License-Identifier: Apache-2.0
import type { CallOptions, Client, JsonPatchOperation } from "./client/types.ts";
import { ApiError, isConflict, isInvalid, isNotFound } from "./errors.ts";
import type { KindDescriptor, KubeObject, ObjectKey } from "./types.ts";

/** Where to change finalizers. */
export interface FinalizerOptions<T extends KubeObject> extends CallOptions {
  readonly client: Client;
  readonly kind: KindDescriptor<T>;
}

/** How often others may get in between. */
const TRIES = 8;

/** Whether the finalizer is there. */
export function hasFinalizer({ metadata }: KubeObject, name: string): boolean {
  return metadata.finalizers?.includes(name) === true;
}

/**
 * Adds a finalizer to this very object, never to another of its name. Writes nothing where it is there. In one step: what others
 * do to the list at the same time is kept. Rejects where the object is being deleted, for the server allows no new one then, and
 * where it is gone. Resolves to the object as it is then.
 */
export function addFinalizer<T extends KubeObject>(object: T, name: string, options: FinalizerOptions<T>): Promise<T> {
  return change(object, options, ({ metadata }) => {
    if (metadata.finalizers?.includes(name)) return undefined;
    const { finalizers, resourceVersion } = metadata;
    // Bound to the version: two who add at once would write it twice.
    return [
      { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
      finalizers === undefined
        ? { op: "add", path: "/metadata/finalizers", value: [name] }
        : { op: "add", path: "/metadata/finalizers/-", value: name },
    ];
  });
}

/**
 * Removes a finalizer from this very object. Writes nothing where it is not there. In one step: other finalizers and changes by
 * others are kept. Resolves to the object as it is then, or to undefined where it is gone.
 */
export async function removeFinalizer<T extends KubeObject>(
  object: T,
  name: string,
  options: FinalizerOptions<T>,
): Promise<T | undefined> {
  try {
    return await change(object, options, ({ metadata }) => {
      const at = metadata.finalizers?.indexOf(name) ?? -1;
      if (at < 0) return undefined;
      return [
        { op: "test", path: "/metadata/uid", value: metadata.uid },
        { op: "test", path: `/metadata/finalizers/${at}`, value: name },
        { op: "remove", path: `/metadata/finalizers/${at}` },
      ];
    });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function change<T extends KubeObject>(
  object: T,
  { client, kind, ...calling }: FinalizerOptions<T>,
  patchFor: (current: T) => readonly JsonPatchOperation[] | undefined,
): Promise<T> {
  const key = keyOf(object);
  let current = object;
  for (let attempt = 1; ; attempt += 1) {
    const patch = patchFor(current);
    if (patch === undefined) return current;
    try {
      return await client.jsonPatch(kind, key, patch, calling);
    } catch (error) {
      // A failed test is answered with 422, like an object that breaks a rule.
      const isOutdated = isConflict(error) || isInvalid(error);
      if (!isOutdated || attempt === TRIES) throw error;
      const latest = await client.get(kind, key, calling);
      if (latest.metadata.uid !== object.metadata.uid) throw gone(kind, key);
      const isUnchanged = latest.metadata.resourceVersion === current.metadata.resourceVersion;
      if (isUnchanged) throw error;
      current = latest;
    }
  }
}

function gone({ plural }: KindDescriptor, { name }: ObjectKey): ApiError {
  const message = `${plural} "${name}" is another object by now`;
  return new ApiError({ status: 404, reason: "NotFound", message });
}

/** The key of an object that the server knows. */
function keyOf({ metadata }: KubeObject): ObjectKey {
  const { name, namespace } = metadata;
  if (name === undefined) throw new TypeError("an object without a name is not on the server");
  return namespace === undefined ? { name } : { name, namespace };
}
