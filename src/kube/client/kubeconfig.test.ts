// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { type TestContext, test } from "node:test";
import { inspect } from "node:util";
import { ConfigError } from "../errors.ts";
import { inClusterConfig } from "./in-cluster.ts";
import { loadKubeconfig } from "./kubeconfig.ts";

interface Parts {
  cluster?: object;
  user?: object;
  context?: object;
  current?: string | undefined;
}

function kubeconfig({ cluster = {}, user = {}, context = {}, current = "c" }: Parts = {}): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "k", cluster: { server: "https://host:6443", ...cluster } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "c", context: { cluster: "k", user: "u", ...context } }],
    "current-context": current,
  });
}

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "kubeconfig-"));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

test("everything a cluster and a user can have is read", () => {
  const cluster = {
    "certificate-authority-data": base64("CA"),
    "tls-server-name": "name",
    "proxy-url": "http://user:pass@proxy:3128",
  };
  const user = {
    "client-certificate-data": base64("CERT"),
    "client-key-data": base64("KEY"),
    token: "t",
    username: "n",
    password: "p",
    as: "other",
    "as-uid": "1",
    "as-groups": ["g"],
    "as-user-extra": { scopes: ["x"] },
  };
  assert.deepEqual(loadKubeconfig({ text: kubeconfig({ cluster, user, context: { namespace: "ns" } }) }), {
    server: "https://host:6443",
    namespace: "ns",
    ca: { text: "CA" },
    tlsServerName: "name",
    proxyUrl: "http://user:pass@proxy:3128",
    credentials: {
      token: "t",
      username: "n",
      password: "p",
      certificate: { text: "CERT" },
      key: { text: "KEY" },
      impersonate: { user: "other", uid: "1", groups: ["g"], extra: { scopes: ["x"] } },
    },
  });
  const insecure = loadKubeconfig({ text: kubeconfig({ cluster: { "insecure-skip-tls-verify": true } }) });
  assert.equal(insecure.insecureSkipTlsVerify, true);
});

test("it may be YAML, data goes before files, and files count from the kubeconfig's own folder", (t) => {
  const path = join(folder(t), "config");
  writeFileSync(
    path,
    `
clusters:
- name: k
  cluster: {server: "https://host/prefix/", certificate-authority: ca.crt}
users:
- name: u
  user:
    client-certificate: /abs/c.crt
    client-key: keys/c.key
    client-key-data: ${base64("KEY")}
    tokenFile: token
contexts:
- name: c
  context: {cluster: k, user: u}
current-context: c
`,
  );
  const config = loadKubeconfig({ path });
  assert.deepEqual(config, {
    server: "https://host/prefix",
    ca: { path: join(path, "..", "ca.crt") },
    credentials: {
      certificate: { path: "/abs/c.crt" },
      key: { text: "KEY" },
      tokenFile: join(path, "..", "token"),
    },
  });
});

test("of several files in KUBECONFIG the first that names something holds, whole; missing ones are skipped", (t) => {
  const at = folder(t);
  const write = (name: string, content: object) => {
    writeFileSync(join(at, name), JSON.stringify(content));
    return join(at, name);
  };
  const one = write("one", {
    users: [{ name: "u", user: { token: "first" } }],
    contexts: [{ name: "c", context: { cluster: "k", user: "u" } }],
  });
  mkdirSync(join(at, "sub"));
  const two = write("sub/two", {
    clusters: [{ name: "k", cluster: { server: "https://host", "certificate-authority": "ca" } }],
    users: [{ name: "u", user: { token: "second", as: "somebody" } }],
    contexts: [{ name: "d", context: { cluster: "k", user: "u", namespace: "d" } }],
    "current-context": "d",
  });
  const env = { KUBECONFIG: ["", join(at, "missing"), one, two].join(delimiter) };
  const expected = { server: "https://host", ca: { path: join(at, "sub", "ca") }, credentials: { token: "first" } };
  assert.deepEqual(loadKubeconfig({ env }), { ...expected, namespace: "d" });
  assert.deepEqual(loadKubeconfig({ env, context: "c" }), expected);
});

