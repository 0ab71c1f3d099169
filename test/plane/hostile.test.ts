// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createAuthority } from "../../src/plane/auth/index.ts";
import { type Plane, startPlane } from "../../src/plane/plane.ts";
import { type Client, createClient } from "../kubernetes/request.ts";
import { adminRequest, fuzz, send } from "./fuzz.ts";
import { BOMBS } from "./hostile-values.ts";
import { openTcp, openTls, type RawConnection } from "./raw-connection.ts";

const SEED = 20260101;
const REQUESTS = 2000;
const MAPS = "/api/v1/namespaces/default/configmaps";
const limits = { handshakeWithinMs: 300, headersWithinMs: 300, requestWithinMs: 600 };

let plane: Plane;
let client: Client;
const faults: unknown[] = [];

before(async () => {
  plane = await startPlane({ memory: true, limits, onFault: (error) => faults.push(error) });
  const { certificate, key } = plane.authority.admin;
  client = createClient({ url: plane.url, ca: plane.authority.certificate, certificate, key });
  const target = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "target" }, data: { a: "b" } };
  assert.equal((await client.request("POST", MAPS, target)).status, 201);
});

after(async () => {
  await client.close();
  await plane.stop();
});

const open = (to = plane) => {
  const { certificate: cert, key } = to.authority.admin;
  return openTls(to.url, { ca: to.authority.certificate, cert, key });
};

/** Whatever was done to it, it serves. */
async function stillServes(): Promise<void> {
  assert.equal((await client.request("GET", "/readyz")).status, 200);
  assert.deepEqual(faults, []);
}

test(`${REQUESTS} fuzzed requests (seed ${SEED}) are never a fault of the server`, async (context) => {
  const { statuses, slowestMs } = await fuzz(SEED, REQUESTS);
  const counts = [...statuses].sort(([one], [other]) => one - other).map(([status, count]) => `${status}: ${count}`);
  context.diagnostic(`${counts.join(", ")}; slowest ${slowestMs.toFixed(0)} ms`);
  // A fuzzer that never gets past the door finds nothing.
  for (const status of [200, 201, 400, 403, 404, 409, 415, 422]) assert.ok(statuses.has(status), `no ${status}`);
});

for (const [name, text] of Object.entries(BOMBS)) {
  test(`a body of ${name} is answered quickly and is no fault of the server`, async () => {
    const body = Buffer.from(text);
    const types = ["application/json", "application/yaml"];
    const requests = [
      ...types.map((type) => ({ ...adminRequest("POST", MAPS), body, headers: { "content-type": type } })),
      ...["merge-patch+json", "json-patch+json", "strategic-merge-patch+json", "apply-patch+yaml"].map((type) => ({
        ...adminRequest("PATCH", `${MAPS}/target?fieldManager=x`),
        body,
        headers: { "content-type": `application/${type}` },
      })),
    ];
    for (const request of requests) {
      const started = process.cpuUsage();
      const { status, text: answer } = await send(plane.handle, request);
      const { user } = process.cpuUsage(started);
      assert.ok(status < 500, `${request.headers["content-type"]}: ${status} ${answer.slice(0, 300)}`);
      assert.ok(user < 3_000_000, `${request.headers["content-type"]}: ${user / 1000} ms`);
    }
    await stillServes();
  });
}

