// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { type HandlerTransport, manualClock } from "../../kube/index.ts";
import { provider } from "./index.ts";

const KUBECONFIG = `
apiVersion: v1
kind: Config
current-context: harvester
contexts: [{ name: harvester, context: { cluster: harvester, user: me } }]
clusters: [{ name: harvester, cluster: { server: "https://harvester.example:6443" } }]
users: [{ name: me, user: { token: abc } }]
`;

/** A server that has nothing, and whose watches never say a word. */
const silent: HandlerTransport = async ({ method, path, signal }) => {
  const headers = { "content-type": "application/json" };
  if (method === "POST") return { status: 201, headers, body: '{"metadata":{},"status":{"allowed":true}}' };
  if (!path.includes("watch=true"))
    return { status: 200, headers, body: '{"metadata":{"resourceVersion":"7"},"items":[]}' };
  const forever = {
    async *[Symbol.asyncIterator]() {
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      yield* [] as string[];
    },
  };
  return { status: 200, headers, body: forever };
};

test("a watch that says nothing for too long is given up as unavailable, though its connection stands", async () => {
  const clock = manualClock();
  const connection = await provider.connect({
    settings: { networkName: "default/vlan40" },
    secret: { kubeconfig: KUBECONFIG },
    installation: "i",
    clock,
    random: () => 0.5,
    transport: silent,
  });
  const call = { signal: new AbortController().signal, outside: <T>(_: string, send: () => Promise<T>) => send() };
  const told: string[] = [];
  const run = (async () => {
    for await (const { type } of connection.machines.watch?.(call) ?? []) told.push(type);
  })();
  const end = assert.rejects(run, { kind: "unavailable", reason: "WatchSilent" });
  await clock.advance(140_000);
  assert.deepEqual(told, ["all-told"]);
  await clock.advance(20_000);
  await end;
  await connection.close();
});
