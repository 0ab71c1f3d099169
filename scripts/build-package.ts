// SPDX-License-Identifier: Apache-2.0
import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";

/**
 * Makes the folder that `npm pack` packs, from nothing: the launchers, the bundle with every dependency inside, the types of
 * the doors that others import, the licences of what was bundled, and a package file that asks for no package but the
 * optional Node. Gives its path.
 */
export async function buildPackage(root: string, target: string): Promise<string> {
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const [inputs] = await Promise.all([bundle(root, join(target, "dist")), declare(root, join(target, "dist"))]);
  for (const name of ["bin", "LICENSE", "README.md"])
    await cp(join(root, name), join(target, name), { recursive: true });
  await writeFile(join(target, "THIRD-PARTY-LICENSES"), await licences(root, inputs));
  await writeFile(join(target, "package.json"), await packageFile(root));
  return target;
}

/** Managers of a soak are threads, started from a file; whoever starts them looks for it beside itself, and is bundled into the door. */
const MANAGER_THREAD = { in: "src/engine/testing/soak/manager-thread.ts", out: "engine/testing/manager-thread" };

/**
 * Splitting keeps commands lazy: each is a file of its own, loaded when it runs. The doors are part of the same bundle, so that
 * an error class is the same one behind each of them.
 */
async function bundle(root: string, outdir: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["src/main.ts", ...(await doors(root)), MANAGER_THREAD],
    outbase: "src",
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    metafile: true,
    logLevel: "warning",
    legalComments: "none",
    // Packages written for require() look for it even in an ES module.
    banner: {
      js: 'import { createRequire as butlerRequire } from "node:module"; const require = butlerRequire(import.meta.url);',
    },
  });
  return Object.keys(metafile.inputs);
}

/** What others may import: `butler/kube` is `dist/kube/index.js`, from `src/kube/index.ts`. `package.tsconfig.json` names the same. */
async function doors(root: string): Promise<string[]> {
  const { exports } = await readManifest(root);
  const files = Object.values(Object(exports)).flatMap((door) => Object(door).default ?? []);
  return files.map((file) => String(file).replace(/^\.\/dist\/(.*)\.js$/, "src/$1.ts"));
}

/** Writes the types beside the code: `kube/index.d.ts` and all that it names. */
async function declare(root: string, outdir: string): Promise<void> {
  const words = [join(root, "node_modules/typescript/bin/tsc"), "-p", join(root, "scripts/package.tsconfig.json")];
  await promisify(execFile)(process.execPath, [...words, "--outDir", outdir]);
}

async function licences(root: string, inputs: readonly string[]): Promise<string> {
  const packages = new Set(
    inputs.flatMap((input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []),
  );
  const texts: string[] = [];
  for (const folder of [...packages].sort()) texts.push(await licence(join(root, folder)));
  return `Butler contains these packages, each under its own licence.\n${texts.join("")}`;
}

async function licence(folder: string): Promise<string> {
  const { name, version, license } = await readManifest(folder);
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).sort();
  if (files.length === 0) throw new Error(`package "${name}" has no licence file to pass on`);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  return `\n${"-".repeat(80)}\n${name} ${version} (${license})\n\n${texts.join("\n").trim()}\n`;
}

async function packageFile(root: string): Promise<string> {
  const manifest = await readManifest(root);
  const { name, version, description, license, author, type, bin, exports, optionalDependencies } = manifest;
  const files = ["bin", "dist", "LICENSE", "README.md", "THIRD-PARTY-LICENSES"];
  // Authors of providers write their settings with their own zod; nobody else needs one.
  const peers = {
    peerDependencies: { zod: `^${String(Object(manifest.dependencies).zod)}` },
    peerDependenciesMeta: { zod: { optional: true } },
  };
  const head = { name, version, description, license, author, type, private: true };
  return `${JSON.stringify({ ...head, bin, exports, files, optionalDependencies, ...peers }, null, 2)}\n`;
}

async function readManifest(folder: string): Promise<Record<string, unknown>> {
  const manifest: unknown = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  return { ...Object(manifest) };
}