test("a body over the limit is 413, whether its length is told or not", async () => {
  const text = JSON.stringify({ data: "x".repeat(3 * 1024 * 1024) });
  const told = await client.request("POST", MAPS, text);
  assert.equal(told.status, 413);
  const chunked = await open();
  const piece = Buffer.alloc(512 * 1024, 0x20);
  chunked.socket.write(`POST ${MAPS} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
  for (let sent = 0; sent < 8; sent++) chunked.socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
  chunked.socket.write("0\r\n\r\n");
  assert.match(await chunked.closed, /^HTTP\/1\.1 413 /);
  await stillServes();
});

/** Sends a piece now and then until the server has had enough. */
async function drip(connection: RawConnection, piece: string): Promise<string> {
  const timer = setInterval(() => connection.socket.write(piece), 20);
  try {
    return await connection.closed;
  } finally {
    clearInterval(timer);
  }
}

test("whoever is slow with headers, with a body or with the handshake is hung up on", async () => {
  const [headers, body, silent, plain] = await Promise.all([open(), open(), open(), openTcp(plane.url)]);
  headers.socket.write("GET /readyz HTTP/1.1\r\nHost: x\r\nX: ");
  body.socket.write(`POST ${MAPS} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n`);
  silent.socket.write("G");
  const answers = await Promise.all([drip(headers, "a"), drip(body, "{"), silent.closed, plain.closed]);
  assert.match(answers[0], /^(HTTP\/1\.1 408 .*)?/s);
  assert.match(answers[1], /^HTTP\/1\.1 408 /);
  assert.equal(answers[3], "");
  await stillServes();
});

test("garbage before, between and after requests ends the connection and nothing else", async () => {
  const good = "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n";
  const garbage = [
    "\0\0\0\0\r\n\r\n",
    "GET / HTTP/9.9\r\n\r\n",
    "BREW /pot HTTP/1.1\r\nHost: x\r\n\r\n",
    `GET / HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(100_000)}\r\n\r\n`,
    `GET /${"a".repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    `POST ${MAPS} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `POST ${MAPS} HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n`,
    `POST ${MAPS} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n`,
    "GET / HTTP/1.1\r\nHost: x\r\nX\u0001: y\r\n\r\n",
    "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  ];
  for (const words of garbage) {
    const connection = await open();
    connection.socket.write(good + words);
    const answer = await connection.closed;
    assert.match(answer, /^(HTTP\/1\.1 [24]|$)/, JSON.stringify(words.slice(0, 60)));
    assert.doesNotMatch(answer, /HTTP\/1\.1 5/);
  }
  await stillServes();
});

test("targets are read as the real server reads them: with a server's name, or not at all", async () => {
  const statusOf = async (target: string) => {
    const connection = await open();
    connection.socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    return (await connection.closed).slice(9, 12);
  };
  for (const target of ["https://x/readyz", "http://other:80/readyz", "ftp://x/readyz", "https:///readyz"])
    assert.equal(await statusOf(target), "200", target);
  for (const target of ["/%zz", "/%", "/api/v1/%2", `${MAPS}/%zz`, "readyz"])
    assert.equal(await statusOf(target), "400", target);
  for (const target of ["https://x", "//readyz", "/%ff"]) assert.equal(await statusOf(target), "404", target);
});

test("every answer has an Audit-Id: the request's own, or a new one", async () => {
  for (const path of ["/readyz", "/nowhere", `${MAPS}/missing`]) {
    const request = adminRequest("GET", path);
    const { headers } = await send(plane.handle, { ...request, headers: { "audit-id": "mine" } });
    assert.equal(headers["audit-id"], "mine");
    const other = await send(plane.handle, { ...request, headers: { "audit-id": "x".repeat(1000) } });
    assert.match(String(other.headers["audit-id"]), /^[-0-9a-f]{36}$/);
  }
});

test("a body of very many faults is refused with an answer that is no larger than it", async () => {
  for (const finalizer of [() => "BAD BAD", (at: number) => `BAD BAD ${at}`]) {
    const finalizers = Array.from({ length: 130_000 }, (_, at) => finalizer(at));
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "f", finalizers } };
    const { status, text } = await send(plane.handle, adminRequest("POST", MAPS, body));
    assert.equal(status, 422);
    assert.ok(text.length < 2 * 2 ** 20, `${text.length}`);
  }
  await stillServes();
});

test("integers that would be rounded are refused, wherever they come", async () => {
  const number = "9007199254740993";
  const json = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"n","generation":${number}}}`;
  const yaml = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: n, generation: ${number}}\n`;
  const patch = `{"metadata":{"generation":${number}}}`;
  const operation = `[{"op":"add","path":"/metadata/generation","value":${number}}]`;
  for (const [method, path, type, text] of [
    ["POST", MAPS, "application/json", json],
    ["POST", MAPS, "application/yaml", yaml],
    ["PATCH", `${MAPS}/target`, "application/merge-patch+json", patch],
    ["PATCH", `${MAPS}/target`, "application/strategic-merge-patch+json", patch],
    ["PATCH", `${MAPS}/target`, "application/json-patch+json", operation],
    ["PATCH", `${MAPS}/n?fieldManager=x`, "application/apply-patch+yaml", json],
  ] as const) {
    const request = { ...adminRequest(method, path), body: Buffer.from(text), headers: { "content-type": type } };
    const { status, text: answer } = await send(plane.handle, request);
    assert.equal(status, 400, type);
    assert.match(Object(JSON.parse(answer)).message, /cannot keep number 9007199254740993 in field/);
  }
});

test("requests in a row on one connection are answered in order", async () => {
  const connection = await open();
  const paths = Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? "/readyz" : "/no-such-path"));
  const last = "GET /version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  connection.socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join("") + last);
  const heard = await connection.closed;
  const statuses = [...heard.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
  assert.deepEqual(statuses, [...paths.map((path) => (path === "/readyz" ? "200" : "404")), "200"]);
  // Clients would keep what they never use again for as long as they are told they may.
  assert.doesNotMatch(heard, /^keep-alive:/im);
});

test("what is no TLS, old TLS or of another authority gets nowhere", async () => {
  const plain = await openTcp(plane.url);
  plain.socket.write("GET /api/v1/secrets HTTP/1.1\r\nHost: x\r\n\r\n");
  assert.doesNotMatch(await plain.closed, /200/);
  const noise = await openTcp(plane.url);
  noise.socket.write(Buffer.alloc(5000, 0x16));
  await noise.closed;
  const ca = plane.authority.certificate;
  await assert.rejects(openTls(plane.url, { ca, maxVersion: "TLSv1.1", minVersion: "TLSv1" }));
  const stranger = createAuthority(undefined).admin;
  const foreign = createClient({ url: plane.url, ca, ...stranger });
  assert.equal((await foreign.request("GET", "/api/v1/namespaces/kube-system/secrets")).status, 401);
  await foreign.close();
  await stillServes();
});

test("more connections than there may be are turned away, and those that are there go on", async (context) => {
  const most = 100;
  const small = await startPlane({ memory: true, limits: { connections: most } });
  context.after(() => small.stop());
  const outcomes = await Promise.allSettled(Array.from({ length: most + 50 }, () => open(small)));
  const opened = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  assert.equal(opened.length, most);
  for (const { socket } of opened) socket.write("GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const answers = await Promise.all(opened.map(({ closed }) => closed));
  assert.ok(answers.every((answer) => answer.startsWith("HTTP/1.1 200 ")));
  const later = await open(small);
  later.socket.destroy();
});
