// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildPackage } from "../scripts/build-package.ts";
import { measureOn, type Programs } from "./machines-run.ts";
import { findReal, type StartKubernetes, startPlane } from "./machines-servers.ts";
import { createMachinesTable } from "./machines-table.ts";
import type { BenchValues } from "./options.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Machines as a user has them made: requests to a Kubernetes, the manager as it is published, a Harvester that takes no time; and
 * beside it a client that makes only the writes nobody can do without. Gives 0 when all that is to be reached is.
 */
export async function bench({ has }: BenchValues): Promise<number> {
  const sizes = has("quick") ? [100, 1_000] : [100, 1_000, 10_000];
  const folder = await mkdtemp(join(tmpdir(), "butler-bench-"));
  try {
    const programs = await prepare(folder);
    const real = has("plane") ? undefined : await findReal();
    const starts: StartKubernetes[] = [
      ...(has("real") ? [] : [() => startPlane(programs.plane, join(folder, "plane"))]),
      ...(real === undefined ? [] : [real]),
    ];
    if (starts.length === 0) {
      process.stderr.write(
        "bench: machines: --plane and --real together leave nothing to measure, and so does --real without a kube-apiserver\n",
      );
      return 2;
    }
    const table = createMachinesTable((line) => void process.stdout.write(`${line}\n`));
    for (const start of starts) {
      const kubernetes = await start();
      table.tell(`\nMachines through ${kubernetes.name}`);
      try {
        await measureOn(kubernetes, { programs, sizes, table });
      } finally {
        await kubernetes.stop();
      }
    }
    table.tell(table.missed === 0 ? "\nEverything was reached." : `\n${table.missed} missed.`);
    return table.missed === 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Compiles everything beforehand: what reading TypeScript costs is nobody's. */
async function prepare(folder: string): Promise<Programs> {
  const launcher = join(await buildPackage(root, join(folder, "package")), "bin/butleradm.js");
  const names = ["plane", "simulator", "driver", "bare"];
  await build({
    entryPoints: names.map((name) => join(import.meta.dirname, `machines-${name}.ts`)),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node24",
    logLevel: "warning",
    banner: {
      js: 'import { createRequire as butlerRequire } from "node:module"; const require = butlerRequire(import.meta.url);',
    },
  });
  const path = (name: string) => join(folder, `machines-${name}.mjs`);
  return {
    folder,
    launcher,
    plane: path("plane"),
    simulator: path("simulator"),
    driver: path("driver"),
    bare: path("bare"),
  };
}
