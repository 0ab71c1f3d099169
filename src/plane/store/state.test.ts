// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { entryOfJson, type StoredEntry } from "./entry.ts";
import { createState, type State } from "./state.ts";

function stateOf(...keys: readonly string[]): State {
  return createState(new Map(keys.map((key): [string, StoredEntry] => [key, entryOfJson(key, 1, "{}")])));
}

function keysOf(state: State, prefix: string): string[] {
  return state.list(prefix).map(({ key }) => key);
}

test("a list is in key order and has its own resource and namespace only", () => {
  const state = stateOf("/pods/b/x", "/pods/a/z", "/pods/a-b/y", "/podss/a/x", "apps/pods/a/x", "/pods//x");
  assert.deepEqual(keysOf(state, "/pods/"), ["/pods//x", "/pods/a-b/y", "/pods/a/z", "/pods/b/x"]);
  assert.deepEqual(keysOf(state, "/pods/a/"), ["/pods/a/z"]);
  assert.deepEqual(keysOf(state, "/pods/a"), ["/pods/a-b/y", "/pods/a/z"]);
  assert.deepEqual(keysOf(state, "/pods/c/"), []);
  assert.deepEqual(keysOf(state, "batch/jobs/"), []);
  assert.deepEqual(keysOf(state, "apps/"), ["apps/pods/a/x"]);
});

test("a list that was given out stays as it was", () => {
  const state = stateOf("/pods/a/x");
  const [all, some] = [state.list("/pods/"), state.list("/pods/a/")];
  state.set(entryOfJson("/pods/a/w", 2, "{}"));
  state.set(entryOfJson("/pods/a/x", 3, "{}"));
  assert.deepEqual(
    [...all, ...some].map(({ revision }) => revision),
    [1, 1],
  );
  const later = state.list("/pods/");
  state.remove("/pods/a/w");
  assert.equal(later.length, 2);
});

test("a list is not copied until something changes", () => {
  const state = stateOf("/pods/a/x", "apps/deployments/a/x");
  const first = state.list("/pods/");
  state.set(entryOfJson("apps/deployments/a/y", 2, "{}"));
  assert.equal(state.list("/pods/"), first);
});

test("any prefix lists what a scan of everything would find", () => {
  const part = fc.constantFrom("", "a", "b", "a-", "a.b", "aa");
  const key = fc.tuple(part, fc.constantFrom("a", "b", "a-b"), part, fc.constantFrom("x", "x-y", "xa"));
  const text = key.map((parts) => parts.join("/"));
  const prefix = fc.tuple(text, fc.nat(12)).map(([whole, length]) => whole.slice(0, length));
  const steps = fc.array(fc.tuple(text, fc.boolean()));
  fc.assert(
    fc.property(fc.array(text), steps, prefix, (initial, changes, wanted) => {
      const state = stateOf(...initial);
      const expected = new Set(initial);
      for (const [changed, isThere] of changes) {
        if (isThere) state.set(entryOfJson(changed, 2, "{}"));
        else state.remove(changed);
        if (isThere) expected.add(changed);
        else expected.delete(changed);
      }
      assert.deepEqual(keysOf(state, wanted), [...expected].filter((one) => one.startsWith(wanted)).sort());
      for (const one of expected) assert.equal(state.get(one)?.key, one);
    }),
  );
});
