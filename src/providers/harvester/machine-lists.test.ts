// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { type KubeObject, manualClock, persistentVolumeClaim } from "../../kube/index.ts";
import type { Requests } from "./client.ts";
import { createMachineLists } from "./machine-lists.ts";
import { LABELS } from "./names.ts";

const claim = (machineId: string): KubeObject => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: `disk-of-${machineId}`, labels: { [LABELS.machineId]: machineId } },
});

/** Lists whose answers come when the test says so. */
function stage() {
  const clock = manualClock();
  const lists = createMachineLists({ clock, namespace: "default" });
  const asked: string[] = [];
  const waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  const requests = {
    async list(_kind: unknown, { labelSelector = "" }: { labelSelector?: string }) {
      asked.push(labelSelector.replace(LABELS.machineId, "id"));
      await new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }));
      return { items: ["a", "b", "c", "stranger"].map(claim), resourceVersion: "1" };
    },
  } as unknown as Requests;
  const look = async (machineId: string) => {
    const items = await lists.of(persistentVolumeClaim, machineId, requests);
    return items.map(({ metadata }) => metadata.name);
  };
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    clock,
    asked,
    look,
    turn,
    async answer() {
      waiting.shift()?.resolve();
      await turn();
    },
    async fail() {
      waiting.shift()?.reject(new Error("cut"));
      await turn();
    },
  };
}

test("those who ask while a list is under way share the next, which looks for all of them and begins after they have asked", async () => {
  const { look, asked, answer, clock } = stage();
  const first = look("a");
  assert.deepEqual(asked, ["id=a"]);
  const others = [look("b"), look("c"), look("b")];
  assert.deepEqual(asked, ["id=a"]);
  await answer();
  assert.deepEqual(await first, ["disk-of-a"]);
  assert.deepEqual(asked, ["id=a", "id in (b,c)"]);
  await answer();
  assert.deepEqual(await Promise.all(others), [["disk-of-b"], ["disk-of-c"], ["disk-of-b"]]);
  const later = look("a");
  assert.equal(asked.at(-1), "id=a", "nothing is under way any more");
  await answer();
  await later;
  assert.equal(clock.waiting, 0);
});

test("where a shared list fails the one on whose behalf it was sent hears of it, and the others ask for themselves", async () => {
  const { look, asked, answer, fail } = stage();
  const first = look("a");
  const leader = look("b");
  const follower = look("c");
  await answer();
  await first;
  const heard = assert.rejects(leader, /cut/);
  await fail();
  await heard;
  assert.deepEqual(asked, ["id=a", "id in (b,c)", "id=c"]);
  await answer();
  assert.deepEqual(await follower, ["disk-of-c"]);
});

test("a list that hangs keeps nobody waiting for long", async () => {
  const { look, asked, clock, answer, turn } = stage();
  const hanging = look("a");
  const waiting = look("b");
  await clock.advance(2_000);
  await turn();
  assert.deepEqual(asked, ["id=a", "id=b"]);
  await clock.advance(2_000);
  const third = look("c");
  assert.equal(asked.at(-1), "id=c");
  for (let count = 0; count < 3; count += 1) await answer();
  assert.deepEqual(await Promise.all([hanging, waiting, third]), [["disk-of-a"], ["disk-of-b"], ["disk-of-c"]]);
});

test("a list looks for fifty at most: it begins at once then, and who comes later waits for the next", async () => {
  const { look, asked, answer, turn } = stage();
  const looks = Array.from({ length: 52 }, (_, at) => look(`m${at}`));
  await turn();
  assert.deepEqual([asked.length, asked[0], asked[1]?.split(",").length], [2, "id=m0", 50]);
  await answer();
  await answer();
  assert.deepEqual(asked.slice(2), ["id=m51"]);
  await answer();
  await Promise.all(looks);
});

test("the longer a list takes the longer the pause before the next", async () => {
  const { look, asked, answer, clock, turn } = stage();
  const slow = look("a");
  await clock.advance(100);
  const next = look("b");
  await answer();
  await slow;
  await clock.advance(399);
  await turn();
  assert.deepEqual(asked, ["id=a"]);
  await clock.advance(1);
  await turn();
  assert.deepEqual(asked, ["id=a", "id=b"]);
  await answer();
  assert.deepEqual(await next, ["disk-of-b"]);
});
