// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Connection, MachineHave, Sighting } from "../../engine/provider.ts";
import { ProviderError } from "../../engine/provider-error.ts";
import { type HarvesterStage, onHarvester } from "./testing/harvester-stage.ts";

interface Watching {
  readonly told: readonly Sighting[];
  /** How it ended; undefined while it has not. */
  ended(): unknown;
  /** The machine as it was last told. */
  last(): MachineHave | undefined;
  stop(): Promise<void>;
}

function watch(stage: HarvesterStage, connection: Connection): Watching {
  const told: Sighting[] = [];
  const stopped = new AbortController();
  let end: unknown;
  const run = (async () => {
    const sightings = connection.machines.watch?.(stage.call(stopped.signal));
    assert.ok(sightings !== undefined);
    for await (const sighting of sightings) told.push(sighting);
  })().then(
    () => {
      end = "ended";
    },
    (error: unknown) => {
      end = error;
    },
  );
  return {
    told,
    ended: () => end,
    last() {
      const machines = told.filter((sighting) => sighting.type !== "all-told");
      const sighting = machines.at(-1);
      return sighting?.type === "machine" ? sighting.have : undefined;
    },
    async stop() {
      stopped.abort(new Error("stopped"));
      await run;
    },
  };
}

test("a whole life is told: what is there, every change, and that it is gone", () =>
  onHarvester(async (stage) => {
    const connection = await stage.link();
    await stage.up(connection, stage.want("web-0"));
    await stage.pass(600_000);
    const watching = watch(stage, connection);
    await stage.pass(1_000);
    assert.deepEqual(
      watching.told.map(({ type }) => type),
      ["machine", "all-told"],
    );
    const wanted = stage.want("web-1");
    const have = await stage.up(connection, wanted);
    await stage.pass(600_000);
    assert.deepEqual(watching.last(), (await connection.machines.find(wanted, stage.call())).have);
    assert.equal(watching.last()?.providerId, have.providerId);
    await stage.deleteAll(connection, wanted);
    await stage.pass(60_000);
    assert.deepEqual(watching.told.at(-1), { type: "gone", machineId: wanted.mark.machineId, name: "web-1" });
    const states = watching.told.flatMap((sighting) =>
      sighting.type === "machine" && sighting.have.name === "web-1" ? [sighting.have.state] : [],
    );
    const order = states.filter((state, index) => state !== states[index - 1]);
    assert.deepEqual(order.slice(0, 3), ["pending", "running", "deleting"]);
    assert.equal(watching.ended(), undefined);
    await watching.stop();
  }));

test("H18: live migration changes nothing that is told", () =>
  onHarvester(async (stage) => {
    const connection = await stage.link();
    await stage.up(connection, stage.want("web-1"));
    await stage.pass(600_000);
    const { have } = await connection.machines.find(stage.want("web-1"), stage.call());
    await stage.sim.migrate("default/web-1");
    const watching = watch(stage, connection);
    await stage.pass(600_000);
    assert.deepEqual(watching.last(), have);
    assert.equal(have?.state, "running");
    assert.match(have?.addresses[0] ?? "", /^127\./);
    await watching.stop();
  }));

test("a machine that stops, and one that is deleted behind our back, is told", () =>
  onHarvester(async (stage) => {
    const connection = await stage.link();
    await stage.up(connection, stage.want("web-1"));
    const watching = watch(stage, connection);
    await stage.pass(1_000);
    await stage.sim.stopMachine("web-1");
    await stage.pass(300_000);
    assert.equal(watching.last()?.state, "stopped");
    await stage.sim.deleteObject("vm", "default/web-1");
    await stage.pass(300_000);
    assert.equal(watching.last()?.state, "remains");
    await watching.stop();
  }));

