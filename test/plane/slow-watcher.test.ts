// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { startPlane } from "../../src/plane/plane.ts";
import { heapAfterCollection } from "./heap.ts";
import { openTls } from "./raw-connection.ts";

const WRITES = 50_000;
const MAPS = "/api/v1/namespaces/default/configmaps";

test(`a watcher that stops reading during ${WRITES} writes gets 410, not memory`, async (context) => {
  const plane = await startPlane({ memory: true, controllers: false });
  context.after(() => plane.stop());
  const type = plane.registry.find("", "v1", "configmaps") ?? assert.fail();
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" }, data: { count: "0" } };
  await plane.objects.createObject(type, "default", object);
  const { certificate: cert, key } = plane.authority.admin;
  const { socket, heard, closed } = await openTls(plane.url, { ca: plane.authority.certificate, cert, key });
  socket.write(`GET ${MAPS}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n`);
  while (!heard().includes('"ADDED"')) await once(socket, "data");
  socket.pause();

  const write = (count: number) =>
    plane.objects.updateObject(type, { namespace: "default", name: "one" }, (old) => ({
      ...old,
      data: { count: String(count), text: "x".repeat(1000) },
    }));
  // The first tenth fills what the history and the sockets hold of a watch; after that nothing may grow.
  let early = 0;
  for (let count = 1; count <= WRITES; count += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, index) => write(count + index)));
    if (count === WRITES / 2 + 1) early = heapAfterCollection();
  }
  const grown = heapAfterCollection() - early;
  context.diagnostic(`heap grew by ${(grown / 2 ** 20).toFixed(1)} MiB in the second half of ${WRITES} writes`);
  assert.ok(grown < 10 * 2 ** 20, `${grown} bytes more`);

  socket.resume();
  while (!heard().includes('"ERROR"')) await Promise.race([once(socket, "data"), closed]);
  const line = /\{"type":"ERROR".*\}/.exec(heard())?.[0] ?? "";
  assert.equal(JSON.parse(line).object.code, 410);
  assert.equal(JSON.parse(line).object.reason, "Expired");
  socket.destroy();
});

test("a watcher that stops reading among its initial events holds none of them", async (context) => {
  const plane = await startPlane({ memory: true, controllers: false, historyLength: 100 });
  context.after(() => plane.stop());
  const type = plane.registry.find("", "v1", "configmaps") ?? assert.fail();
  const names = Array.from({ length: 2_000 }, (_, at) => `map-${at}`);
  const content = (round: string) => ({ text: round.repeat(20_000) });
  for (const name of names) {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: content("a") };
    await plane.objects.createObject(type, "default", object);
  }
  const rewrite = async (round: string) => {
    for (const name of names)
      await plane.objects.updateObject(type, { namespace: "default", name }, (old) => ({
        ...old,
        data: content(round),
      }));
  };
  await rewrite("b");
  const before = heapAfterCollection();
  const { certificate: cert, key } = plane.authority.admin;
  const { socket, heard, closed } = await openTls(plane.url, { ca: plane.authority.certificate, cert, key });
  socket.write(`GET ${MAPS}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n`);
  while (!heard().includes('"ADDED"')) await once(socket, "data");
  socket.pause();
  await rewrite("c");
  const grown = heapAfterCollection() - before;
  context.diagnostic(`heap grew by ${(grown / 2 ** 20).toFixed(1)} MiB; what it was to be told has 38 MiB`);
  assert.ok(grown < 15 * 2 ** 20, `${grown} bytes more`);

  socket.resume();
  while (!heard().includes('"ERROR"')) await Promise.race([once(socket, "data"), closed]);
  assert.match(heard(), /"code":410/);
  assert.doesNotMatch(heard(), /initial-events-end/);
  socket.destroy();
});
