// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MachineRequest } from "../../api/index.ts";
import { fakeIo } from "../testing/fake-io.ts";
import { clusterOf } from "./machines.ts";
import { createScreen } from "./screen.ts";

const STARTED = Date.UTC(2026, 0, 1);

function request(at: number, status: NonNullable<MachineRequest["status"]>, count = 5): MachineRequest {
  const draft = clusterOf(count)[at];
  assert.ok(draft);
  const metadata = { ...draft.metadata, creationTimestamp: new Date(STARTED).toISOString() };
  return { ...draft, apiVersion: "butler.butlerlabs.dev/v1alpha1", kind: "MachineRequest", metadata, status };
}

test("without a terminal each change of phase or address is one plain line, and nothing else is", () => {
  const io = fakeIo();
  let now = STARTED;
  const screen = createScreen(io, () => now);
  const pending = request(0, { phase: "Pending" });
  const running = request(0, { phase: "Running", ipAddress: "127.40.0.1" });
  screen.changed(undefined, pending);
  screen.changed(pending, { ...pending });
  now += 1500;
  screen.changed(pending, running);
  screen.changed(running, undefined);
  assert.deepEqual(io.output.split("\n"), [
    "   0.0 s  demo-cp-0: Pending",
    "   1.5 s  demo-cp-0: Running at 127.40.0.1",
    "   1.5 s  demo-cp-0: gone",
    "",
  ]);
});

test("a machine that waits says for what", () => {
  const io = fakeIo();
  const screen = createScreen(io, () => STARTED);
  const lastError = { kind: "exhausted", message: "the quota of namespace default is used up" } as const;
  screen.changed(request(0, { phase: "Pending" }), request(0, { phase: "Pending", lastError }));
  assert.match(io.output, /demo-cp-0: Pending, the quota of namespace default is used up/);
});

test("at a terminal the table is drawn over itself, until it rests", () => {
  const io = Object.assign(fakeIo(), { isTerminal: true });
  const screen = createScreen(io, () => STARTED + 30_000);
  screen.changed(undefined, request(0, { phase: "Creating" }));
  const first = io.output;
  assert.match(
    first,
    /^NAME +MACHINE +ROLE +PHASE +IP +AGE\ndemo-cp-0 +demo-cp-0 +control-plane +Creating +30s\n1 Creating\n$/,
  );
  screen.changed(undefined, request(3, { phase: "Running", ipAddress: "127.40.0.9" }));
  const second = io.output.slice(first.length);
  assert.ok(second.startsWith("\u001b[3A\u001b[J"), "goes up over three lines and clears them");
  assert.match(second, /demo-w-0 .*Running +127\.40\.0\.9/);
  screen.rest();
  const before = io.output.length;
  screen.changed(undefined, request(1, { phase: "Pending" }));
  assert.ok(!io.output.slice(before).startsWith("\u001b["), "what stood there stays");
});

test("of many machines those that are still on their way are shown, and how many more there are", () => {
  const io = Object.assign(fakeIo(), { isTerminal: true });
  const screen = createScreen(io, () => STARTED);
  for (let at = 0; at < 40; at += 1)
    screen.changed(undefined, request(at, { phase: at === 39 ? "Creating" : "Running" }, 40));
  const last = io.output.slice(io.output.lastIndexOf("NAME"));
  assert.match(last, /demo-w-36 .*Creating/);
  assert.match(last, /\.\.\. and 24 more\n39 Running, 1 Creating\n$/);
});
