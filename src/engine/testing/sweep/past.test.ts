// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../kube/index.ts";
import { createPast } from "./past.ts";

const request = { method: "POST", path: "/things", headers: {}, body: undefined, signal: new AbortController().signal };

test("a read that is noted can be answered with what was so a while ago", async () => {
  const clock = manualClock();
  let things = 0;
  const past = createPast(async ({ method }) => {
    if (method === "POST") things += 1;
    return { status: 200, headers: {}, body: `${things} things` };
  }, clock);
  const ago = (ms: number) => past.answer({ method: "GET", path: "/things" }, ms)?.body;
  past.follow(["/things"]);
  assert.equal(ago(0), undefined);
  for (const pause of [10_000, 10_000, 0]) {
    await past.serve(request);
    await past.note();
    await clock.advance(pause);
  }
  assert.deepEqual([0, 9_000, 11_000, 20_000, 60_000].map(ago), [
    "3 things",
    "2 things",
    "1 things",
    "1 things",
    "0 things",
  ]);
  assert.equal(past.answer({ method: "GET", path: "/others" }, 0), undefined);
  assert.equal(past.answer({ method: "POST", path: "/things" }, 0), undefined);
});
