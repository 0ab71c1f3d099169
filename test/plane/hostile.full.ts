// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Client, createClient } from "../kubernetes/request.ts";
import { fuzz } from "./fuzz.ts";
import { heapAfterCollection } from "./heap.ts";
import { SECRET, TOKEN } from "./hostile-requests.ts";
import { startPlaneProcess } from "./plane-process.ts";
import { openTls } from "./raw-connection.ts";

const RUNS = 30;
const REQUESTS = 4000;
/** The same requests each time; give another number in BUTLER_SEED to look further. */
const SEED = Number(process.env.BUTLER_SEED ?? 20260201);

test(`${RUNS} times ${REQUESTS} fuzzed requests (BUTLER_SEED=${SEED}) are never a fault of the server and leave no memory behind`, async (context) => {
  let slowest = 0;
  let early = 0;
  for (let run = 0; run < RUNS; run++) {
    slowest = Math.max(slowest, (await fuzz(SEED + run, REQUESTS)).slowestMs);
    if (run === RUNS / 2) early = heapAfterCollection();
  }
  const grown = heapAfterCollection() - early;
  context.diagnostic(`seeds ${SEED} to ${SEED + RUNS - 1}, slowest ${slowest.toFixed(0)} ms, heap ${grown} bytes more`);
  assert.ok(grown < 20 * 2 ** 20, `${grown} bytes more after as many runs again`);
});

test("a plane under garbage, cut-off requests and wrong tokens says nothing on its output, least of all secrets", async (context) => {
  const dir = mkdtempSync(join(tmpdir(), "butler-hostile-"));
  context.after(() => rmSync(dir, { recursive: true, force: true }));
  const plane = await startPlaneProcess(dir);
  context.after(() => plane.end());
  const before = plane.output();
  const { url, ca, certificate: cert, key } = plane.access;
  const client: Client = createClient(plane.access);
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "one" }, data: { a: SECRET } };
  assert.equal((await client.request("POST", "/api/v1/namespaces/default/secrets", secret)).status, 201);
  for (let round = 0; round < 300; round++) {
    const { socket, closed } = await openTls(url, { ca, ...(round % 2 === 0 ? { cert, key } : {}) });
    const head = `POST /api/v1/namespaces/default/secrets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\n`;
    const body = JSON.stringify({ ...secret, metadata: { name: "Not A Name" } });
    const cut = round % 3 === 0 ? body.length + 100 : body.length;
    socket.write(`${head}Content-Length: ${cut}\r\n\r\n${body}${round % 5 === 0 ? "\0garbage" : ""}`);
    if (round % 3 === 0) socket.destroy();
    else socket.end();
    const answer = await closed;
    assert.doesNotMatch(answer, /HTTP\/1\.1 5/);
    assert.ok(!answer.includes(TOKEN) && !answer.includes(SECRET), answer);
  }
  assert.equal((await client.request("GET", "/readyz")).status, 200);
  await client.close();
  await plane.end("SIGTERM");
  assert.equal(plane.output(), before);
});
