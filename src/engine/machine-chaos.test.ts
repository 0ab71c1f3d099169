// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ErrorKind } from "./provider.ts";
import { type LifeStage, raiseLifeStage } from "./testing/life-stage.ts";
import type { PlainFault, PlainVerb } from "./testing/plain-provider.ts";

const verbs: PlainVerb[] = ["create", "create", "find", "delete", "list", "watch"];
const kinds: ErrorKind[] = ["invalid", "denied", "exhausted", "throttled", "unavailable", "internal"];

const anyFault: fc.Arbitrary<PlainFault> = fc
  .record({
    on: fc.constantFrom(...verbs),
    times: fc.integer({ min: 1, max: 3 }),
    more: fc.oneof(
      fc.constantFrom(...kinds).map((kind) => ({ error: { kind, reason: "Chaos", message: "chaos" } })),
      fc.constant({ isAfter: true }),
      fc.constant({ hangs: true }),
      fc.integer({ min: 100, max: 110_000 }).map((lateMs) => ({ lateMs })),
    ),
  })
  .map(({ more, ...fault }) => ({ ...fault, ...more }));

type Deed =
  | { readonly do: "fault"; readonly fault: PlainFault }
  | { readonly do: "kill" }
  | { readonly do: "pass"; readonly ms: number };

const anyDeed: fc.Arbitrary<Deed> = fc.oneof(
  anyFault.map((fault) => ({ do: "fault", fault }) as const),
  fc.constant({ do: "kill" } as const),
  fc.constantFrom(0, 500, 5_000, 70_000).map((ms) => ({ do: "pass", ms }) as const),
);

const anyLife = fc.record({
  /** Deleted before it is up. */
  isHasty: fc.boolean(),
  watches: fc.boolean(),
  showsCreated: fc.boolean(),
  deletesSlowly: fc.boolean(),
  leavesDisks: fc.boolean(),
  visibilityLagMs: fc.constantFrom(0, 30_000),
  rise: fc.array(anyDeed, { maxLength: 6 }),
  fall: fc.array(anyDeed, { maxLength: 6 }),
});

async function suffer(stage: LifeStage, deeds: readonly Deed[]): Promise<void> {
  for (const deed of deeds) {
    if (deed.do === "fault") stage.cloud.inject(deed.fault);
    else if (deed.do === "kill") stage.kill();
    else await stage.settle(deed.ms);
    await stage.settle();
    finishDeletes(stage);
  }
}

/** What is on its way out goes by and by. */
function finishDeletes({ cloud }: LifeStage): void {
  for (const { name, state } of [...cloud.machines.values()]) if (state === "deleting") cloud.vanish(name);
}

/** Goes on until the machine runs. */
async function rest(stage: LifeStage): Promise<void> {
  const { cloud } = stage;
  for (let round = 0; round < 12 && (await stage.read("web-1")).status?.phase !== "Running"; round += 1) {
    await stage.settle(5 * 60_000);
    if (cloud.machines.get("web-1")?.state === "pending") cloud.boot("web-1", "127.0.0.5");
    finishDeletes(stage);
  }
  const { status } = await stage.read("web-1");
  assert.equal(status?.phase, "Running", JSON.stringify(status));
  assert.equal(cloud.machines.size, 1);
}

test("whatever fails, hangs, comes late or is killed: never two machines, one at rest, nothing afterwards", async () => {
  await fc.assert(
    fc.asyncProperty(anyLife, async ({ watches, visibilityLagMs, isHasty, rise, fall, ...habits }) => {
      const stage = await raiseLifeStage({ watches, visibilityLagMs });
      const { cloud } = stage;
      Object.assign(cloud, habits);
      await stage.request("web-1");
      await suffer(stage, rise);
      if (!isHasty) await rest(stage);
      await suffer(stage, fall.slice(0, 2));
      await stage.remove("web-1");
      await suffer(stage, fall.slice(2));
      for (let round = 0; round < 12 && (await stage.requestNow("web-1")) !== undefined; round += 1) {
        await stage.settle(5 * 60_000);
        finishDeletes(stage);
      }
      assert.equal(
        await stage.requestNow("web-1"),
        undefined,
        JSON.stringify((await stage.requestNow("web-1"))?.status),
      );
      await stage.settle(3 * 60_000);
      assert.equal(cloud.machines.size, 0);
      assert.equal(cloud.disks.size, 0);
      assert.ok(cloud.mostPerId() <= 1);
      await stage.stop();
    }),
    { numRuns: Number(process.env.CHAOS_RUNS ?? 12), seed: Number(process.env.CHAOS_SEED ?? 7), endOnFailure: false },
  );
});
