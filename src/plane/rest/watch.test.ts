// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { type ManualClock, manualClock } from "../lifecycle/testing/manual-clock.ts";
import { type InProcess, startInProcess, type WatchReader } from "../testing/in-process.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

function configMap(name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels }, data };
}

async function open(clock: ManualClock, historyLength?: number): Promise<InProcess> {
  const server = await startInProcess({ clock, ...(historyLength === undefined ? {} : { historyLength }) });
  after(() => server.plane.stop());
  return server;
}

/** Lets whoever is ready have a turn. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

async function told(reader: WatchReader, count: number): Promise<string[]> {
  const events: string[] = [];
  for (let index = 0; index < count; index++) {
    const event = await reader.next();
    events.push(event === undefined ? "END" : `${event.type} ${event.object.metadata?.name ?? ""}`);
  }
  return events;
}

describe("a watch", async () => {
  const clock = manualClock();
  const server = await open(clock);

  test("from nowhere in particular begins with what is there", async () => {
    await server.request("POST", CONFIG_MAPS, configMap("old"));
    const reader = await server.watch(`${CONFIG_MAPS}?watch=true`);
    await server.request("POST", CONFIG_MAPS, configMap("new"));
    assert.deepEqual(await told(reader, 2), ["ADDED old", "ADDED new"]);
    reader.close();
  });

  test("from a version tells every change after it, each once, in order", async () => {
    const { body } = await server.request("POST", CONFIG_MAPS, configMap("a"));
    const { resourceVersion } = Object(body.metadata);
    await server.request("PUT", `${CONFIG_MAPS}/a`, configMap("a", { x: "1" }));
    await server.request("PUT", `${CONFIG_MAPS}/a`, configMap("a", { x: "1" }));
    await server.request("DELETE", `${CONFIG_MAPS}/a`);
    const reader = await server.watch(`${CONFIG_MAPS}?watch=true&resourceVersion=${resourceVersion}`);
    assert.deepEqual(await told(reader, 2), ["MODIFIED a", "DELETED a"]);
    reader.close();
  });

  test("sees objects come and go that start and stop being selected", async () => {
    const reader = await server.watch(`${CONFIG_MAPS}?watch=true&labelSelector=on%3Dyes`);
    await server.request("POST", CONFIG_MAPS, configMap("s"));
    await server.request("PUT", `${CONFIG_MAPS}/s`, configMap("s", {}, { on: "yes" }));
    await server.request("PUT", `${CONFIG_MAPS}/s`, configMap("s", { x: "1" }, { on: "yes" }));
    await server.request("PUT", `${CONFIG_MAPS}/s`, configMap("s", { x: "2" }, { on: "no" }));
    assert.deepEqual(await told(reader, 3), ["ADDED s", "MODIFIED s", "DELETED s"]);
    reader.close();
  });

  test("tells how far it has come every minute, and shortly before it ends", async () => {
    const { body } = await server.request("GET", CONFIG_MAPS);
    const { resourceVersion } = Object(body.metadata);
    const path = `${CONFIG_MAPS}?watch=true&allowWatchBookmarks=true&resourceVersion=${resourceVersion}&timeoutSeconds=100`;
    const reader = await server.watch(path);
    const events = told(reader, 3);
    for (let passed = 0; passed < 101; passed++) {
      await settle();
      clock.advance(1000);
    }
    assert.deepEqual(await events, ["BOOKMARK ", "BOOKMARK ", "END"]);
  });

  test("ends when its client is gone", async () => {
    const reader = await server.watch(`${CONFIG_MAPS}?watch=true&resourceVersion=999999999`);
    const event = reader.next();
    await settle();
    reader.close();
    assert.equal(await event, undefined);
  });
});

test("a watch that falls behind history is told so and ends; nothing waits for it", async () => {
  const server = await open(manualClock(), 20);
  await server.request("POST", CONFIG_MAPS, configMap("a"));
  const reader = await server.watch(`${CONFIG_MAPS}?watch=true`);
  assert.deepEqual(await told(reader, 1), ["ADDED a"]);
  for (let index = 0; index < 50; index++)
    await server.request("PUT", `${CONFIG_MAPS}/a`, configMap("a", { x: String(index) }));
  const event = await reader.next();
  assert.deepEqual([event?.type, Object(event?.object).code, Object(event?.object).reason], ["ERROR", 410, "Expired"]);
  assert.equal(await reader.next(), undefined);
});

test("a watch of a custom resource ends with its definition", async () => {
  const server = await open(manualClock());
  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } };
  await server.request("POST", crds, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: { group: "example.com", scope: "Cluster", names: { plural: "widgets", kind: "Widget" }, versions: [version] },
  });
  const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" } };
  assert.equal((await server.request("POST", "/apis/example.com/v1/widgets", widget)).status, 201);
  await server.plane.settled();
  const reader = await server.watch("/apis/example.com/v1/widgets?watch=true");
  await server.request("DELETE", `${crds}/widgets.example.com`);
  assert.deepEqual(await told(reader, 3), ["ADDED w", "DELETED w", "END"]);
  assert.equal((await server.request("GET", "/apis/example.com/v1/widgets")).status, 404);
});
