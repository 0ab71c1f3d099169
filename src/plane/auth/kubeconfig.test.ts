// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parseYaml } from "../../lib/yaml.ts";
import { kubeconfig, writeKubeconfig } from "./kubeconfig.ts";

test("a kubeconfig has the context butler and everything in it", () => {
  const text = kubeconfig({ server: "https://127.0.0.1:1", certificateAuthority: "CA", credentials: { token: "t" } });
  assert.deepEqual(parseYaml(text)[0]?.value, {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "butler", cluster: { server: "https://127.0.0.1:1", "certificate-authority-data": "Q0E=" } }],
    users: [{ name: "butler-admin", user: { token: "t" } }],
    contexts: [{ name: "butler", context: { cluster: "butler", user: "butler-admin" } }],
    "current-context": "butler",
  });
  const credentials = { certificate: "C", key: "K" };
  const other = kubeconfig({ server: "s", certificateAuthority: "CA", credentials, user: "jane", namespace: "n" });
  const [document] = parseYaml(other);
  assert.deepEqual(Object(document?.value).users, [
    { name: "jane", user: { "client-certificate-data": "Qw==", "client-key-data": "Sw==" } },
  ]);
  assert.equal(Object(document?.value).contexts[0].context.namespace, "n");
});

test("it is written for its owner alone, in place of an older one, and leaves nothing else behind", (t) => {
  const dir = mkdtempSync(join(tmpdir(), "butler-kubeconfig-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const path = join(dir, "kubeconfig");
  writeKubeconfig(path, "old");
  writeKubeconfig(path, "new");
  assert.equal(readFileSync(path, "utf8"), "new");
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(dir), ["kubeconfig"]);
});
