// SPDX-License-Identifier: Apache-2.0
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kubeconfigText } from "../kubernetes/kubeconfig.ts";
import type { Endpoint, Outcome } from "./types.ts";

const STEP_WITHIN_MS = 60_000;
/** kubectl's log: of its requests, asked for where we have to know that it watches, and of what depends on time. */
const LOG_LINE = /^[IWE]\d{4} .*\n/gm;

/** kubectl with a home of its own, pointed at one server. */
export interface Kubectl {
  /** The folder that is its home; holds `bare`, a kubeconfig that knows the server and nobody. */
  readonly folder: string;
  run(args: readonly string[], options?: RunOptions): Promise<Outcome>;
  /** Removes its folder. */
  close(): void;
}

/** What goes into a call, and what happens beside it. */
export interface RunOptions {
  readonly input?: string | undefined;
  /** Called once the command watches; what the command wrote counts only after that is done. */
  readonly whenWatching?: (() => Promise<void>) | undefined;
  /** The command is ended once it has written so many lines. */
  readonly lines?: number | undefined;
}

/** Prepares kubectl for a server. Nothing of the user's own configuration or cache is read or written. */
export function kubectlFor(program: string, { url, ca, admin }: Endpoint): Kubectl {
  const folder = mkdtempSync(join(tmpdir(), "butler-kubectl-"));
  const config = kubeconfigText({ url, ca, ...admin });
  writeFileSync(join(folder, "config"), config, { mode: 0o600 });
  const bare = { ...(JSON.parse(config) as object), users: [{ name: "test", user: {} }] };
  writeFileSync(join(folder, "bare"), JSON.stringify(bare), { mode: 0o600 });
  const environment = {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    TZ: "UTC",
    LC_ALL: "C",
    KUBECONFIG: join(folder, "config"),
  };
  return {
    folder,
    run: (args, options = {}) =>
      runProgram(program, [...args, `--cache-dir=${join(folder, "cache")}`], { ...options, folder, environment }),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

interface ProgramOptions extends RunOptions {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

async function runProgram(program: string, args: readonly string[], options: ProgramOptions): Promise<Outcome> {
  const { folder, environment, input, whenWatching, lines } = options;
  const talkative = whenWatching === undefined ? [] : ["-v=6"];
  const child = spawn(program, [...args, ...talkative], {
    cwd: folder,
    env: environment,
    timeout: STEP_WITHIN_MS,
    killSignal: "SIGKILL",
  });
  const { promise, resolve, reject } = Promise.withResolvers<number | "ended">();
  let stdout = "";
  let stderr = "";
  let beside: Promise<void> | undefined;
  let isBesideDone = whenWatching === undefined;
  const endWhenSeen = () => {
    if (isBesideDone && lines !== undefined && stdout.split("\n").length > lines) child.kill("SIGKILL");
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    endWhenSeen();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    if (whenWatching === undefined || beside !== undefined || !/watch=true.*status="200/.test(stderr)) return;
    beside = whenWatching().then(() => {
      isBesideDone = true;
      endWhenSeen();
    });
    beside.catch((error: unknown) => {
      child.kill("SIGKILL");
      reject(error);
    });
  });
  child.on("error", reject);
  child.on("close", (code) => resolve(code ?? "ended"));
  child.stdin.on("error", () => {}).end(input ?? "");
  const exit = await promise;
  await beside;
  return { exit, stdout, stderr: stderr.replace(LOG_LINE, "") };
}
