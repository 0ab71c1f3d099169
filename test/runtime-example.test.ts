// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { mirror } from "../examples/mirror-controller.ts";
import { configMap, createClient, isNotFound, loadKubeconfig, secret } from "../src/kube/index.ts";
import { startPlane } from "../src/plane/plane.ts";

const root = join(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs/concepts/runtime.md"), "utf8");

test("the example in docs/concepts/runtime.md is the one in examples/", () => {
  const source = readFileSync(join(root, "examples/mirror-controller.ts"), "utf8");
  assert.ok(page.includes(`\`\`\`ts\n${source.trim()}\n\`\`\``));
});

test("every test that docs/concepts/runtime.md names is there", () => {
  const named = [...page.matchAll(/`((?:src|test)\/[^`]+\.ts)`/g)].map(([, path = ""]) => path);
  assert.ok(named.length > 10);
  assert.deepEqual(
    named.filter((path) => !existsSync(join(root, path))),
    [],
  );
});

/** The example at work on a server of its own. */
async function stage(t: TestContext) {
  const plane = await startPlane({ memory: true });
  const config = loadKubeconfig({ text: plane.kubeconfig, trusted: false });
  const client = createClient(config);
  const stop = new AbortController();
  const running = mirror(config, "default", stop.signal);
  t.after(async () => {
    stop.abort();
    await running;
    await client.close();
    await plane.stop();
  });
  return client;
}

test("the example runs as shown: copies are made, put right, and go with their originals", async (t) => {
  const client = await stage(t);
  const copy = { namespace: "default", name: "a" };
  const metadata = { name: "a", namespace: "default" };
  const watch = client.watch(secret, {
    namespace: "default",
    labelSelector: "mirrored=yes",
    sendInitialEvents: true,
  });
  const seen: string[] = [];
  await client.create(configMap, { metadata, data: { x: "1 €" } });
  for await (const event of watch) {
    if (event.type === "BOOKMARK") continue;
    seen.push(`${event.type} ${Buffer.from(event.object.data?.x ?? "", "base64")}`);
    if (seen.length === 1) await client.mergePatch(secret, copy, { data: { x: btoa("wrong") } });
    if (seen.length === 3) await client.delete(configMap, { namespace: "default", name: "a" });
    if (event.type === "DELETED") break;
  }
  assert.deepEqual(seen, ["ADDED 1 €", "MODIFIED wrong", "MODIFIED 1 €", "DELETED 1 €"]);
  await assert.rejects(client.get(secret, copy), isNotFound);
});
