// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { inspect } from "node:util";
import { manualClock } from "../clock.ts";
import { secret } from "../core.ts";
import { ConfigError, ConnectionError } from "../errors.ts";
import { createClient } from "./client.ts";
import type { CredentialsConfig, ExecPlugin } from "./cluster-config.ts";
import { createCredentials } from "./credentials.ts";
import { loadKubeconfig } from "./kubeconfig.ts";
import { json, refuse, startScriptedServer } from "./testing/scripted-server.ts";

const V1 = "client.authentication.k8s.io/v1";

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "credentials-"));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

function credentialsOf(credentials: CredentialsConfig, clock = manualClock()) {
  const source = createCredentials({ server: "https://x", credentials }, { clock, userAgent: "test" });
  const authorization = async () => {
    const { headers } = await source.current();
    return headers[headers.indexOf("authorization") + 1];
  };
  return { clock, source, authorization };
}

/** A plug-in that runs this JavaScript. */
function plugin(script: string, parts: Partial<ExecPlugin> = {}): CredentialsConfig {
  return {
    exec: {
      apiVersion: V1,
      command: process.execPath,
      args: ["-e", script],
      env: {},
      secrets: [],
      interactiveMode: "Never",
      isInteractive: false,
      ...parts,
    },
  };
}

/** The same, as a kubeconfig has it. */
function kubeconfigPlugin(args: readonly string[]): CredentialsConfig {
  const exec = { apiVersion: V1, interactiveMode: "Never", command: process.execPath, args };
  const text = JSON.stringify({
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "k", user: "u" } }],
    clusters: [{ name: "k", cluster: { server: "https://x" } }],
    users: [{ name: "u", user: { exec } }],
  });
  return loadKubeconfig({ text }).credentials ?? {};
}

/** A script that counts its runs in a file and prints a credential that has the count in it. */
function counting(
  file: string,
  status = '{ token: "t" + count, expirationTimestamp: "2026-01-01T01:00:00Z" }',
): string {
  return `
    const fs = require("node:fs");
    const count = fs.existsSync(${JSON.stringify(file)}) ? fs.readFileSync(${JSON.stringify(file)}, "utf8").length + 1 : 1;
    fs.writeFileSync(${JSON.stringify(file)}, "x".repeat(count));
    console.log(JSON.stringify({ apiVersion: "${V1}", kind: "ExecCredential", status: ${status} }));`;
}

test("what is fixed is put together once and at once", () => {
  const { source } = credentialsOf({ username: "u", password: "p" });
  const first = source.current();
  assert.ok(!(first instanceof Promise));
  assert.deepEqual(first.headers, [
    "user-agent",
    "test",
    "authorization",
    `Basic ${Buffer.from("u:p").toString("base64")}`,
  ]);
  assert.equal(source.current(), first);
});

test("a token goes before user and password, and before a plug-in, which is then not run", async () => {
  const { authorization } = credentialsOf({ ...plugin("process.exit(1)"), token: "t", username: "u" });
  assert.equal(await authorization(), "Bearer t");
});

test("impersonation has a header for the user, its uid, each group and each extra", () => {
  const extra = { "example.com/Scope": ["a", "b"] };
  const { source } = credentialsOf({ impersonate: { user: "u", uid: "1", groups: ["g", "h"], extra } });
  const identity = source.current();
  assert.ok(!(identity instanceof Promise));
  assert.deepEqual(identity.headers.slice(2), [
    ...["impersonate-user", "u", "impersonate-uid", "1", "impersonate-group", "g", "impersonate-group", "h"],
    ...["impersonate-extra-example.com%2Fscope", "a", "impersonate-extra-example.com%2Fscope", "b"],
  ]);
});

test("a token file is read again after a minute, goes before a token, and its last text holds when it is gone", async (t) => {
  const tokenFile = join(folder(t), "token");
  writeFileSync(tokenFile, "one\n");
  const { authorization, clock } = credentialsOf({ token: "fixed", tokenFile });
  assert.equal(await authorization(), "Bearer one");
  writeFileSync(tokenFile, "two");
  await clock.advance(59_999);
  assert.equal(await authorization(), "Bearer one");
  await clock.advance(1);
  assert.equal(await authorization(), "Bearer two");
  rmSync(tokenFile);
  await clock.advance(60_000);
  assert.equal(await authorization(), "Bearer two");
});

test("a token file that was never there is named", async () => {
  const { authorization } = credentialsOf({ tokenFile: "/nowhere/token" });
  await assert.rejects(authorization(), { name: "ConfigError", message: 'cannot read "/nowhere/token": ENOENT' });
});

