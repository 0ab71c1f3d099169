// SPDX-License-Identifier: Apache-2.0
import { Worker } from "node:worker_threads";
import { merged, type SweepReport } from "./report.ts";

/** One thread's share of the lives of a sweep. */
export interface Share {
  readonly part: number;
  readonly of: number;
}

/** The lives of this share: every so-manieth, so that all shares take equally long. */
export function shareOf<T>(all: readonly T[], { part, of }: Share): readonly T[] {
  return all.filter((_, at) => at % of === part);
}

/**
 * Has a sweep done by several threads at once, each with its share of the lives. The program gets `{ part, of, ...data }` as its worker
 * data and posts its report. Which thread lives a life makes no difference to it.
 */
export async function spread(
  program: URL,
  { threads, data }: { readonly threads: number; readonly data: object },
): Promise<SweepReport> {
  const shares = Array.from({ length: threads }, (_, part): Share => ({ part, of: threads }));
  return merged(
    await Promise.all(
      shares.map(
        (share) =>
          new Promise<SweepReport>((resolve, reject) => {
            const worker = new Worker(program, { workerData: { ...data, ...share } });
            worker.once("message", resolve);
            worker.once("error", reject);
            worker.once("exit", (code) => reject(new Error(`the thread ended without a report (${code})`)));
          }),
      ),
    ),
  );
}
