// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { Change, Store } from "../types.ts";
import { openStore } from "./index.ts";
import { objectOf, put, remove } from "./testing/objects.ts";

const HISTORY = 6;

type Step =
  | { readonly do: "put"; readonly key: string; readonly value: unknown }
  | { readonly do: "delete" | "keep" | "throw"; readonly key: string }
  | { readonly do: "compact"; readonly back: number }
  | { readonly do: "settle" | "reopen" };

/** The naive store: everything that ever happened, in a list. */
interface Model {
  readonly log: { type: string; key: string; json: string; previous: string | undefined }[];
  compacted: number;
}

// The first revision is 2.
const revisionOf = ({ log }: Model) => log.length + 1;

function stateAt({ log }: Model, revision: number): Map<string, string> {
  const state = new Map<string, string>();
  for (const { type, key, json } of log.slice(0, revision - 1)) {
    if (type === "DELETED") state.delete(key);
    else state.set(key, json);
  }
  return state;
}

function record(model: Model, step: Step): void {
  if (step.do !== "put" && step.do !== "delete") return;
  const revision = revisionOf(model) + 1;
  const previous = stateAt(model, revision).get(step.key);
  if (step.do === "delete" && previous === undefined) return;
  const type = step.do === "delete" ? "DELETED" : previous === undefined ? "ADDED" : "MODIFIED";
  const value = step.do === "put" ? step.value : JSON.parse(previous ?? "").value;
  model.log.push({ type, key: step.key, json: JSON.stringify(objectOf(step.key, revision, value)), previous });
}

function startWrite(store: Store, step: Step): Promise<unknown> | undefined {
  if (step.do === "put") return put(store, step.key, step.value);
  if (step.do === "delete") return remove(store, step.key);
  if (step.do === "keep") return store.write(step.key, () => "keep");
  if (step.do !== "throw") return undefined;
  const write = store.write(step.key, () => {
    throw new RangeError("on purpose");
  });
  return assert.rejects(write, RangeError);
}

function compare(store: Store, model: Model): void {
  const newest = revisionOf(model);
  model.compacted = Math.max(model.compacted, newest - HISTORY);
  assert.equal(store.revision, newest);
  for (let revision = 0; revision <= newest; revision++) {
    const isKept = revision >= model.compacted;
    const changes = store.changesAfter(revision, 1000)?.map(flat);
    assert.deepEqual(changes, isKept ? model.log.slice(Math.max(0, revision - 1)).map(flatLog(revision)) : undefined);
    for (const prefix of ["", "/pods/", "/pods/a/", "apps/"]) {
      const expected = [...stateAt(model, revision)].filter(([key]) => key.startsWith(prefix)).sort();
      const pairs = store.listAt(prefix, revision)?.map(({ key, json }) => [key, json]);
      assert.deepEqual(pairs, isKept ? expected : undefined);
      if (revision < newest) continue;
      assert.deepEqual(
        store.list(prefix).map(({ key, object }) => [key, object]),
        expected.map(([key, json]) => [key, JSON.parse(json)]),
      );
    }
  }
}

function flat({ type, revision, entry, previous }: Change): unknown {
  assert.equal(entry.revision, revision);
  assert.deepEqual(JSON.parse(entry.json), entry.object);
  return [revision, type, entry.key, entry.json, previous?.json];
}

function flatLog(revision: number) {
  return ({ type, key, json, previous }: Model["log"][number], index: number): unknown => [
    Math.max(1, revision) + index + 1,
    type,
    key,
    json,
    previous,
  ];
}

const key = fc.constantFrom("/pods/a/x", "/pods/a/y", "/pods/ab/x", "/pods//x", "apps/pods/a/x");
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("put" as const), key, value: fc.jsonValue({ maxDepth: 2 }) }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constantFrom("delete" as const, "keep" as const, "throw" as const), key }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("compact" as const), back: fc.nat(5) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("settle" as const, "reopen" as const) }) },
);

test("whatever is done to it, the store has what a list of everything would have, also when it is opened again", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60, size: "max" }), async (steps) => {
      const dir = mkdtempSync(join(tmpdir(), "butler-store-"));
      try {
        await play(dir, steps);
      } finally {
        rmSync(dir, { recursive: true, force: true });
      }
    }),
    { numRuns: 30 },
  );
});

async function play(dir: string, steps: readonly Step[]): Promise<void> {
  const model: Model = { log: [], compacted: 1 };
  let store = openStore({ dir }, { historyLength: HISTORY });
  let writes: (Promise<unknown> | undefined)[] = [];
  for (const next of [...steps, { do: "settle" } as const, { do: "reopen" } as const]) {
    writes.push(startWrite(store, next));
    record(model, next);
    if (next.do !== "settle" && next.do !== "compact" && next.do !== "reopen") continue;
    const closing = next.do === "reopen" ? store.close() : undefined;
    await Promise.all([...writes, closing]);
    writes = [];
    if (closing !== undefined) store = openStore({ dir }, { historyLength: HISTORY });
    if (next.do === "compact") {
      model.compacted = Math.max(model.compacted, revisionOf(model) - next.back);
      store.compact(store.revision - next.back);
    }
    compare(store, model);
  }
  await store.close();
}
