// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("../scripts/ensure-installed.js", import.meta.url));
const own = { os: [process.platform], cpu: [process.arch] };
const foreign = { os: ["plan9"], cpu: ["mips"] };

interface Project {
  manifest: Record<string, unknown>;
  locked: Record<string, Record<string, unknown>>;
  installed: Record<string, Record<string, unknown>> | undefined;
}

/** A project whose packages are all there. */
function complete(): Project {
  const dependencies = { one: "1.0.0" };
  const packages = {
    "node_modules/one": { version: "1.0.0" },
    "node_modules/one/node_modules/@scope/two": { version: "2.0.0" },
    "node_modules/native": { version: "3.0.0", optional: true, ...own },
  };
  const absent = {
    "node_modules/elsewhere": { version: "3.0.0", optional: true, ...foreign },
    "node_modules/needed-elsewhere": { version: "1.0.0", optional: true },
    "node_modules/other-libc": { version: "1.0.0", optional: true, ...own, libc: ["musl"] },
  };
  const manifest = { type: "module", dependencies };
  return { manifest, locked: { "": { dependencies }, ...packages, ...absent }, installed: packages };
}

describe("before any npm script, what is missing is installed", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "butler-ensure-"));
    mkdirSync(join(folder, "scripts"));
    mkdirSync(join(folder, "path"));
    copyFileSync(script, join(folder, "scripts/ensure-installed.js"));
    npmEnding(0);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function npmEnding(code: number): void {
    const file = join(folder, "path/npm");
    writeFileSync(file, `#!/bin/sh\necho "npm $*"\nexit ${code}\n`);
    chmodSync(file, 0o755);
  }

  function ensure({ manifest, locked, installed }: Project, ...flags: string[]) {
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ packages: locked }));
    for (const place of Object.keys(installed ?? {})) mkdirSync(join(folder, place), { recursive: true });
    if (installed !== undefined) {
      writeFileSync(join(folder, "node_modules/.package-lock.json"), JSON.stringify({ packages: installed }));
    }
    return runScript(...flags);
  }

  function runScript(...flags: string[]) {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [...flags, join(folder, "scripts/ensure-installed.js")],
      {
        encoding: "utf8",
        env: { ...process.env, PATH: [join(folder, "path"), process.env.PATH].join(delimiter) },
      },
    );
    return { status, stdout, stderr };
  }

  const installing = (reason: string) => ({
    status: 0,
    stdout: "",
    stderr: `Installing packages (${reason}): npm install\nnpm install --no-audit --no-fund --loglevel=error\n`,
  });

  test("nothing is done or said when all is there, packages for other machines apart", () => {
    assert.deepEqual(ensure(complete()), { status: 0, stdout: "", stderr: "" });
  });

  test("a fresh clone is installed", () => {
    assert.deepEqual(ensure({ ...complete(), installed: undefined }), installing("nothing is installed yet"));
  });

  test("a package that is missing, of another version or newly asked for is installed", () => {
    const project = complete();
    const { "node_modules/one": one, ...rest } = project.installed ?? {};
    assert.deepEqual(ensure({ ...project, installed: rest }), installing("one is missing"));
    const older = { ...rest, "node_modules/one": { ...one, version: "0.9.0" } };
    assert.deepEqual(ensure({ ...project, installed: older }), installing("one should be 1.0.0, not 0.9.0"));
    const manifest = { ...project.manifest, devDependencies: { three: "3.0.0" } };
    assert.deepEqual(ensure({ ...project, manifest }), installing("package.json has changed"));
  });

  test("the optional package for this machine is needed too", () => {
    const project = complete();
    const { "node_modules/native": _, ...rest } = project.installed ?? {};
    assert.deepEqual(ensure({ ...project, installed: rest }), installing("native is missing"));
  });

  test("a package whose folder was deleted is installed again", () => {
    const project = complete();
    assert.equal(ensure(project).stderr, "");
    rmSync(join(folder, "node_modules/native"), { recursive: true });
    assert.deepEqual(runScript(), installing("native is missing"));
  });

  test("a failed installation stops with a hint", () => {
    npmEnding(7);
    const { status, stderr } = ensure({ ...complete(), installed: undefined });
    assert.equal(status, 1);
    assert.match(stderr, /npm install failed: .*registry/);
  });

  test("a Node too old, without one that came with the packages, is told what to do", () => {
    const preload = join(folder, "old.cjs");
    writeFileSync(preload, 'Object.defineProperty(process, "versions", { value: { node: "20.1.2" } });');
    const { status, stderr } = ensure(complete(), "--require", preload);
    assert.equal(status, 1);
    assert.match(stderr, /^Butler needs Node 24 or newer, found v\S+: install it from https:\/\/nodejs\.org[^\n]*\n$/);
  });
});
