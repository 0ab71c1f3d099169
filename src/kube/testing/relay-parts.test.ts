// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { manualClock } from "../clock.ts";
import { pause } from "./relay-parts.ts";

test("many pauses with one signal leave no listener behind, and an abort ends the one that is on", async () => {
  const clock = manualClock();
  const gone = new AbortController();
  for (let count = 0; count < 20; count++) {
    const over = pause(clock, 10, gone.signal);
    await clock.advance(10);
    await over;
  }
  assert.equal(getEventListeners(gone.signal, "abort").length, 0);
  const last = pause(clock, 10, gone.signal);
  gone.abort();
  await last;
});
