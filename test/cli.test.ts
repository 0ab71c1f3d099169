// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { writePreloads } from "./cli-preloads.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const butleradm = join(root, "bin/butleradm.js");
const { folder, paths } = writePreloads();
after(() => rmSync(folder, { recursive: true, force: true }));

function node(words: readonly string[], options: { env?: NodeJS.ProcessEnv; input?: string; program?: string } = {}) {
  const { status, stdout, stderr } = spawnSync(options.program ?? process.execPath, words, {
    encoding: "utf8",
    input: options.input ?? "",
    env: { ...process.env, ...options.env },
  });
  return { status, stdout, stderr };
}

/** An older Node that is on the PATH, and not because the package brought it. */
function olderNode(): string | undefined {
  const places = (process.env.PATH ?? "").split(delimiter).filter((place) => !place.includes("node_modules"));
  const found = places.map((place) => join(place, "node")).filter((path) => existsSync(path));
  return found.find(
    (path) => Number(node(["-p", "process.versions.node"], { program: path }).stdout.split(".")[0]) < 24,
  );
}

const older = olderNode();
const skipOlder = older === undefined ? "there is no Node older than 24 on the PATH" : false;
const isServed = process.platform === "linux" && process.arch === "x64";
const skipAccompanied = isServed ? false : "no Node comes with the package on this platform";

describe("the programs as a user starts them", () => {
  test("--version names program and package version, and no warning is printed", () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    assert.deepEqual(node([butleradm, "--version"]), { status: 0, stdout: `butleradm ${version}\n`, stderr: "" });
  });

  test("a cache folder that cannot be written does not matter", () => {
    for (const XDG_CACHE_HOME of ["/dev/null/x", "relative", "/proc"]) {
      const { status, stderr } = node([butleradm, "--help"], { env: { XDG_CACHE_HOME } });
      assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
    }
  });

  test("help loads no package at all, and no kind or schema of ours", () => {
    for (const words of [["--help"], [], ["validate", "--help"], ["crds", "-h"], ["--version"], ["frobnicate"]]) {
      const { stderr } = node(["--require", paths.listModules, butleradm, ...words]);
      const loaded = stderr.split("\n").filter((line) => line.startsWith("LOADED file:"));
      assert.ok(loaded.some((line) => line.endsWith("src/cli/run.ts")));
      assert.deepEqual(
        loaded.filter((line) => /node_modules|src\/(schema|api|providers|kinds)/.test(line)),
        [],
      );
    }
  });

  test("a reader that has seen enough is no failure", { skip: process.platform === "win32" }, () => {
    const line = `set -o pipefail; "${process.execPath}" "${butleradm}" crds | head -n 1`;
    assert.deepEqual(node(["-c", line], { program: "bash" }), { status: 0, stdout: "---\n", stderr: "" });
  });

  test("an unexpected error is one line that says what to do, with the stack on demand", () => {
    const words = ["--require", paths.breakDirectory, butleradm, "crds"];
    const { status, stdout, stderr } = node(words);
    assert.equal(status, 1);
    assert.equal(stdout, "");
    assert.equal(stderr, "butleradm: internal error: boom (please report it, with what BUTLER_DEBUG=1 prints)\n");
    assert.match(node(words, { env: { BUTLER_DEBUG: "1" } }).stderr, /Error: boom\nsecond line\n {4}at /);
  });

  test("output has no colours where it does not go to a terminal", () => {
    const { status, stdout } = node([butleradm, "validate", "-"], { input: "a: 1", env: { FORCE_COLOR: "1" } });
    assert.equal(status, 1);
    assert.match(stdout, /^<stdin>:1:1: apiVersion: Required value\n/);
  });
});

/** Starts a program that waits for input, sends it a signal once it is ready, and tells how it ended. */
async function interrupt(
  program: string,
  signal: NodeJS.Signals,
): Promise<{ code: number | null; signal: string | null }> {
  const child = spawn(program, [butleradm, "validate", "-"], {
    stdio: ["pipe", "ignore", "pipe"],
    env: { ...process.env, NODE_OPTIONS: `--require=${paths.announceReady}` },
  });
  child.stderr.once("data", () => child.kill(signal));
  return new Promise((done) => child.once("exit", (code, by) => done({ code, signal: by })));
}

describe("signals", () => {
  test("an interrupt is exit code 130", async () => {
    assert.deepEqual(await interrupt(process.execPath, "SIGINT"), { code: 130, signal: null });
  });

  test("under an older Node signals reach the program, and its end is passed on", {
    skip: skipOlder || skipAccompanied,
  }, async () => {
    assert.deepEqual(await interrupt(older ?? "", "SIGINT"), { code: 130, signal: null });
    assert.deepEqual(await interrupt(older ?? "", "SIGTERM"), { code: null, signal: "SIGTERM" });
  });
});

describe("an older Node", () => {
  test("starts the Node that came with the package, with the same arguments and streams", {
    skip: skipAccompanied,
  }, () => {
    const words = [butleradm, "validate", "-"];
    assert.deepEqual(
      node(["--require", paths.pretendOld, ...words], { input: "a: 1" }),
      node(words, { input: "a: 1" }),
    );
    assert.equal(node(["--require", paths.pretendOld, butleradm, "frobnicate"]).status, 2);
  });

  test("does so for real", { skip: skipOlder || skipAccompanied }, () => {
    assert.deepEqual(node([butleradm, "--help"], { program: older ?? "" }), node([butleradm, "--help"]));
  });

  test("without another Node is told what is needed, and a broken installation what is missing, with exit code 2", () => {
    const lonely = mkdtempSync(join(tmpdir(), "butler-lonely-"));
    try {
      cpSync(join(root, "bin"), join(lonely, "bin"), { recursive: true });
      const { status, stdout, stderr } = node([
        "--require",
        paths.pretendOld,
        join(lonely, "bin/butlerctl.js"),
        "--help",
      ]);
      assert.match(stderr, /^butlerctl: needs Node 24 or newer, found v20\.1\.2: [^\n]*https:\/\/nodejs\.org[^\n]*\n$/);
      assert.deepEqual({ status, stdout }, { status: 2, stdout: "" });
      const incomplete = node([join(lonely, "bin/butlerctl.js")]);
      assert.match(
        incomplete.stderr,
        /^butlerctl: this installation has no [^\n]*dist[^\n]*main\.js: install the package again\n$/,
      );
      assert.equal(incomplete.status, 2);
    } finally {
      rmSync(lonely, { recursive: true, force: true });
    }
  });
});