test("a token that would break a header is refused without being shown", async () => {
  const { source } = credentialsOf({ token: "canary\r\nx: y" });
  assert.throws(
    () => source.current(),
    (error) => error instanceof ConfigError && !/canary/.test(inspect(error)),
  );
});

test("after a 401 the token file is read at once and the request sent again, a write too; but only once", async (t) => {
  const tokenFile = join(folder(t), "token");
  writeFileSync(tokenFile, "old");
  const object = { metadata: { namespace: "a", name: "b" } };
  const renew =
    (then: () => void) =>
    (...given: Parameters<ReturnType<typeof json>>) => {
      then();
      refuse(401, "Unauthorized")(...given);
    };
  const server = await startScriptedServer([
    renew(() => writeFileSync(tokenFile, "new")),
    json(201, object),
    refuse(401, "Unauthorized"),
  ]);
  const client = createClient({ server: server.url, credentials: { tokenFile } }, { clock: manualClock() });
  t.after(async () => {
    await client.close();
    await server.stop();
  });
  await client.create(secret, object);
  await assert.rejects(client.create(secret, object), { status: 401 });
  assert.deepEqual(
    server.seen.map(({ headers }) => headers.authorization),
    ["Bearer old", "Bearer new", "Bearer new"],
  );
});

test("certificates in files are read again, and connections are kept as long as they are the same", async (t) => {
  const at = folder(t);
  const path = (name: string, text: string) => {
    writeFileSync(join(at, name), text);
    return { path: join(at, name) };
  };
  const config = {
    server: "https://x",
    ca: path("ca", "CA"),
    credentials: { certificate: path("c", "C"), key: path("k", "K") },
  };
  const clock = manualClock();
  const source = createCredentials(config, { clock, userAgent: "test" });
  const first = await source.current();
  assert.deepEqual(first.tls, { ca: "CA", certificate: "C", key: "K" });
  await clock.advance(300_000);
  assert.equal((await source.current()).tls, first.tls);
  writeFileSync(join(at, "c"), "D");
  await clock.advance(300_000);
  assert.deepEqual((await source.current()).tls, { ca: "CA", certificate: "D", key: "K" });
});

test("a plug-in is run once for all who wait, and again only when its credential has expired", async (t) => {
  const file = join(folder(t), "runs");
  const { authorization, clock } = credentialsOf(plugin(counting(file)));
  assert.deepEqual(await Promise.all([authorization(), authorization()]), ["Bearer t1", "Bearer t1"]);
  await clock.advance(3_599_999);
  assert.equal(await authorization(), "Bearer t1");
  await clock.advance(1);
  assert.equal(await authorization(), "Bearer t2");
});

test("a refused credential makes the plug-in run again, though not in a storm", async (t) => {
  const file = join(folder(t), "runs");
  const { source, authorization, clock } = credentialsOf(plugin(counting(file)));
  const first = await source.current();
  assert.equal(await source.renew(first), true);
  assert.equal(await authorization(), "Bearer t2");
  assert.equal(await source.renew(first), true, "somebody else has renewed it meanwhile");
  assert.equal(await source.renew(await source.current()), false, "it was renewed a moment ago");
  await clock.advance(5_000);
  assert.equal(await source.renew(await source.current()), true);
  assert.equal(readFileSync(file, "utf8").length, 3);
});

test("a plug-in can hand out a certificate, and is told what it is asked for", async (t) => {
  const told = join(folder(t), "told");
  const status = '{ clientCertificateData: "CERT", clientKeyData: "KEY" }';
  const script = `require("node:fs").writeFileSync(${JSON.stringify(told)}, process.env.KUBERNETES_EXEC_INFO + process.env.A);
    console.log(JSON.stringify({ apiVersion: "${V1}", kind: "ExecCredential", status: ${status} }));`;
  const { source } = credentialsOf(plugin(script, { env: { A: "own" }, cluster: { server: "https://x" } }));
  const { tls, headers } = await source.current();
  assert.deepEqual([tls.certificate, tls.key, headers.includes("authorization")], ["CERT", "KEY", false]);
  const spec = { interactive: false, cluster: { server: "https://x" } };
  assert.equal(readFileSync(told, "utf8"), `${JSON.stringify({ apiVersion: V1, kind: "ExecCredential", spec })}own`);
});

const print = (answer: object) => `console.log(${JSON.stringify(JSON.stringify(answer))})`;
const good = { apiVersion: V1, kind: "ExecCredential", status: { token: "canary" } };

