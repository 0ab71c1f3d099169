// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Change } from "../types.ts";
import { openStore } from "./index.ts";
import { temporaryFolder } from "./testing/objects.ts";
import { killedStorm, STORM_HISTORY, type StormLine } from "./testing/storm.ts";

const ROUNDS = 100;

/** What is known of the store's life so far. */
interface Life {
  /** The revision up to which `state` is known. */
  revision: number;
  readonly state: Map<string, string>;
  readonly acknowledged: Map<number, StormLine>;
}

test(`${ROUNDS} kills during a storm of writes lose nothing that was acknowledged and repeat no revision`, async (context) => {
  const dir = temporaryFolder(context);
  const life: Life = { revision: 1, state: new Map(), acknowledged: new Map() };
  let total = 0;
  for (let round = 0; round < ROUNDS; round++) {
    // From the opening itself to some hundreds of writes; a step that shares no factor with the modulus visits all.
    const lines = await killedStorm(dir, 1 + ((round * 37) % 300));
    hear(life, lines);
    // Every third time the next storm, not we, has to find its way after the crash.
    if (round % 3 !== 2) await look(dir, life);
    total += lines.length;
  }
  await look(dir, life);
  context.diagnostic(`${total} acknowledged writes, last revision ${life.revision}`);
});

function hear(life: Life, lines: readonly StormLine[]): void {
  const newest = Math.max(life.revision, ...life.acknowledged.keys());
  let opened = newest;
  for (const line of lines) {
    if ("opened" in line) {
      assert.ok(line.opened >= newest, `opened at ${line.opened}, ${newest} was known`);
      opened = line.opened;
      continue;
    }
    assert.ok(line.revision > opened, `revision ${line.revision} was used before ${opened}`);
    assert.ok(!life.acknowledged.has(line.revision), `revision ${line.revision} twice`);
    life.acknowledged.set(line.revision, line);
  }
}

/** Opens the store and compares it with what was heard. */
async function look(dir: string, life: Life): Promise<void> {
  const store = openStore({ dir }, { historyLength: STORM_HISTORY });
  const changes = store.changesAfter(life.revision, Number.POSITIVE_INFINITY) ?? [];
  assert.deepEqual(
    changes.map(({ revision }) => revision),
    Array.from({ length: store.revision - life.revision }, (_, index) => life.revision + index + 1),
  );
  for (const change of changes) replay(life, change);
  assert.deepEqual([...life.acknowledged.keys()], [], "acknowledged, but not in the history");
  assert.deepEqual(new Map(store.list("").map(({ key, json }) => [key, json])), life.state);
  life.revision = store.revision;
  await store.close();
}

function replay({ state, acknowledged }: Life, { type, revision, entry, previous }: Change): void {
  const line = acknowledged.get(revision);
  if (line !== undefined) {
    const seen = { revision, key: entry.key, value: entry.object.value, isDeleted: type === "DELETED" };
    assert.deepEqual(seen, line);
    acknowledged.delete(revision);
  }
  assert.equal(previous?.json, state.get(entry.key));
  assert.equal(type === "ADDED", previous === undefined);
  if (type === "DELETED") state.delete(entry.key);
  else state.set(entry.key, entry.json);
}
