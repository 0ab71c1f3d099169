// SPDX-License-Identifier: Apache-2.0
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { LoadAnswer, LoadRequest } from "./plane-widgets.ts";

/** A process that puts load on servers. */
export interface Load {
  /** One at a time. Throws where a request was refused. */
  run(request: LoadRequest): Promise<LoadAnswer>;
  stop(): void;
}

/** Starts the process. */
export function startLoad(): Load {
  const child = spawn(process.execPath, [join(import.meta.dirname, "plane-load.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async run(request) {
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`the load process ended during "${request.operation}"`);
      return JSON.parse(value);
    },
    stop: () => child.kill(),
  };
}
