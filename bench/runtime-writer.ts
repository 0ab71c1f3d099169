// SPDX-License-Identifier: Apache-2.0
import { Agent, request } from "node:https";
import type { Target } from "./plane-widgets.ts";

/** Changes one widget again and again. */
export interface Writer {
  write(size: number): Promise<void>;
  close(): void;
}

/** Uses Node alone: a second copy of a contestant's packages would be counted as memory of whoever is measured. */
export function createWriter({ url, ca, certificate, key }: Target, path: string): Writer {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca, cert: certificate, key });
  const headers = { "content-type": "application/merge-patch+json" };
  return {
    write: (size) =>
      new Promise((resolve, reject) => {
        const sent = request(new URL(path, url), { method: "PATCH", agent, headers }, (answer) => {
          answer.resume().on("error", reject);
          answer.on("end", () =>
            answer.statusCode === 200 ? resolve() : reject(new Error(`PATCH ${path}: ${answer.statusCode}`)),
          );
        });
        sent.on("error", reject);
        sent.end(JSON.stringify({ spec: { size } }));
      }),
    close: () => agent.destroy(),
  };
}
