// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { type HandlerRequest, type HandlerResponse, manualClock } from "../../../kube/index.ts";
import { FAULTS, type FaultName } from "./fault.ts";
import { createLine } from "./line.ts";
import { createTraffic, pointText } from "./traffic.ts";
import { createVitality } from "./vitality.ts";

/** A server that counts what it serves, and a manager's line to it. */
function laid(body: HandlerResponse["body"] = "fine") {
  const clock = manualClock();
  const traffic = createTraffic();
  const vitality = createVitality(clock);
  const served: string[] = [];
  const line = createLine({
    side: "infrastructure",
    vitality,
    traffic,
    clock,
    server: {
      async serve({ method, path }) {
        served.push(`${method} ${path}`);
        return { status: 200, headers: {}, body };
      },
      refuse: async (_request, { status }) => ({ status, headers: {}, body: "no" }),
    },
  });
  const gone = new AbortController();
  const heard: string[] = [];
  const send = async (method = "POST", path = "/things") => {
    const request: HandlerRequest = { method, path, headers: {}, body: undefined, signal: gone.signal };
    await line(request).then(
      ({ status }) => heard.push(String(status)),
      (error) => heard.push(error.code),
    );
  };
  const fail = (name: FaultName) => void traffic.disturb({ on: () => true, fault: FAULTS[name] });
  return { clock, traffic, vitality, served, heard, line, gone, send, fail };
}

/** What is served and what the sender hears: at once, after it gave up, and a minute later. */
const EXPECTED: readonly (readonly [FaultName, { served: readonly number[]; heard: readonly string[] }])[] = [
  ["kill-before", { served: [0, 0, 0], heard: ["", "", ""] }],
  ["kill-after", { served: [1, 1, 1], heard: ["", "", ""] }],
  ["lose-answer", { served: [1, 1, 1], heard: ["ECONNRESET", "ECONNRESET", "ECONNRESET"] }],
  ["twice", { served: [2, 2, 2], heard: ["200", "200", "200"] }],
  ["429", { served: [0, 0, 0], heard: ["429", "429", "429"] }],
  ["500-served", { served: [1, 1, 1], heard: ["500", "500", "500"] }],
  ["hang", { served: [0, 0, 0], heard: ["", "ECONNRESET", "ECONNRESET"] }],
  ["cut", { served: [0, 0, 0], heard: ["ECONNRESET", "ECONNRESET", "ECONNRESET"] }],
  ["late-cut", { served: [0, 0, 1], heard: ["ECONNRESET", "ECONNRESET", "ECONNRESET"] }],
  ["late-hang", { served: [0, 0, 1], heard: ["", "ECONNRESET", "ECONNRESET"] }],
];

for (const [fault, expected] of EXPECTED)
  test(`${fault} does to a request what it says, and nothing stays in flight`, async () => {
    const { clock, traffic, served, heard, gone, send, fail } = laid();
    fail(fault);
    const seen: { served: number[]; heard: string[] } = { served: [], heard: [] };
    const look = () => {
      seen.served.push(served.length);
      seen.heard.push(heard.join());
    };
    void send();
    await clock.advance(1);
    look();
    assert.equal(traffic.inFlight, 0);
    gone.abort();
    await clock.advance(1);
    look();
    await clock.advance(60_000);
    look();
    assert.deepEqual(seen, expected);
    assert.equal(traffic.inFlight, 0);
  });

test("requests are numbered on their side, and a fault happens at the one it was set for", async () => {
  const { traffic, served, heard, send } = laid();
  traffic.disturb({ on: ({ number }) => number === 2, fault: FAULTS.cut });
  await send("GET", "/one");
  await send("GET", "/two?watch=true");
  await send("POST", "/three");
  assert.deepEqual(traffic.points.map(pointText), [
    "infrastructure#1 GET /one",
    "infrastructure#2 GET /two?watch=true",
    "infrastructure#3 POST /three",
  ]);
  assert.deepEqual(
    traffic.points.map(({ isWrite, isWatch }) => [isWrite, isWatch]),
    [
      [false, false],
      [false, true],
      [true, false],
    ],
  );
  assert.deepEqual(
    [served, heard],
    [
      ["GET /one", "POST /three"],
      ["200", "ECONNRESET", "200"],
    ],
  );
});

test("what a manager sends while it is dead is not sent, and an answer under way does not reach it", async () => {
  const { clock, traffic, vitality, served, heard, send } = laid();
  void send();
  vitality.die();
  await clock.advance(1);
  assert.deepEqual([served.length, heard], [1, []]);
  void send();
  await clock.advance(1);
  assert.deepEqual([served.length, traffic.points.length], [1, 1]);
});

test("what a manager sends in its sleep leaves when it wakes, and so do its answers arrive", async () => {
  const { clock, vitality, served, heard, send } = laid();
  void send();
  vitality.sleep();
  void send();
  await clock.advance(1);
  assert.deepEqual([served.length, heard], [1, []]);
  vitality.wake();
  await clock.advance(1);
  assert.deepEqual([served.length, heard], [2, ["200", "200"]]);
});

test("acts at a request are done before it is served, and before its sender hears of it", async () => {
  const { traffic, served, heard, send } = laid();
  const story: string[] = [];
  const tell = (what: string) => () => void story.push(`${what}: ${served.length} served, ${heard.length} heard`);
  traffic.disturb({ on: () => true, before: tell("before"), after: tell("after"), onOver: tell("over") });
  await send();
  assert.deepEqual(story, ["before: 0 served, 0 heard", "after: 1 served, 0 heard", "over: 1 served, 0 heard"]);
});

async function* twoPieces(): AsyncGenerator<string> {
  yield "one";
  yield "two";
}

test("a watch that lags tells everything a minute later and in order; a silent one tells nothing", async () => {
  for (const [fault, expected] of [
    ["lag", ["one", "two"]],
    ["silent", []],
  ] as const) {
    const { clock, line, gone, fail } = laid(twoPieces());
    fail(fault);
    const { body } = await line({ method: "GET", path: "/", headers: {}, body: undefined, signal: gone.signal });
    const got: string[] = [];
    const reading = async () => {
      for await (const piece of body) got.push(piece);
    };
    void reading();
    await clock.advance(59_999);
    assert.deepEqual(got, []);
    await clock.advance(1);
    assert.deepEqual(got, expected);
  }
});