test("without KUBECONFIG it is the one in HOME, and without either the message says so", (t) => {
  const home = folder(t);
  assert.throws(() => loadKubeconfig({ env: { HOME: home } }), {
    name: "ConfigError",
    message: /there is no ".*config"/,
  });
  mkdirSync(join(home, ".kube"));
  writeFileSync(join(home, ".kube", "config"), kubeconfig());
  assert.equal(loadKubeconfig({ env: { HOME: home } }).server, "https://host:6443");
  assert.throws(() => loadKubeconfig(), { message: "no kubeconfig: neither KUBECONFIG nor HOME is set" });
  assert.throws(() => loadKubeconfig({ path: join(home, "x") }), ConfigError);
});

const faults: readonly [string, Parts, RegExp][] = [
  ["an unknown context", { current: "x" }, /no context "x"; there is "c"/],
  ["an unknown cluster", { context: { cluster: "x" } }, /no cluster "x"; there is "k"/],
  ["an unknown user", { context: { user: "x" } }, /no user "x"; there is "u"/],
  ["no server", { cluster: { server: "" } }, /clusters\[0\]\.cluster\.server must be a URL/],
  ["a server of another sort", { cluster: { server: "ftp://x" } }, /server must be a URL/],
  ["a password in the server", { cluster: { server: "https://a:canary@x" } }, /must not have a user or password/],
  ["a proxy of another sort", { cluster: { "proxy-url": "ftp://canary" } }, /proxy-url must be a URL/],
  [
    "an authority and none",
    { cluster: { "certificate-authority-data": "YQ==", "insecure-skip-tls-verify": true } },
    /both/,
  ],
  ["a certificate without a key", { user: { "client-certificate-data": "YQ==" } }, /without its key/],
  ["data that is no base64", { user: { "client-key-data": "!canary!" } }, /client-key-data is not base64/],
  ["a token that is a number", { user: { token: 12345 } }, /users\[0\]\.user\.token must be text/],
  ["an auth-provider", { user: { "auth-provider": { name: "gcp" } } }, /auth-provider "gcp" is not supported/],
  ["exec without a command", { user: { exec: {} } }, /exec\.command is missing/],
  [
    "exec of an old version",
    { user: { exec: { command: "x", apiVersion: "client.authentication.k8s.io/v1alpha1" } } },
    /apiVersion must be/,
  ],
  [
    "exec v1 without a mode",
    { user: { exec: { command: "x", apiVersion: "client.authentication.k8s.io/v1" } } },
    /interactiveMode must be/,
  ],
];

for (const [name, parts, message] of faults)
  test(`${name} is said clearly, with its place and without its value`, () => {
    assert.throws(
      () => loadKubeconfig({ text: kubeconfig(parts) }),
      (error) => error instanceof ConfigError && message.test(error.message) && !/canary/.test(inspect(error)),
    );
  });

test("malformed YAML is said with its line and without its text", () => {
  assert.throws(
    () => loadKubeconfig({ text: 'users:\n- name: "canary\n' }),
    (error) => error instanceof ConfigError && /line \d+/.test(error.message) && !/canary/.test(inspect(error)),
  );
  assert.throws(() => loadKubeconfig({ text: "- a" }), /not a mapping/);
  assert.throws(() => loadKubeconfig({ text: "" }), /no context is given and none is current/);
});

const reaching: readonly [string, Parts][] = [
  [
    "a plug-in",
    { user: { exec: { command: "x", apiVersion: "client.authentication.k8s.io/v1", interactiveMode: "Never" } } },
  ],
  ["an auth-provider", { user: { "auth-provider": { name: "gcp", config: { "cmd-path": "/bin/sh" } } } }],
  ["a certificate file", { user: { "client-certificate": "/etc/passwd", "client-key": "/etc/passwd" } }],
  [
    "a key file beside data",
    { user: { "client-key": "/k", "client-key-data": "YQ==", "client-certificate-data": "YQ==" } },
  ],
  ["a token file", { user: { tokenFile: "/var/run/secrets/token" } }],
  ["an authority's file", { cluster: { "certificate-authority": "/ca" } }],
];

