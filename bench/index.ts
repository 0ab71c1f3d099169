// SPDX-License-Identifier: Apache-2.0
import { parseArgs } from "node:util";
import type { Bench, BenchOption, BenchValues } from "./options.ts";

/** A measurement that can be asked for by its name. */
interface Entry {
  readonly about: string;
  readonly options: Readonly<Record<string, BenchOption>>;
  readonly load: () => Promise<{ bench: Bench }>;
}

const quick: BenchOption = { about: "shorter and less exact" };

const benches: Readonly<Record<string, Entry>> = {
  cli: { about: "CPU of butleradm --help beside an empty Node", options: {}, load: () => import("./cli.ts") },
  machines: {
    about: "100, 1,000 and 10,000 machines beside a client that only makes the writes nobody can do without",
    options: {
      quick: { about: "100 and 1,000 machines only" },
      plane: { about: "through the plane only" },
      real: { about: "through a real kube-apiserver only" },
    },
    load: () => import("./machines.ts"),
  },
  plane: {
    about: "the plane beside a real kube-apiserver with its etcd",
    options: { quick },
    load: () => import("./plane.ts"),
  },
  runtime: {
    about: "our Kubernetes runtime beside the usual client and bare undici",
    options: { quick },
    load: () => import("./runtime.ts"),
  },
  soak: {
    about: "four simulated weeks with 500 machines and all that can go wrong",
    options: {
      machines: { about: "how many machines", count: 500 },
      days: { about: "how many simulated days", count: 28 },
      seed: { about: "another one goes another way", count: 1 },
    },
    load: () => import("./soak.ts"),
  },
  store: { about: "durable creates beside bare node:sqlite", options: {}, load: () => import("./store.ts") },
};

async function run([name = "--help", ...words]: readonly string[]): Promise<number> {
  if (name === "--help" || name === "-h") return print(usage());
  const entry = benches[name];
  if (entry === undefined) return refuse(`there is no bench "${name}"`);
  const values = parse(entry, words);
  if (values === undefined) return print(help(name, entry));
  if (typeof values === "string") return refuse(`${name}: ${values}`);
  const { bench } = await entry.load();
  return bench(values);
}

/** Undefined where help is asked for; what is wrong with the words otherwise. */
function parse({ options: known }: Entry, words: readonly string[]): BenchValues | string | undefined {
  const flags = new Set<string>();
  const counts = new Map(Object.entries(known).map(([option, { count }]) => [option, count ?? 0]));
  const types = Object.entries(known).map(([option, { count }]) => [
    option,
    { type: count === undefined ? ("boolean" as const) : ("string" as const) },
  ]);
  try {
    const help = { type: "boolean" as const, short: "h" };
    const options = { ...Object.fromEntries(types), help };
    const values: Readonly<Record<string, unknown>> = parseArgs({ args: [...words], options }).values;
    if (values.help === true) return undefined;
    for (const [option, value] of Object.entries(values)) {
      if (value === true) flags.add(option);
      else if (/^[1-9]\d{0,5}$/.test(String(value))) counts.set(option, Number(value));
      else return `--${option} must be a whole number from 1 to 999999, not "${value}"`;
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return { has: (option) => flags.has(option), count: (option) => counts.get(option) ?? 0 };
}

function usage(): string {
  const names = Object.entries(benches).map(([name, { about }]) => `  ${name.padEnd(10)}${about}`);
  return `Usage: npm run bench -- NAME [OPTIONS]\n\n${names.join("\n")}\n\nnpm run bench -- NAME --help tells its options.\n`;
}

function help(name: string, { about, options }: Entry): string {
  const lines = Object.entries(options).map(([option, { about: text, count }]) =>
    count === undefined
      ? `  --${option.padEnd(14)}${text}`
      : `  --${`${option} N`.padEnd(14)}${text}; ${count} unless told otherwise`,
  );
  return `npm run bench -- ${name}: ${about}\n${lines.length === 0 ? "" : `\n${lines.join("\n")}\n`}`;
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

function refuse(why: string): number {
  process.stderr.write(`bench: ${why}\n\n${usage()}`);
  return 2;
}

process.exitCode = await run(process.argv.slice(2));
