// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer, type ServerOptions } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { TLSSocket } from "node:tls";
import { inspect } from "node:util";
import { createAuthority } from "../../../test/kubernetes/certificates.ts";
import { manualClock } from "../clock.ts";
import { secret } from "../core.ts";
import { ConnectionError } from "../errors.ts";
import { createClient } from "./client.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import { inClusterConfig } from "./in-cluster.ts";
import { loadKubeconfig } from "./kubeconfig.ts";
import { startScriptedServer } from "./testing/scripted-server.ts";
import type { ClientOptions } from "./types.ts";

const KEY = { namespace: "a", name: "b" };
const authority = await createAuthority();
const serving = await authority.issueServer("server");

/** What the server knows of a caller. */
interface Caller {
  readonly user: unknown;
  readonly name: unknown;
  readonly protocol: unknown;
  readonly groups: string;
}

async function startSecureServer(t: TestContext) {
  const callers: Caller[] = [];
  let connections = 0;
  const answer: RequestListener = (request, response) => {
    const socket = request.socket as TLSSocket & { servername?: string };
    const groups = String(request.headers["impersonate-group"]);
    callers.push({
      user: socket.getPeerCertificate().subject?.CN,
      name: socket.servername,
      protocol: socket.alpnProtocol,
      groups,
    });
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ metadata: KEY }));
  };
  const options: ServerOptions = {
    cert: serving.certificate,
    key: serving.key,
    ca: authority.certificate,
    requestCert: true,
    rejectUnauthorized: false,
    ALPNProtocols: ["h2", "http/1.1"],
  };
  const server = createServer(options, answer);
  server.on("tlsClientError", () => {});
  server.on("connection", () => {
    connections += 1;
  });
  const url = `https://127.0.0.1:${await listen(t, server)}`;
  return {
    url,
    callers,
    get connections() {
      return connections;
    },
  };
}

async function listen(t: TestContext, server: ReturnType<typeof createHttpServer> | ReturnType<typeof createServer>) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return (server.address() as AddressInfo).port;
}

function clientFor(t: TestContext, config: ClusterConfig, options: ClientOptions = {}) {
  const client = createClient(config, options);
  t.after(() => client.close());
  return client;
}

const ca = { text: authority.certificate };

test("a client certificate says who calls, over HTTP/1.1 where the server would rather speak HTTP/2", async (t) => {
  const { url, callers } = await startSecureServer(t);
  const { certificate, key } = await authority.issueClient("jane", []);
  const credentials = { certificate: { text: certificate }, key: { text: key } };
  await clientFor(t, { server: url, ca, credentials }).get(secret, KEY);
  assert.deepEqual(callers[0], { user: "jane", name: false, protocol: "http/1.1", groups: "undefined" });
});

test("a server that the authority did not sign gets nothing, and is not tried again", async (t) => {
  const server = await startSecureServer(t);
  const stranger = await createAuthority();
  const config = { server: server.url, ca: { text: stranger.certificate }, credentials: { token: "canary" } };
  await assert.rejects(clientFor(t, config).get(secret, KEY), (error) => {
    assert.ok(error instanceof ConnectionError && !error.wasSent);
    assert.doesNotMatch(inspect(error, { depth: 20 }), /canary/);
    return true;
  });
  assert.equal(server.callers.length, 0);
  assert.equal(server.connections, 1);
});

test("insecure-skip-tls-verify takes any server", async (t) => {
  const { url, callers } = await startSecureServer(t);
  await clientFor(t, { server: url, insecureSkipTlsVerify: true }).get(secret, KEY);
  assert.equal(callers.length, 1);
});

test("tls-server-name is what the server is asked for and what its certificate must say", async (t) => {
  const { url, callers } = await startSecureServer(t);
  await clientFor(t, { server: url, ca, tlsServerName: "localhost" }).get(secret, KEY);
  assert.equal(callers[0]?.name, "localhost");
  await assert.rejects(clientFor(t, { server: url, ca, tlsServerName: "elsewhere" }).get(secret, KEY), {
    code: "ERR_TLS_CERT_ALTNAME_INVALID",
    wasSent: false,
  });
});

test("a certificate that is replaced is shown on a new connection", async (t) => {
  const { url, callers } = await startSecureServer(t);
  const at = mkdtempSync(join(tmpdir(), "tls-"));
  t.after(() => rmSync(at, { recursive: true }));
  const write = async (user: string) => {
    const { certificate, key } = await authority.issueClient(user, []);
    writeFileSync(join(at, "crt"), certificate);
    writeFileSync(join(at, "key"), key);
  };
  await write("before");
  const clock = manualClock();
  const credentials = { certificate: { path: join(at, "crt") }, key: { path: join(at, "key") } };
  const client = clientFor(t, { server: url, ca, credentials }, { clock });
  await client.get(secret, KEY);
  await write("after");
  await client.get(secret, KEY);
  await clock.advance(300_000);
  await client.get(secret, KEY);
  assert.deepEqual(
    callers.map(({ user }) => user),
    ["before", "before", "after"],
  );
});

