// SPDX-License-Identifier: Apache-2.0
import type { Client } from "../client/types.ts";
import type { Clock, KindDescriptor, KubeObject, Random, WatchEvent } from "../types.ts";
import type { Collection, Entry } from "./collection.ts";
import { type Doubts, HistoryChangedError } from "./history.ts";
import { keyOf, keyText } from "./key-text.ts";
import type { Scope } from "./scope.ts";
import { isOlder } from "./versions.ts";

/** What is followed, and who is told. */
export interface Following<T extends KubeObject> {
  readonly client: Client;
  readonly kind: KindDescriptor<T>;
  readonly scope: Scope;
  readonly collection: Collection<T>;
  readonly clock: Clock;
  readonly random: Random;
  /** Where false, lists are always read page by page. */
  readonly streamsLists: boolean;
  /** The server said something that is now in the collection, or that nothing has changed. */
  readonly onHeard: (what: "event" | "bookmark" | "list") => void;
  readonly onProblem: (error: unknown) => void;
}

/** The server's answers contradict each other or what was known. What is known stays; the server is asked again. */
export class CacheDisorderError extends Error {
  override readonly name = "CacheDisorderError";
}

/** A list as of one version. */
export interface WholeList<T extends KubeObject> {
  readonly entries: Map<string, Entry<T>>;
  readonly version: string;
}

/** Takes a whole list. Throws where it is older than what is known and need not be believed yet. */
export function adopt<T extends KubeObject>(
  { collection, kind, onHeard, onProblem }: Following<T>,
  doubts: Doubts,
  { entries, version }: WholeList<T>,
): void {
  if (!collection.replace(entries, version)) {
    const contradiction = `list ${kind.plural}: the server answered as of ${version}, but ${collection.position} was seen already`;
    if (!doubts.mustBelieve(version)) throw new CacheDisorderError(contradiction);
    collection.restart(entries, version);
    onProblem(
      new HistoryChangedError(
        `${contradiction}, and it insists: it was restored from a backup or is another one; what it shows now is taken`,
      ),
    );
  }
  doubts.clear();
  onHeard("list");
}

/** Takes one event of a watch whose beginning is known. */
export function take<T extends KubeObject>({ collection, kind, onHeard }: Following<T>, event: WatchEvent<T>): void {
  if (event.type === "BOOKMARK") {
    collection.advance(event.resourceVersion);
    onHeard("bookmark");
    return;
  }
  if (collection.apply(event.type, event.object) === "disorder")
    throw new CacheDisorderError(
      `watch ${kind.plural}: ${event.object.metadata.resourceVersion} came after ${collection.position}`,
    );
  onHeard("event");
}

/** Collects the objects that a watch begins with. They come in any order, and changes may come among them. */
export function createGathering<T extends KubeObject>(following: Following<T>, doubts: Doubts) {
  const { collection } = following;
  const entries = new Map<string, Entry<T>>();
  const gone = new Map<string, string>();
  return {
    /** Whether this was the last one, and the list is adopted. */
    take(event: WatchEvent<T>): boolean {
      if (event.type === "BOOKMARK") {
        if (event.endsInitialEvents) adopt(following, doubts, { entries, version: event.resourceVersion });
        return event.endsInitialEvents;
      }
      const key = keyText(keyOf(event.object));
      const { resourceVersion: version = "" } = event.object.metadata;
      const known = entries.get(key)?.version ?? gone.get(key);
      if (known !== undefined && isOlder(version, known)) return false;
      if (event.type === "DELETED") {
        entries.delete(key);
        gone.set(key, version);
      } else {
        entries.set(key, collection.toEntry(event.object));
        gone.delete(key);
      }
      return false;
    },
  };
}
