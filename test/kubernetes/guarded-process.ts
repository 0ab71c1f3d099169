// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";

/** A server program of the tests, which never outlives the process that started it. */
export interface GuardedProcess {
  readonly pid: number;
  /** How it ended, once it has. */
  ended(): string | undefined;
  /** The last lines it wrote. */
  lastLines(): Promise<string>;
  /** Asks it to end, ends it by force after the grace; settles once it is gone. May be repeated. */
  stop(graceMs?: number): Promise<void>;
}

/** What to run and where its output goes. */
export interface ProcessOptions {
  readonly args: readonly string[];
  readonly log: string;
  /** Removed together with the process if the starter dies. */
  readonly folder: string;
}

/**
 * Starts a program. If this process dies in any way, SIGKILL included, the program is killed and the folder removed. It does
 * not keep this process alive.
 */
export async function startGuarded(command: string, { args, log, folder }: ProcessOptions): Promise<GuardedProcess> {
  const output = openSync(log, "a", 0o600);
  const child = spawn(command, args, { stdio: ["ignore", output, output], env: {}, cwd: folder });
  closeSync(output);
  let ended: string | undefined;
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  const started = Promise.withResolvers<number>();
  child.once("error", (error) => started.reject(new Error(`start "${command}": ${error.message}`)));
  child.once("spawn", () => started.resolve(child.pid ?? 0));
  child.once("exit", (code, signal) => {
    ended = signal ?? `exit code ${code}`;
    resolve();
  });
  const pid = await started.promise;
  const guard = startGuard(pid, folder);
  child.unref();
  return {
    pid,
    ended: () => ended,
    lastLines: async () => (await readFile(log, "utf8")).trimEnd().split("\n").slice(-20).join("\n"),
    async stop(graceMs = 5000) {
      if (ended === undefined) await endWithin(child, { gone, graceMs });
      // Last, and by force: left to itself it would kill whatever has this process id by then.
      guard.kill("SIGKILL");
    },
  };
}

async function endWithin(
  child: ChildProcess,
  { gone, graceMs }: { gone: Promise<void>; graceMs: number },
): Promise<void> {
  child.ref();
  child.kill("SIGTERM");
  const force = setTimeout(() => child.kill("SIGKILL"), graceMs);
  await gone;
  clearTimeout(force);
}

/** A shell that reads from us: it sees the end of its input exactly when we are gone. In a session of its own, so that Ctrl-C leaves it to its work. */
function startGuard(pid: number, folder: string): ChildProcess {
  const script = 'cat >/dev/null; kill -KILL "$1"; sleep 0.2; rm -rf "$2"';
  const guard = spawn("/bin/sh", ["-c", script, "guard", String(pid), folder], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.unref();
  if (guard.stdin !== null && "unref" in guard.stdin && typeof guard.stdin.unref === "function") guard.stdin.unref();
  return guard;
}
