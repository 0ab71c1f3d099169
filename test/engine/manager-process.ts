// SPDX-License-Identifier: Apache-2.0
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGuarded } from "../kubernetes/guarded-process.ts";

/** A manager in a process of its own, as `butleradm manager` runs it. It never outlives the process that started it. */
export interface ManagerProcess {
  readonly pid: number;
  /** Where its health and metrics are. */
  readonly healthUrl: string;
  /** All that it wrote so far. */
  log(): Promise<string>;
  /** How it ended, once it has: `exit code 0`, `SIGKILL`. */
  ended(): string | undefined;
  /** Asks it to end, or kills it at once, and waits until it is gone. May be repeated. */
  end(how: "asked" | "killed"): Promise<void>;
}

const LAUNCHER = join(import.meta.dirname, "../../bin/butleradm.js");
const DRAIN_MS = 60_000;

/** Starts a manager with a kubeconfig and these words besides. It need not be ready, nor able to be. */
export async function startManager(kubeconfig: string, words: readonly string[]): Promise<ManagerProcess> {
  const folder = mkdtempSync(join(tmpdir(), "butler-manager-"));
  const path = join(folder, "kubeconfig");
  writeFileSync(path, kubeconfig, { mode: 0o600 });
  const port = await freePort();
  const log = join(folder, "log");
  const args = [LAUNCHER, "manager", "--kubeconfig", path, "--health-port", String(port), ...words];
  const running = await startGuarded(process.execPath, { args, log, folder });
  let text: string | undefined;
  const readLog = async () => text ?? (await readFile(log, "utf8"));
  return {
    pid: running.pid,
    healthUrl: `http://127.0.0.1:${port}`,
    log: readLog,
    ended: running.ended,
    async end(how) {
      if (how === "killed" && running.ended() === undefined) process.kill(running.pid, "SIGKILL");
      await running.stop(DRAIN_MS);
      text ??= await readLog();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("listening without a port");
  return address.port;
}
