// SPDX-License-Identifier: Apache-2.0
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { kubeconfigText } from "../test/kubernetes/kubeconfig.ts";
import type { Target } from "./plane-widgets.ts";
import type { ContestantName, RuntimeAnswer, RuntimeRequest, Setup } from "./runtime-contestant.ts";

/** For one measurement. Who takes longer hangs. */
const LONGEST_MS = 60_000;

/** A contestant in a process of its own. */
export interface Run {
  /** One request at a time. */
  ask(request: RuntimeRequest): Promise<RuntimeAnswer>;
  end(): void;
}

/** The program that contestants are, and the packages that they use. */
export interface Prepared {
  readonly program: string;
  readonly modules: Setup["modules"];
}

/** Compiles everything beforehand: what reading TypeScript costs would be counted as memory of whoever is measured. */
export async function prepare(folder: string, ourPackage: string): Promise<Prepared> {
  const program = join(folder, "contestant.mjs");
  const options = { bundle: true, format: "esm", platform: "node", target: "node24", logLevel: "warning" } as const;
  await build({ ...options, entryPoints: [join(import.meta.dirname, "runtime-process.ts")], outfile: program });
  const modules = {
    butler: pathToFileURL(join(ourPackage, "dist/kube/index.js")).href,
    "client-node": import.meta.resolve("@kubernetes/client-node"),
    undici: import.meta.resolve("undici"),
  };
  return { program, modules };
}

/** Starts a contestant, or the same program without one, for what Node itself takes. */
export function startRun(name: ContestantName | "nobody", { program, modules }: Prepared, target: Target): Run {
  const setup: Setup = { target, kubeconfig: kubeconfigText(target), modules };
  const child = spawn(process.execPath, ["--expose-gc", program, name, JSON.stringify(setup)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(request) {
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const tooLong = setTimeout(() => child.kill(), LONGEST_MS);
      const { value, done } = await lines.next();
      clearTimeout(tooLong);
      if (done === true) throw new Error(`${name} ended, or took too long, during "${request.operation}"`);
      return JSON.parse(value);
    },
    end: () => void child.kill(),
  };
}