/** A proxy that passes everything on and notes what it was asked. */
function proxyServer(
  asked: string[],
  server: ReturnType<typeof createHttpServer> | ReturnType<typeof createServer>,
  names: Readonly<Record<string, string>> = {},
) {
  server.on("connect", (request, socket, head) => {
    asked.push(`CONNECT ${request.url} ${request.headers["proxy-authorization"]}`);
    const [host = "", port] = String(request.url).split(":");
    const onward = connect(Number(port), names[host] ?? host, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [socket, onward]) end.on("error", () => {});
    socket.on("close", () => onward.destroy());
    onward.on("close", () => socket.destroy());
  });
  return server;
}

test("a proxy carries the connection, with its own password and every header, and sees nothing of what is in it", async (t) => {
  const { url, callers } = await startSecureServer(t);
  const asked: string[] = [];
  const port = await listen(t, proxyServer(asked, createHttpServer()));
  const credentials = { impersonate: { user: "u", groups: ["g", "h"] } };
  const proxyUrl = `http://user:p%40ss@127.0.0.1:${port}`;
  const client = clientFor(t, { server: url, ca, proxyUrl, credentials });
  await client.get(secret, KEY);
  assert.deepEqual(asked, [`CONNECT ${new URL(url).host} Basic ${Buffer.from("user:p@ss").toString("base64")}`]);
  assert.equal(callers[0]?.groups, "g, h");
});

test("the environment's proxy is used where the kubeconfig has none and NO_PROXY does not name the server", async (t) => {
  const { url, callers } = await startSecureServer(t);
  const asked: string[] = [];
  // To the proxy alone the server is known by this name.
  const port = await listen(t, proxyServer(asked, createHttpServer(), { "cluster.example": "127.0.0.1" }));
  const HTTPS_PROXY = `http://127.0.0.1:${port}`;
  const server = `https://cluster.example:${new URL(url).port}`;
  const load = (env: Record<string, string>, own = {}) => {
    const cluster = { server, "certificate-authority-data": btoa(authority.certificate), ...own };
    const config = {
      clusters: [{ name: "c", cluster: { ...cluster, "tls-server-name": "localhost" } }],
      contexts: [{ name: "x", context: { cluster: "c" } }],
      "current-context": "x",
    };
    return loadKubeconfig({ text: JSON.stringify(config), env });
  };
  await clientFor(t, load({ HTTPS_PROXY })).get(secret, KEY);
  assert.deepEqual(asked, [`CONNECT ${new URL(server).host} undefined`]);
  assert.equal(callers.length, 1);
  await clientFor(t, load({ HTTPS_PROXY: "http://127.0.0.1:1" }, { "proxy-url": HTTPS_PROXY })).get(secret, KEY);
  assert.equal(callers.length, 2);
  assert.equal(load({ HTTPS_PROXY, NO_PROXY: ".example" }).proxyUrl, undefined);
  const env = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443", HTTPS_PROXY };
  assert.equal(inClusterConfig({ env }).proxyUrl, HTTPS_PROXY);
  assert.equal(inClusterConfig({ env: { ...env, NO_PROXY: "10.0.0.0/8" } }).proxyUrl, undefined);
});

test("a proxy may speak TLS itself", async (t) => {
  const { url, callers } = await startSecureServer(t);
  const asked: string[] = [];
  const port = await listen(t, proxyServer(asked, createServer({ cert: serving.certificate, key: serving.key })));
  await clientFor(t, { server: url, ca, proxyUrl: `https://localhost:${port}` }).get(secret, KEY);
  assert.equal(asked.length, 1);
  assert.equal(callers.length, 1);
});

test("a proxy that is down, or refuses, is a connection error without its password", async (t) => {
  const { url } = await startSecureServer(t);
  const closed = await startScriptedServer([]);
  await closed.stop();
  const refusing = createHttpServer();
  refusing.on("connect", (_request, socket) => socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"));
  const proxies = [new URL(closed.url).port, await listen(t, refusing)];
  for (const port of proxies) {
    const client = clientFor(t, { server: url, ca, proxyUrl: `http://user:canary@127.0.0.1:${port}` });
    await assert.rejects(client.get(secret, KEY, { tries: 1 }), (error) => {
      assert.ok(error instanceof ConnectionError && !error.wasSent);
      assert.doesNotMatch(inspect(error, { depth: 20, showHidden: true }), /canary|Basic/);
      return true;
    });
  }
});
