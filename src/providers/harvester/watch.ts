// SPDX-License-Identifier: Apache-2.0
import { isDeepStrictEqual } from "node:util";
import type { MachineHave, Sighting } from "../../engine/provider.ts";
import { ProviderError } from "../../engine/provider-error.ts";
import type { KindDescriptor, KubeObject, WatchEvent } from "../../kube/index.ts";
import { isBrief, type Requests } from "./client.ts";
import { type Collection, collectionsOf } from "./collections.ts";
import { createGathering, type Gathering } from "./gathering.ts";
import type { Site } from "./site.ts";

/** Servers send a bookmark about once a minute; a watch that says nothing for longer is dead though its connection may stand. */
const SILENCE_MS = 150_000;

/** All machines of this installation, from one list of each kind. */
export async function listMachines(site: Site, requests: Requests): Promise<readonly MachineHave[]> {
  const gathering = createGathering(site.installation);
  const collections = await collectionsOf(site, { requests, verbs: ["list"] });
  await Promise.all(collections.map((collection) => gather(collection, gathering, requests)));
  return gathering.keys().flatMap((key) => gathering.machine(key) ?? []);
}

/** Lists one kind into the gathering; returns the version from which a watch goes on. */
async function gather(collection: Collection, gathering: Gathering, requests: Requests): Promise<string> {
  const { items, resourceVersion } = await requests.list(collection.kind, collection.selection);
  for (const item of items) gathering.put(collection.name, collection.trim(item));
  return resourceVersion;
}

/** Tells every machine, then every change, until the signal or until anything goes wrong. */
export async function* watchMachines(site: Site, requests: Requests): AsyncGenerator<Sighting, void, undefined> {
  const gathering = createGathering(site.installation);
  const collections = await collectionsOf(site, { requests, verbs: ["list", "watch"] });
  const versions = await Promise.all(collections.map((collection) => gather(collection, gathering, requests)));
  const told = new Map<string, MachineHave>();
  for (const key of gathering.keys()) yield* tell(key, gathering, told);
  yield { type: "all-told" };
  const ended = new AbortController();
  const signal = AbortSignal.any([requests.signal, ended.signal]);
  const queue = createQueue(signal);
  const leave = site.watched.follow(gathering);
  collections.forEach((collection, index) => {
    const from = versions[index] ?? "";
    const run = follow(collection, { from, site, requests, signal, onKeys: queue.push, gathering });
    run.then(() => queue.fail(requests.signal.reason), queue.fail);
  });
  try {
    for (;;) for (const key of await queue.take()) yield* tell(key, gathering, told);
  } finally {
    leave();
    ended.abort(new Error("the watch was left"));
  }
}

/** What has changed about one machine since it was last told, if anything. */
function* tell(key: string, gathering: Gathering, told: Map<string, MachineHave>): Generator<Sighting> {
  const have = gathering.machine(key);
  const before = told.get(key);
  if (isDeepStrictEqual(have, before)) return;
  if (before !== undefined && before.name !== have?.name)
    yield { type: "gone", machineId: before.mark.machineId, name: before.name };
  if (have === undefined) told.delete(key);
  else {
    told.set(key, have);
    yield { type: "machine", have };
  }
}

interface Following {
  readonly from: string;
  readonly site: Site;
  readonly requests: Requests;
  readonly signal: AbortSignal;
  readonly gathering: Gathering;
  readonly onKeys: (keys: readonly string[]) => void;
}

/** Watches that may end one after the other without having told anything. */
const IDLE_ENDS = 3;

/**
 * Follows one kind, over as many watches as it takes: one that ended or broke is gone on with from where it was. Ends only by the
 * signal; throws what cannot be gone on from.
 */
async function follow(collection: Collection, following: Following): Promise<void> {
  const { site, requests, signal } = following;
  const { kind, selection } = collection;
  let version = following.from;
  for (let idleEnds = 0; !signal.aborted; ) {
    const silence = createSilence(site, signal);
    let error: unknown;
    try {
      const options = { ...selection, resourceVersion: version, signal: silence.signal };
      for await (const event of requests.watch(kind, options)) {
        idleEnds = 0;
        silence.heard();
        version = take(event, { collection, following }) ?? version;
      }
    } catch (thrown) {
      error = silence.problem ?? thrown;
    } finally {
      silence.end();
    }
    if (signal.aborted) return;
    idleEnds += 1;
    if (error !== undefined && !isBrief(error)) throw error;
    if (idleEnds >= IDLE_ENDS) throw error ?? endedAtOnce(kind);
  }
}

function endedAtOnce({ plural }: KindDescriptor): ProviderError {
  return new ProviderError({
    kind: "unavailable",
    reason: "WatchEnded",
    message: `watch machines: Harvester ends every watch of ${plural} at once; it is begun again later`,
    mayHaveActed: false,
  });
}

function take(
  event: WatchEvent<KubeObject>,
  { collection, following }: { readonly collection: Collection; readonly following: Following },
): string | undefined {
  if (event.type === "BOOKMARK") return event.resourceVersion;
  const { gathering, onKeys } = following;
  const { name, trim } = collection;
  // The watch was asked for this collection's kind.
  const object = trim(event.object as Parameters<typeof trim>[0]);
  onKeys(event.type === "DELETED" ? gathering.remove(name, object) : gathering.put(name, object));
  return event.object.metadata.resourceVersion;
}

/** Notices when nothing was heard for too long. */
function createSilence({ clock }: Site, signal: AbortSignal) {
  const ended = new AbortController();
  let problem: ProviderError | undefined;
  const start = () =>
    clock.after(SILENCE_MS, () => {
      problem = new ProviderError({
        kind: "unavailable",
        reason: "WatchSilent",
        message: `watch machines: Harvester has said nothing for ${SILENCE_MS / 1000} s; the watch is begun again`,
        mayHaveActed: false,
      });
      ended.abort(problem);
    });
  let cancel = start();
  return {
    signal: AbortSignal.any([signal, ended.signal]),
    get problem() {
      return problem;
    },
    heard() {
      cancel();
      cancel = start();
    },
    end: () => cancel(),
  };
}

/** Keys that wait to be told, each once however often it changed. */
function createQueue(signal: AbortSignal) {
  let keys = new Set<string>();
  let failure: { readonly error: unknown } | undefined;
  let wake = () => {};
  signal.addEventListener("abort", () => wake(), { once: true });
  return {
    push(changed: readonly string[]) {
      for (const key of changed) keys.add(key);
      if (changed.length > 0) wake();
    },
    fail(error: unknown) {
      failure ??= { error };
      wake();
    },
    async take(): Promise<Iterable<string>> {
      while (keys.size === 0) {
        if (failure !== undefined) throw failure.error;
        signal.throwIfAborted();
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const taken = keys;
      keys = new Set();
      return taken;
    },
  };
}