for (const how of ["end", "break"] as const)
  test(`H20: a watch that is cut (${how}) goes on from where it was, and misses nothing`, () =>
    onHarvester(async (stage) => {
      const connection = await stage.link();
      const watching = watch(stage, connection);
      await stage.pass(1_000);
      const lists = () => stage.sim.requests().filter(({ path }) => path.includes("limit=")).length;
      const before = lists();
      for (let cuts = 0; cuts < 10; cuts += 1) {
        stage.sim.cutWatches(how);
        await stage.pass(61_000);
      }
      assert.equal(lists(), before);
      await stage.up(connection, stage.want("web-1"));
      await stage.pass(60_000);
      assert.equal(watching.ended(), undefined);
      assert.equal(watching.last()?.state, "running");
      await watching.stop();
    }));

test("H20: a watch whose past the server has forgotten throws unavailable, and a new one tells everything", () =>
  onHarvester(async (stage) => {
    const connection = await stage.link();
    await stage.up(connection, stage.want("web-1"));
    const watching = watch(stage, connection);
    await stage.pass(1_000);
    stage.sim.cutWatches("expire");
    await stage.pass(1_000);
    const end = watching.ended();
    assert.ok(end instanceof ProviderError, String(end));
    assert.equal(end.kind, "unavailable");
    const again = watch(stage, connection);
    await stage.pass(1_000);
    assert.equal(again.last()?.state, "running");
    await again.stop();
  }));

test("H20: while the API is away a watch ends as unavailable, and so does the next", () =>
  onHarvester(async (stage) => {
    const connection = await stage.link();
    await stage.up(connection, stage.want("web-1"));
    const watching = watch(stage, connection);
    await stage.pass(1_000);
    stage.sim.restartApi(60_000);
    await stage.pass(1_000);
    for (const each of [watching, watch(stage, connection)]) {
      await stage.pass(1_000);
      const end = each.ended();
      assert.ok(end instanceof ProviderError, String(end));
      assert.equal(end.kind, "unavailable");
    }
    await stage.pass(60_000);
    const again = watch(stage, connection);
    await stage.pass(1_000);
    assert.equal(again.last()?.state, "running");
    await again.stop();
  }));

test("a read that breaks once is repeated at once", () =>
  onHarvester(async (stage) => {
    const connection = await stage.link();
    await stage.up(connection, stage.want("web-1"));
    for (const effect of [{ type: "cut-before" }, { type: "refuse", status: 503 }] as const) {
      stage.sim.inject({ times: 2, effect });
      assert.equal((await connection.machines.list(stage.call())).length, 1);
    }
  }));

test("H14: a watch ends as denied when the token expires", () =>
  onHarvester(async (stage) => {
    const connection = await stage.link();
    stage.sim.expireCredentials();
    const watching = watch(stage, connection);
    await stage.pass(1_000);
    const end = watching.ended();
    assert.ok(end instanceof ProviderError, String(end));
    assert.equal(end.kind, "denied");
  }));

test("a watch that is left closes its connections", () =>
  onHarvester(async (stage) => {
    const connection = await stage.link();
    const watching = watch(stage, connection);
    await stage.pass(1_000);
    assert.equal(stage.sim.watches, 5);
    await watching.stop();
    await stage.pass(1_000);
    assert.equal(stage.sim.watches, 0);
  }));

test("W-23: a look that fails is an error, not a machine without an address", () =>
  onHarvester(async (stage) => {
    const connection = await stage.link();
    const wanted = stage.want("web-1");
    await stage.up(connection, wanted);
    stage.sim.inject({
      on: ({ path }) => path.includes("virtualmachineinstances"),
      effect: { type: "refuse", status: 500 },
    });
    await assert.rejects(connection.machines.find(wanted, stage.call()), { kind: "unavailable" });
    await assert.rejects(connection.machines.list(stage.call()), { kind: "unavailable" });
  }));

test("H12, H17: troubles are told by the watch as they are by a direct look", () =>
  onHarvester(async (stage) => {
    const connection = await stage.link();
    await stage.sim.setQuota("default", { cpu: 1 });
    const watching = watch(stage, connection);
    await connection.machines.create(stage.want("web-1"), stage.call());
    await stage.pass(60_000);
    assert.equal(watching.last()?.trouble?.reason, "QuotaExceeded");
    await watching.stop();
  }));
