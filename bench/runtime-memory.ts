// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";

/** Resident memory after a rest, in MiB: with the program, and with garbage that nothing has made Node collect yet. */
export async function restedMb(restMs: number): Promise<number> {
  await delay(restMs);
  return process.memoryUsage.rss() / 2 ** 20;
}

/**
 * What is in use, in MiB: the heap and what it holds outside of it, after everything that can be collected was. Array buffers
 * are part of what is outside.
 */
export async function liveMb(): Promise<number> {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error("started without --expose-gc");
  // What is found dead in one turn lets go of more in the next.
  for (let count = 0; count < 4; count++) {
    gc();
    await turn();
  }
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}
