// SPDX-License-Identifier: Apache-2.0
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");
const TITLE = /\b(?:test|story|describe)\(\s*(?:`([^`]*)`|"([^"]*)"|'([^']*)')/g;

/** The title of every test there is, as it stands in the source. */
export function testTitles(): readonly string[] {
  return globSync("{src,test}/**/*.test.ts", { cwd: ROOT }).flatMap((file) =>
    [...readFileSync(join(ROOT, file), "utf8").matchAll(TITLE)].map(([, ...texts]) => texts.find(Boolean) ?? ""),
  );
}
