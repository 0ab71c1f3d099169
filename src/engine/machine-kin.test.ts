// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { MachineRequest } from "../api/index.ts";
import { kinshipOf } from "./machine-kin.ts";
import { createReleased } from "./released.ts";
import { raiseStage } from "./testing/stage.ts";

const stage = await raiseStage([]);
after(() => stage.stop());
const { client, clock } = stage;
const { signal } = new AbortController();

test("a machine that was let go of a moment ago, by way of another namespace, is not taken on", async () => {
  const [here, there] = ["butler-system", "elsewhere"].map((namespace) => createReleased({ client, clock, namespace }));
  assert.ok(here !== undefined && there !== undefined);
  const request = { metadata: { namespace: "butler-system", name: "web-1" } } as MachineRequest;
  const mark = { machineId: "m", installation: "i", attempt: 1, launch: "", owner: "butler-system/web-1" };
  const kinship = () =>
    kinshipOf(request, { mark }, { home: { released: there }, bench: { cache: { list: () => [] }, signal } });
  assert.equal(await kinship(), "own");
  await here.record({ machineId: "m", owner: mark.owner, name: "web-1", why: "Retain" }, { signal });
  assert.equal(await kinship(), "let go");
});
