// SPDX-License-Identifier: Apache-2.0

/** Measures, prints, and gives 0 when what was measured is within its limit, else 1. */
type Bench = () => Promise<number>;

const benches: Readonly<Record<string, () => Promise<{ bench: Bench }>>> = {
  cli: () => import("./cli.ts"),
  machines: () => import("./machines.ts"),
  plane: () => import("./plane.ts"),
  runtime: () => import("./runtime.ts"),
  soak: () => import("./soak.ts"),
  store: () => import("./store.ts"),
};

async function run(name: string | undefined): Promise<number> {
  const load = name === undefined ? undefined : benches[name];
  if (load === undefined) {
    process.stdout.write(`Usage: npm run bench -- NAME, where NAME is one of: ${Object.keys(benches).join(", ")}\n`);
    return name === undefined ? 0 : 2;
  }
  const { bench } = await load();
  return bench();
}

process.exitCode = await run(process.argv[2]);
