// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";

const program = join(import.meta.dirname, "../bench/index.ts");

/** Measures nothing: each of these ends before it would begin. */
function bench(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], { encoding: "utf8" });
  return { status, stdout, stderr };
}

test("help tells every bench, and a bench its options", () => {
  for (const words of [[], ["--help"]]) {
    const { status, stdout } = bench(...words);
    assert.equal(status, 0);
    for (const name of ["cli", "machines", "plane", "runtime", "soak", "store"])
      assert.match(stdout, new RegExp(`^ {2}${name} +\\w`, "m"));
  }
  const { status, stdout } = bench("soak", "--help");
  assert.equal(status, 0);
  assert.match(stdout, /--days N +how many simulated days; 28 unless told otherwise/);
});

test("what a bench cannot understand is refused in one line before anything is measured", () => {
  const wrong: readonly (readonly [string[], RegExp])[] = [
    [["machine"], /^bench: there is no bench "machine"$/m],
    [["machines", "--fast"], /^bench: machines: .*'--fast'/m],
    [["soak", "--days", "0"], /^bench: soak: --days must be a whole number from 1 to 999999, not "0"$/m],
    [["soak", "--machines=many"], /^bench: soak: --machines must be .* not "many"$/m],
  ];
  for (const [words, message] of wrong) {
    const { status, stdout, stderr } = bench(...words);
    assert.deepEqual([status, stdout], [2, ""]);
    assert.match(stderr, message);
  }
});
