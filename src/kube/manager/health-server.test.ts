// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { test } from "node:test";
import { startHealthServer } from "./health-server.ts";

test("no request takes the process down: not one without a path, nor one for metrics that throw", async (t) => {
  const broken = () => assert.fail("broken");
  const server = await startHealthServer({ port: 0, live: { broken }, ready: {}, metrics: broken });
  t.after(() => server.stop());
  const { hostname, port } = new URL(server.url);
  const statusOf = async (path: string) => {
    const sent = request({ hostname, port, path, agent: false });
    sent.end();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  };
  for (const path of ["//", "http://["]) assert.equal(await statusOf(path), 400, path);
  assert.equal(await statusOf("/metrics"), 500);
  assert.equal(await statusOf("/healthz"), 503);
  assert.equal(await statusOf("/readyz"), 200);
});
