// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startInProcess } from "../testing/in-process.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

async function open(count: number) {
  const server = await startInProcess({ controllers: false });
  after(() => server.plane.stop());
  const create = (name: string) =>
    server.request("POST", CONFIG_MAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
  for (let index = 0; index < count; index++) await create(`c${index}`);
  const page = async (query: string) => {
    const { status, body } = await server.request("GET", `${CONFIG_MAPS}?${query}`);
    const names = (Array.isArray(body.items) ? body.items : []).map(({ metadata }) => String(metadata.name));
    return { status, names, metadata: Object(body.metadata) };
  };
  return { server, create, page };
}

test("all pages of a list show the moment of the first, whatever is written meanwhile", async () => {
  const { server, create, page } = await open(5);
  const first = await page("limit=2");
  assert.deepEqual([first.names, first.metadata.remainingItemCount], [["c0", "c1"], 3]);
  await server.request("DELETE", `${CONFIG_MAPS}/c3`);
  await create("c2b");
  const second = await page(`limit=2&continue=${first.metadata.continue}`);
  assert.deepEqual([second.names, second.metadata.remainingItemCount], [["c2", "c3"], 1]);
  assert.equal(second.metadata.resourceVersion, first.metadata.resourceVersion);
  const third = await page(`limit=2&continue=${second.metadata.continue}`);
  assert.deepEqual([third.names, third.metadata.continue], [["c4"], undefined]);
});

test("a page whose moment is forgotten is refused with a token that goes on with what is there now", async () => {
  const { server, create, page } = await open(4);
  const first = await page("limit=2");
  await create("c2b");
  server.plane.compact();
  const refused = await page(`limit=2&continue=${first.metadata.continue}`);
  assert.equal(refused.status, 410);
  const rest = await page(`continue=${refused.metadata.continue}`);
  assert.deepEqual([rest.status, rest.names], [200, ["c2", "c2b", "c3"]]);
});

test("a list at an exact version shows what was there, until that is forgotten", async () => {
  const { server, create, page } = await open(1);
  const { metadata } = await page("");
  await create("later");
  const exact = `resourceVersionMatch=Exact&resourceVersion=${metadata.resourceVersion}`;
  assert.deepEqual((await page(exact)).names, ["c0"]);
  server.plane.compact();
  assert.equal((await page(exact)).status, 410);
  assert.equal((await page("resourceVersion=99999999")).status, 504);
});

test("a page of what is selected may be followed by an empty one, and says nothing of what remains", async () => {
  const { page } = await open(3);
  const first = await page("limit=1&fieldSelector=metadata.name%21%3Dc2");
  assert.deepEqual([first.names, first.metadata.remainingItemCount], [["c0"], undefined]);
  const second = await page(`limit=1&fieldSelector=metadata.name%21%3Dc2&continue=${first.metadata.continue}`);
  const third = await page(`limit=1&fieldSelector=metadata.name%21%3Dc2&continue=${second.metadata.continue}`);
  assert.deepEqual([second.names, third.names, third.metadata.continue], [["c1"], [], undefined]);
});
