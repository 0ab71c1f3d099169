// SPDX-License-Identifier: Apache-2.0
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** How many bytes of objects, and of buffers outside the heap, are in use once all garbage is collected. */
export function heapAfterCollection(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("this Node collects no garbage on demand");
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
