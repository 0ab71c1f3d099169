// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPackage } from "./build-package.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const staged = await buildPackage(root, join(root, "dist", "package"));
const [file] = packNames(
  execFileSync("npm", ["pack", "--json", "--pack-destination", ".."], { cwd: staged, encoding: "utf8" }),
);
const packed = join(root, "dist", file ?? "");
process.stdout.write(`${packed} ${(statSync(packed).size / 1024).toFixed(0)} KiB\n`);

function packNames(json: string): string[] {
  const report: unknown = JSON.parse(json);
  return Array.isArray(report) ? report.map((entry) => String(Object(entry).filename)) : [];
}
