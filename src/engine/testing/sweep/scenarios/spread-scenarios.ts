// SPDX-License-Identifier: Apache-2.0
import { Worker } from "node:worker_threads";
import type { Share } from "../spread.ts";
import type { ScenarioReport } from "./sweep-scenarios.ts";

/**
 * Has scenarios played by several threads at once, each with its share of them. The program gets `{ part, of, ...data }` as its worker
 * data and posts its reports. Which thread plays a scenario makes no difference to it.
 */
export async function spreadScenarios(
  program: URL,
  { threads, data }: { readonly threads: number; readonly data: object },
): Promise<readonly ScenarioReport[]> {
  const shares = Array.from({ length: threads }, (_, part): Share => ({ part, of: threads }));
  const play = (share: Share) =>
    new Promise<readonly ScenarioReport[]>((resolve, reject) => {
      const worker = new Worker(program, { workerData: { ...data, ...share } });
      worker.once("message", resolve);
      worker.once("error", reject);
      worker.once("exit", (code) => reject(new Error(`the thread ended without a report (${code})`)));
    });
  return (await Promise.all(shares.map(play))).flat();
}
