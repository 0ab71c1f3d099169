// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { LostLeadershipError } from "../../kube/index.ts";
import { onHarvester } from "./testing/harvester-stage.ts";

test("a write that was let out and has waited for a connection too long does not leave, whatever step of a verb it is", () =>
  onHarvester(async ({ sim, link, call, want }) => {
    const connection = await link();
    const wanted = want("web-1");
    /** With the questions for rights, which are sent as writes are. */
    const writes = () => sim.requests().filter(({ method }) => method !== "GET").length;
    /** A call of a process that may not act any more when its nth write is about to leave. */
    const endingAt = (nth: number) => {
      let left = nth;
      const gate = () => {
        left -= 1;
        if (left <= 0) throw new LostLeadershipError("this process is stopped");
      };
      return { ...call(), gate };
    };
    for (const nth of [1, 2]) {
      const before = writes();
      await assert.rejects(connection.machines.create(wanted, endingAt(nth)), LostLeadershipError);
      assert.equal(writes() - before, nth - 1);
    }
    await connection.machines.create(wanted, { ...call(), gate() {} });
    const { have } = await connection.machines.find(wanted, call());
    assert.ok(have !== undefined);
    const created = writes();
    await assert.rejects(connection.machines.delete(have, endingAt(1)), LostLeadershipError);
    assert.equal(writes(), created);
  }));
