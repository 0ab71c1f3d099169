// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { configMap } from "../core.ts";
import { status } from "./testing/fake-api.ts";
import { contents, type Stage, startStage } from "./testing/stage.ts";
import { compareVersions } from "./versions.ts";

const names = ["a/one", "a/two", "a/three", "b/four"];

type Step =
  | { readonly do: "put" | "remove" | "repeat"; readonly key: string }
  | { readonly do: "bookmark" | "compact" | "settle" }
  | { readonly do: "end"; readonly how: "clean" | "cut" | "expired" | "silence" }
  | { readonly do: "advance" | "delay"; readonly ms: number }
  | { readonly do: "requests"; readonly are: "answered" | "cut" | "held" | "refused" | "gone" };

const key = fc.constantFrom(...names);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom("put" as const, "put" as const, "remove" as const), key }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("repeat" as const), key }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom("bookmark" as const, "compact" as const, "settle" as const) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("end" as const),
      how: fc.constantFrom("clean" as const, "cut" as const, "expired" as const, "silence" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("advance" as const), ms: fc.constantFrom(1, 100, 1000, 31_000, 130_000) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delay" as const), ms: fc.constantFrom(0, 0, 50, 90_000) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("requests" as const),
      are: fc.constantFrom("answered" as const, "cut" as const, "held" as const, "refused" as const, "gone" as const),
    }),
  },
);

/** Notes where a listener is told something that must not be. */
function listenTo({ cache }: Stage) {
  const told = new Map<string, { readonly version: string; readonly isThere: boolean }>();
  cache.subscribe((old, now) => {
    const { metadata } = now ?? old ?? assert.fail("told of nothing");
    const name = `${metadata.namespace}/${metadata.name}`;
    const before = told.get(name);
    const { resourceVersion: version = "" } = metadata;
    assert.equal(old !== undefined, before?.isThere === true, `${name} was ${before?.isThere ? "" : "not "}there`);
    if (before !== undefined && now !== undefined)
      assert.ok((compareVersions(version, before.version) ?? 0) > 0, `${name}: ${version} after ${before.version}`);
    told.set(name, { version, isThere: now !== undefined });
  });
  return () => [...told].filter(([, { isThere }]) => isThere).map(([name]) => name);
}

async function play({ api, clock, settle }: Stage, each: Step): Promise<void> {
  if (each.do === "put") api.put(each.key, { at: `${api.revision}` });
  else if (each.do === "remove") api.remove(each.key);
  else if (each.do === "repeat") {
    const object = api.objects.get(each.key);
    if (object !== undefined) api.send({ type: "MODIFIED", object });
  } else if (each.do === "bookmark") api.bookmark();
  else if (each.do === "compact") api.compact();
  else if (each.do === "settle") await settle();
  else if (each.do === "end") api.end(each.how);
  else if (each.do === "advance") await clock.advance(each.ms);
  else if (each.do === "delay") api.delayWatches(each.ms);
  else if (each.do === "requests") api.intercept(() => fates[each.are]);
}

const fates = {
  answered: undefined,
  cut: "cut",
  held: "hold",
  refused: status(503, "ServiceUnavailable"),
  gone: status(410, "Expired"),
} as const;

for (const streamsLists of [true, false])
  test(`whatever server and network do, a cache that ${streamsLists ? "streams" : "pages"} converges and never goes back`, () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80 }), async (steps) => {
        const stage = startStage({ streamsLists });
        const { api, cache, clock, problems } = stage;
        const present = listenTo(stage);
        for (const each of steps) await play(stage, each);
        api.intercept(undefined);
        api.delayWatches(0);
        // Late events are out by then, silence is noticed, and the longest pause is over.
        for (let round = 0; round < 6; round += 1) await clock.advance(60_000);
        api.put("a/last", {});
        await clock.advance(200_000);
        assert.deepEqual(contents(cache.list()), contents(api.objects.values()));
        assert.deepEqual(present().sort(), [...api.objects.keys()].sort());
        assert.deepEqual(
          problems.filter((problem) => problem instanceof assert.AssertionError),
          [],
        );
        assert.ok(api.watches <= 1, "watches pile up");
        await stage.stop();
        assert.equal(clock.waiting, 0);
        assert.equal(cache.kind, configMap);
      }),
      { numRuns: 60 },
    ));
