// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../kube/index.ts";
import { decide } from "./decide.ts";
import type { MachineRecord } from "./machine-memory.ts";
import { isShort, meetShortage, nextTryInMs, planNextTry, toldShortage, withShortage } from "./shortage.ts";
import { machine, picture, usual } from "./testing/situations.ts";

const MINUTE = 60_000;
const trouble = { kind: "exhausted", reason: "QuotaExceeded", message: "no more cpu" } as const;
const short = machine("pending", { trouble });

function meeting() {
  const record: Pick<MachineRecord, "shortage"> = { shortage: undefined };
  return { record, clock: manualClock(), random: () => 1 };
}

test("create is called again for a machine that does not start for want of something, when that is due", () => {
  const given = { ...usual, phase: "Creating", wasSeen: true, look: picture(short) } as const;
  assert.deepEqual(decide({ ...given, nudgeInMs: 0 }), { do: "launch", why: "nudge", attempt: 2 });
  assert.equal(decide({ ...given, nudgeInMs: 1 }).do, "tell");
  assert.equal(decide({ ...given, nudgeInMs: 0, retryInMs: 1 }).do, "tell");
  assert.equal(decide({ ...given, nudgeInMs: 0, look: picture(machine("pending")) }).do, "tell");
});

test("these tries follow the retry table, from a minute to ten, until the machine runs", () => {
  const meet = meeting();
  const pauses: number[] = [];
  for (let times = 0; times < 6; times += 1) {
    if (times === 0) meetShortage(short, meet);
    else planNextTry(meet);
    pauses.push(nextTryInMs(meet.record, meet.clock.monotonic()) / MINUTE);
  }
  assert.deepEqual(pauses, [1, 2, 4, 8, 10, 10]);
  meetShortage(short, meet);
  assert.equal(meet.record.shortage?.failures, 6, "to see it again changes nothing");
  meetShortage(machine("running"), meet);
  assert.equal(nextTryInMs(meet.record, 0), Infinity);
});

test("what is short is told with its times, also while the infrastructure has not said so again after a try", async () => {
  const meet = meeting();
  const { record, clock } = meet;
  meetShortage(short, meet);
  assert.deepEqual(toldShortage(short, record.shortage), {
    ...trouble,
    failedTime: clock.now(),
    retryTime: clock.now() + MINUTE,
    isSlow: false,
  });
  await clock.advance(MINUTE);
  planNextTry(meet);
  const silent = machine("stopped");
  assert.ok(isShort(withShortage(silent, record, clock.now())));
  assert.equal(withShortage(silent, record, clock.now() + MINUTE), silent);
  assert.equal(withShortage(machine("running"), record, clock.now()).trouble, undefined);
});
