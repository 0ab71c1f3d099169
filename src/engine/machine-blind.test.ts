// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { raiseLifeStage } from "./testing/life-stage.ts";

// Were it seen to over and over, this test would never end: no time passes while there is something to do.
test("a running machine whose labels could not be brought in line rests while nothing can be seen, and is brought in line afterwards", async () => {
  const stage = await raiseLifeStage();
  const { cloud } = stage;
  await stage.grow("web-1");
  const denied = { kind: "denied", reason: "CredentialsRefused", message: "401" } as const;
  const mends = [cloud.inject({ on: "create", error: denied })];
  await stage.edit("web-1", { spec: { labels: { tier: "front" } } });
  await stage.when("web-1", "told", ({ status }) => status?.lastError?.kind === "denied");
  mends.push(cloud.inject({ on: "list", error: denied }));
  await stage.phase("web-1", "Unknown");
  await stage.settle(60 * 60_000);
  const tried = cloud.calls.filter((call) => call.startsWith("create")).length;
  assert.ok(tried < 10, `${tried} create calls`);
  for (const mend of mends) mend();
  await stage.phase("web-1", "Running");
  await stage.until("brought in line", () => cloud.machines.get("web-1")?.labels.tier === "front");
  await stage.stop();
});
