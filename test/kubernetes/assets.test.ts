// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { findAssets, KUBERNETES_VERSION } from "./assets.ts";

const FOLDER = `kubernetes-${KUBERNETES_VERSION}`;

/** An empty machine: a cache, a PATH with nothing but a shell on it, and a record of what was announced. */
function machine(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), "butler-assets-"));
  t.after(() => rmSync(root, { recursive: true }));
  const bin = join(root, "bin");
  mkdirSync(bin);
  const lines: string[] = [];
  return {
    root,
    lines,
    cached: join(root, "butler", FOLDER),
    surroundings: {
      environment: { XDG_CACHE_HOME: root, PATH: bin } as Record<string, string>,
      announce: (line: string) => lines.push(line),
    },
    /** Installs a `go` that writes its output file and then ends with this code. */
    installGo(exitCode: number) {
      const script = `#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\necho "$CGO_ENABLED $3" >"$2"\n/bin/chmod +x "$2"\necho broken >&2\nexit ${exitCode}\n`;
      writeScript(join(bin, "go"), script);
    },
  };
}

function writeScript(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

test("a folder named by KUBEBUILDER_ASSETS is used as it is", async (t) => {
  const { root, surroundings } = machine(t);
  for (const name of ["etcd", "kube-apiserver"]) writeScript(join(root, name), "");
  surroundings.environment.KUBEBUILDER_ASSETS = root;
  assert.deepEqual(await findAssets(undefined, surroundings), { folder: root });
});

test("a folder named by KUBEBUILDER_ASSETS that lacks a program is an error, not a reason to skip", async (t) => {
  const { root, surroundings } = machine(t);
  writeScript(join(root, "etcd"), "");
  surroundings.environment.KUBEBUILDER_ASSETS = root;
  await assert.rejects(findAssets(undefined, surroundings), {
    message: `KUBEBUILDER_ASSETS is "${root}", which has no runnable kube-apiserver`,
  });
});

test("without programs and without Go, one line says how to get them", async (t) => {
  const { surroundings, lines } = machine(t);
  const assets = await findAssets(undefined, surroundings);
  assert.ok("missing" in assets);
  assert.match(assets.missing, /^no kube-apiserver, etcd .*install Go .*KUBEBUILDER_ASSETS.*$/);
  assert.deepEqual(lines, []);
});

test("with Go the programs are built once, announced in one line, and then found", async (t) => {
  const { surroundings, lines, cached, installGo } = machine(t);
  installGo(0);
  assert.deepEqual(await findAssets(undefined, surroundings), { folder: cached });
  assert.equal(readFileSync(join(cached, "etcd"), "utf8"), "0 go.etcd.io/etcd/server/v3\n");
  assert.deepEqual(await findAssets(undefined, surroundings), { folder: cached });
  assert.equal(lines.length, 1);
});

test("a program more is built beside those that are there", async (t) => {
  const { surroundings, lines, cached, installGo } = machine(t);
  installGo(0);
  await findAssets(undefined, surroundings);
  await findAssets(["etcd", "kube-controller-manager"], surroundings);
  assert.deepEqual(readdirSync(cached).toSorted(), ["etcd", "kube-apiserver", "kube-controller-manager"]);
  assert.match(lines[1] ?? "", /^building kube-controller-manager for/);
});

test("a build that fails says why, leaves nothing, and is tried again", async (t) => {
  const { root, surroundings, cached, installGo } = machine(t);
  installGo(1);
  await assert.rejects(findAssets(undefined, surroundings), /go build k8s\.io\S+ ended with 1:\nbroken/);
  assert.deepEqual(readdirSync(cached), []);
  assert.deepEqual(readdirSync(join(root, "butler")), [FOLDER]);
  installGo(0);
  assert.deepEqual(await findAssets(undefined, surroundings), { folder: cached });
});

test("two builds at once do each other no harm", async (t) => {
  const { surroundings, cached, installGo } = machine(t);
  installGo(0);
  const both = await Promise.all([findAssets(undefined, surroundings), findAssets(undefined, surroundings)]);
  assert.deepEqual(both, [{ folder: cached }, { folder: cached }]);
});

test("go.mod pins the version the folder is named after", () => {
  const pins = readFileSync(join(import.meta.dirname, "go", "go.mod"), "utf8");
  assert.ok(pins.includes(`k8s.io/kubernetes v${KUBERNETES_VERSION}\n`));
  const staging = [...pins.matchAll(/=> k8s\.io\/\S+ v0\.(\S+)/g)].map(([, version]) => `1.${version}`);
  assert.deepEqual([...new Set(staging)], [KUBERNETES_VERSION]);
});
