// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "../sweep/seeded-random.ts";
import { createTraffic, type Side } from "../sweep/traffic.ts";
import { createWeather, type Sky } from "./weather.ts";

const REQUESTS = 5_000;

/** Which faults so many requests meet. */
async function met(sky: Sky, { side, path }: { readonly side: Side; readonly path: string }) {
  const traffic = createTraffic();
  const weather = createWeather(traffic, seededRandom(1));
  weather.sky = sky;
  for (let sent = 0; sent < REQUESTS; sent += 1) {
    const point = traffic.number(side, { method: "GET", path });
    await traffic.take(point)?.before?.(point);
  }
  return weather.faults;
}

function sum(faults: ReadonlyMap<string, number>): number {
  return [...faults.values()].reduce((all, count) => all + count, 0);
}

test("under a clear sky nothing goes wrong", async () => {
  assert.equal(sum(await met("clear", { side: "infrastructure", path: "/machines" })), 0);
});

test("a storm is worse than showers, and both have every fault that a call can meet", async () => {
  const [showers, storm] = [
    await met("showers", { side: "infrastructure", path: "/machines" }),
    await met("storm", { side: "infrastructure", path: "/machines" }),
  ];
  assert.ok(sum(showers) > REQUESTS * 0.005 && sum(showers) < REQUESTS * 0.015);
  assert.ok(sum(storm) > REQUESTS * 0.06 && sum(storm) < REQUESTS * 0.1);
  assert.equal(storm.size, 11);
});

test("watches go silent, lag and break", async () => {
  const faults = await met("storm", { side: "kubernetes", path: "/machines?watch=true" });
  for (const fault of ["silent", "lag", "break"]) assert.ok((faults.get(`kubernetes ${fault}`) ?? 0) > 0);
});

test("an infrastructure that throttles is the only one to", async () => {
  const faults = await met("throttling", { side: "infrastructure", path: "/machines" });
  assert.deepEqual([...faults.keys()].sort(), ["infrastructure 429", "infrastructure 429-retry-after"]);
  assert.equal(sum(await met("throttling", { side: "kubernetes", path: "/machines" })), 0);
});

test("leases are left alone: who leads is changed by other means", async () => {
  assert.equal(sum(await met("storm", { side: "kubernetes", path: "/apis/coordination.k8s.io/v1/leases/one" })), 0);
});
