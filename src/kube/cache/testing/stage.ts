// SPDX-License-Identifier: Apache-2.0
import { createClient } from "../../client/client.ts";
import { type ManualClock, manualClock } from "../../clock.ts";
import { type ConfigMap, configMap } from "../../core.ts";
import { createCache } from "../cache.ts";
import { keyOf, keyText } from "../key-text.ts";
import type { Cache, CacheOptions } from "../types.ts";
import { createFakeApi, type FakeApi } from "./fake-api.ts";

/** A cache on a fake server, with all time in the test's hand. */
export interface Stage {
  readonly clock: ManualClock;
  readonly api: FakeApi;
  readonly cache: Cache<ConfigMap>;
  readonly problems: unknown[];
  /** Lets everything that is ready happen; no time passes. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts one. */
export function startStage(
  options: Partial<CacheOptions<ConfigMap>> = {},
  { streamsLists = true, ...api }: { streamsLists?: boolean; api?: FakeApi; clock?: ManualClock } = {},
): Stage {
  const clock = api.clock ?? manualClock();
  const fake = api.api ?? createFakeApi({ clock, streamsLists });
  const random = options.random ?? (() => 0.5);
  const client = createClient({ server: "http://fake" }, { clock, random, transport: fake.transport, tries: 1 });
  const problems: unknown[] = [];
  const cache = createCache(client, configMap, {
    clock,
    random,
    onProblem: (error) => void problems.push(error),
    ...options,
  });
  const ended = new AbortController();
  const run = cache.start(ended.signal);
  return {
    clock,
    api: fake,
    cache,
    problems,
    async settle() {
      for (let turn = 0; turn < 10; turn += 1) await clock.advance(0);
    },
    async stop() {
      ended.abort(new Error("the test is over"));
      await run;
      await client.close();
    },
  };
}

/** What a cache or a server holds, to compare. */
export function contents(objects: Iterable<ConfigMap>): Record<string, string> {
  const pairs = [...objects].map((object) => [
    keyText(keyOf(object)),
    `${object.metadata.uid} ${object.metadata.resourceVersion} ${JSON.stringify(object.data)}`,
  ]);
  return Object.fromEntries(pairs.sort());
}
