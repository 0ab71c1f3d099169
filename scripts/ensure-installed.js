// SPDX-License-Identifier: Apache-2.0
// Runs before every npm script, in whatever Node is there: no syntax or function newer than Node 12. Installs what the
// lock file names and is not there; says and does nothing, quickly, when all is.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const NEEDED_MAJOR = 24;
const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Why the installed packages are not the ones the lock file names; undefined when they are. */
function whatIsMissing(folder) {
  const installed = readJson(join(folder, "node_modules", ".package-lock.json"));
  if (installed === undefined) return "nothing is installed yet";
  const lock = readJson(join(folder, "package-lock.json"));
  if (lock === undefined) return "there is no package-lock.json";
  if (!agrees(readJson(join(folder, "package.json")), lock.packages[""])) return "package.json has changed";
  for (const place of Object.keys(lock.packages)) {
    const wanted = lock.packages[place];
    if (place === "" || wanted.link) continue;
    const name = place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);
    const found = installed.packages[place];
    const isThere = found !== undefined && existsSync(join(folder, place));
    if (!isThere && isForThisMachine(wanted)) return `${name} is missing`;
    if (isThere && found.version !== wanted.version) return `${name} should be ${wanted.version}, not ${found.version}`;
  }
  return undefined;
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

function agrees(manifest, locked) {
  if (manifest === undefined || locked === undefined) return false;
  return ["dependencies", "devDependencies", "optionalDependencies"].every((field) => {
    const text = (packages) => JSON.stringify(Object.entries(packages || {}).sort());
    return text(manifest[field]) === text(locked[field]);
  });
}

/** Of optional packages npm leaves out those for other systems and what only they need. */
function isForThisMachine({ optional, os, cpu, libc }) {
  const names = (list, own) => Array.isArray(list) && list.includes(own);
  return !optional || (names(os, process.platform) && names(cpu, process.arch) && !libc);
}

function hasNode() {
  return (
    Number(process.versions.node.split(".")[0]) >= NEEDED_MAJOR || existsSync(join(root, "node_modules/.bin/node"))
  );
}

function main() {
  const reason = whatIsMissing(root);
  if (reason !== undefined) {
    process.stderr.write(`Installing packages (${reason}): npm install\n`);
    const { status } = spawnSync("npm install --no-audit --no-fund --loglevel=error", {
      cwd: root,
      shell: true,
      stdio: ["ignore", 2, 2],
    });
    if (status !== 0) {
      process.stderr.write("npm install failed: see above; is the package registry reachable?\n");
      process.exit(1);
    }
  }
  if (!hasNode()) {
    const advice = "install it from https://nodejs.org or with your version manager";
    process.stderr.write(`Butler needs Node ${NEEDED_MAJOR} or newer, found ${process.version}: ${advice}\n`);
    process.exit(1);
  }
}

main();