for (const [name, parts] of reaching)
  test(`a kubeconfig that is not trusted may not name ${name}, in use or not`, () => {
    const text = kubeconfig(parts);
    assert.throws(() => loadKubeconfig({ text, trusted: false }), {
      name: "ConfigError",
      message: /is not allowed here/,
    });
    const { users, clusters, ...rest } = JSON.parse(text);
    const unused = {
      ...rest,
      users: [
        { name: "u", user: { token: "t" } },
        { ...users[0], name: "unused" },
      ],
      clusters: [
        { name: "k", cluster: { server: "https://x" } },
        { ...clusters[0], name: "unused" },
      ],
    };
    assert.throws(() => loadKubeconfig({ text: JSON.stringify(unused), trusted: false }), ConfigError);
  });

test("a kubeconfig that is not trusted but carries everything in itself is fine", () => {
  const user = { token: "t", "client-certificate-data": "YQ==", "client-key-data": "YQ==" };
  const cluster = { "certificate-authority-data": "YQ==" };
  assert.equal(loadKubeconfig({ text: kubeconfig({ user, cluster }), trusted: false }).credentials?.token, "t");
});

test("a plug-in gets the given environment and its own variables, and what it may know of the cluster", (t) => {
  const path = join(folder(t), "config");
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1beta1",
    command: "bin/login",
    args: ["--key=argument"],
    env: [{ name: "B", value: "own-value" }],
    installHint: "get it",
    provideClusterInfo: true,
  };
  const extensions = [{ name: "client.authentication.k8s.io/exec", extension: { audience: "x" } }];
  writeFileSync(path, kubeconfig({ user: { exec }, cluster: { extensions, "tls-server-name": "n" } }));
  assert.deepEqual(loadKubeconfig({ path, env: { A: "1", B: "2", C: undefined } }).credentials?.exec, {
    apiVersion: "client.authentication.k8s.io/v1beta1",
    command: join(path, "..", "bin/login"),
    args: ["--key=argument"],
    env: { A: "1", B: "own-value" },
    secrets: ["--key=argument", "own-value", "argument"],
    installHint: "get it",
    cluster: { server: "https://host:6443", "tls-server-name": "n", config: { audience: "x" } },
    interactiveMode: "IfAvailable",
    isInteractive: false,
  });
});

test("a password that YAML takes for something else is not in the message", () => {
  for (const value of ["*canary", '*can"ary', "&canary", "!canary x", "`canary", '"canary', "canary: canary"]) {
    const text = `apiVersion: v1\nkind: Config\nusers:\n- name: u\n  user:\n    password: ${value}\n`;
    assert.throws(
      () => loadKubeconfig({ text }),
      (error) => {
        assert.ok(error instanceof ConfigError);
        assert.doesNotMatch(inspect(error), /canary|ary"/, value);
        return true;
      },
    );
  }
});

test("a proxy without a protocol is reached by HTTP", () => {
  const proxyOf = (given: string) => loadKubeconfig({ text: kubeconfig({ cluster: { "proxy-url": given } }) }).proxyUrl;
  assert.equal(proxyOf("localhost:3128"), "http://localhost:3128");
  assert.equal(proxyOf("user:p@10.0.0.1:3128"), "http://user:p@10.0.0.1:3128");
  assert.equal(proxyOf("socks5://proxy"), "socks5://proxy");
});

test("a Pod finds its cluster in its environment and its service account's folder", (t) => {
  const at = folder(t);
  writeFileSync(join(at, "namespace"), "butler-system\n");
  const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
  assert.deepEqual(inClusterConfig({ env, folder: at }), {
    server: "https://[fd00::1]:443",
    namespace: "butler-system",
    ca: { path: join(at, "ca.crt") },
    credentials: { tokenFile: join(at, "token") },
  });
  assert.throws(() => inClusterConfig({ env: {} }), { name: "ConfigError", message: /not in a cluster/ });
});
