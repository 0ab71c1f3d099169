// SPDX-License-Identifier: Apache-2.0
import type { Client } from "../client/types.ts";
import { sleep } from "../clock.ts";
import { backoffMs } from "../queue/backoff.ts";
import type { Clock, KindDescriptor, KubeObject, ObjectKey, Random } from "../types.ts";
import type { Collection } from "./collection.ts";
import { keyOf, keyText, parseKeyText } from "./key-text.ts";
import type { Scope } from "./scope.ts";
import { isOlder } from "./versions.ts";

const BACKOFF = { baseMs: 200, maxMs: 5_000 };

/** What is to catch up, and how to wait for it. */
export interface CatchingUp<T extends KubeObject> {
  readonly client: Client;
  readonly kind: KindDescriptor<T>;
  readonly scope: Scope;
  readonly collection: Collection<T>;
  readonly clock: Clock;
  readonly random: Random;
  readonly onProblem: (error: unknown) => void;
  waitFor(key: ObjectKey, version: string, signal: AbortSignal): Promise<void>;
  waitForGone(key: ObjectKey, uid: string, signal: AbortSignal): Promise<void>;
}

/**
 * Resolves when the collection has all that the server had when this was called. A version of the whole would not do: where
 * nothing happens a cache hears of it only with the next bookmark, minutes later. So what is compared is the objects, by their
 * metadata alone.
 */
export async function catchUp<T extends KubeObject>(catching: CatchingUp<T>, signal: AbortSignal): Promise<void> {
  const { collection, clock, random, onProblem, waitFor, waitForGone } = catching;
  for (let failures = 0; ; ) {
    signal.throwIfAborted();
    try {
      const listed = await listVersions(catching, signal);
      if (listed === undefined) return;
      const { versions, position } = listed;
      for (const [key, version] of versions) await waitFor(parseKeyText(key), version, signal);
      for (const [key, { uid = "", version }] of [...collection.entries])
        if (!versions.has(key) && !isOlder(position, version)) await waitForGone(parseKeyText(key), uid, signal);
      return;
    } catch (error) {
      signal.throwIfAborted();
      onProblem(error);
      failures += 1;
      await sleep(clock, backoffMs(failures, BACKOFF, random), signal);
    }
  }
}

/** What the server has now; undefined where the collection is that far already. */
async function listVersions<T extends KubeObject>(
  { client, kind, scope, collection }: CatchingUp<T>,
  signal: AbortSignal,
): Promise<{ readonly versions: ReadonlyMap<string, string>; readonly position: string } | undefined> {
  let versions = new Map<string, string>();
  let position = "";
  for await (const page of client.pages(kind, { ...scope, metadataOnly: true, signal })) {
    position = page.resourceVersion;
    if (collection.position !== undefined && !isOlder(collection.position, position)) return undefined;
    if (page.isRestart) versions = new Map();
    for (const object of page.items) versions.set(keyText(keyOf(object)), object.metadata.resourceVersion ?? "");
  }
  return { versions, position };
}
