// SPDX-License-Identifier: Apache-2.0
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

/**
 * Makes the folder that `npm pack` packs, from nothing: the launchers, the bundle with every dependency inside, the
 * licences of what was bundled, and a package file that asks for no package but the optional Node. Gives its path.
 */
export async function buildPackage(root: string, target: string): Promise<string> {
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const inputs = await bundle(root, join(target, "dist"));
  for (const name of ["bin", "LICENSE", "README.md"])
    await cp(join(root, name), join(target, name), { recursive: true });
  await writeFile(join(target, "THIRD-PARTY-LICENSES"), await licences(root, inputs));
  await writeFile(join(target, "package.json"), await packageFile(root));
  return target;
}

/** Splitting keeps commands lazy: each is a file of its own, loaded when it runs. */
async function bundle(root: string, outdir: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["src/main.ts"],
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
  const { name, version, description, license, author, type, bin, optionalDependencies } = await readManifest(root);
  const files = ["bin", "dist", "LICENSE", "README.md", "THIRD-PARTY-LICENSES"];
  return `${JSON.stringify({ name, version, description, license, author, type, private: true, bin, files, optionalDependencies }, null, 2)}\n`;
}

async function readManifest(folder: string): Promise<Record<string, unknown>> {
  const manifest: unknown = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  return { ...Object(manifest) };
}