const failures: readonly [string, CredentialsConfig, RegExp][] = [
  [
    "is not there",
    plugin("", { command: "no-such-program", installHint: "Get it from example.com." }),
    /"no-such-program" was not found\n\nGet it from example\.com\./,
  ],
  [
    "fails",
    plugin('console.log("canary"); console.error("login first; eyJcanary.eyJcanary.canary"); process.exit(3)'),
    /ended with 3: login first; \*\*\*$/,
  ],
  [
    "complains with its own variable",
    plugin("console.error(process.env.P); process.exit(1)", { env: { P: "canary-pw" }, secrets: ["canary-pw"] }),
    /ended with 1: \*\*\*$/,
  ],
  [
    "cannot take its argument",
    plugin("", { args: ["--token=canary\0"] }),
    /could not be started: ERR_INVALID_ARG_VALUE$/,
  ],
  ["cannot take its variable", plugin("", { env: { P: "canary\0" } }), /could not be started: ERR_INVALID_ARG_VALUE$/],
  [
    "complains with its argument",
    kubeconfigPlugin(["-e", "console.error('unknown flag', process.argv[1]); process.exit(1)", "--", "--key=canary"]),
    /ended with 1: unknown flag \*\*\*$/,
  ],
  [
    "complains with a part of its argument",
    kubeconfigPlugin(["-e", "console.error(process.argv[1].slice(6)); process.exit(1)", "--", "--key=canary"]),
    /ended with 1: \*\*\*$/,
  ],
  ["prints nonsense", plugin('console.log("canary")'), /not JSON/],
  ["prints another kind", plugin(print({ ...good, kind: "Canary" })), /did not print an ExecCredential/],
  [
    "answers in another version",
    plugin(print({ ...good, apiVersion: "client.authentication.k8s.io/v1beta1" })),
    /another version than client\.authentication\.k8s\.io\/v1/,
  ],
  ["prints no status", plugin(print({ ...good, status: undefined })), /no status/],
  ["prints nothing of use", plugin(print({ ...good, status: {} })), /neither a token nor a certificate/],
  [
    "prints half a certificate",
    plugin(print({ ...good, status: { clientCertificateData: "canary" } })),
    /without its key/,
  ],
  [
    "prints a time that is none",
    plugin(print({ ...good, status: { token: "canary", expirationTimestamp: "canary" } })),
    /no time/,
  ],
  ["needs a person", plugin(print(good), { interactiveMode: "Always" }), /needs a person/],
];

for (const [name, credentials, message] of failures)
  test(`a plug-in that ${name} is named with what to do, and without anything secret`, async () => {
    const { authorization } = credentialsOf(credentials);
    await assert.rejects(authorization(), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, message);
      assert.doesNotMatch(inspect(error), /canary/i);
      return true;
    });
  });

test("a plug-in that hangs is ended after a minute", async () => {
  const { authorization, clock } = credentialsOf(plugin("setInterval(() => {}, 1000)"));
  const hanging = assert.rejects(authorization(), { message: /was ended after 60 s/ });
  await clock.untilWaiting();
  await clock.advance(60_000);
  await hanging;
});

test("a plug-in that leaves a child behind with its output open is not waited for", async (t) => {
  const file = join(folder(t), "pid");
  const script = `
    const { spawn } = require("node:child_process");
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit", detached: true });
    child.unref();
    ${print(good)};
    require("node:fs").writeFileSync(${JSON.stringify(`${file}.new`)}, String(child.pid));
    require("node:fs").renameSync(${JSON.stringify(`${file}.new`)}, ${JSON.stringify(file)});`;
  const { authorization, clock } = credentialsOf(plugin(script));
  let header: string | undefined;
  const running = authorization().then((value) => {
    header = value;
  });
  while (!existsSync(file)) await pause(1);
  const child = Number(readFileSync(file, "utf8"));
  t.after(() => process.kill(child));
  while (header === undefined) {
    await clock.advance(10);
    await Promise.race([running, pause(1)]);
  }
  assert.equal(header, "Bearer canary");
});

test("an answer that cannot be read is not in the error: it may be a Secret", async (t) => {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    socket.once("data", () => socket.write(`${head}5\r\n{"data":{"value":"canary"}}\r\n`));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client = createClient({ server: `http://127.0.0.1:${port}` }, { tries: 1 });
  t.after(async () => {
    await client.close();
    server.close();
  });
  await assert.rejects(client.get(secret, { namespace: "n", name: "a" }), (error) => {
    assert.ok(error instanceof ConnectionError);
    assert.ok(error.cause instanceof Error && !("data" in error.cause));
    assert.doesNotMatch(inspect(error, { depth: 10 }), /canary/);
    return true;
  });
});
