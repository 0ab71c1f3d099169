// SPDX-License-Identifier: Apache-2.0
import type { Input } from "./command.ts";
import { exitCodes, type Io, UsageError } from "./io.ts";

const USUAL_MACHINES = 5;
const MOST_MACHINES = 1000;

/** Shows what Butler does, with all it needs in this process. The first line comes before anything is loaded or started. */
export async function run(io: Io, { program, options }: Input): Promise<number> {
  const machines = machinesOf(options.machines);
  io.write(`Butler: ${machines} machines on a simulated Harvester, all of it in this process.\n`);
  const told = io.untilTold();
  const { play } = await import("./demo/play.ts");
  try {
    const isOnce = options.once !== undefined;
    return await play(io, { told, machines, isOnce, hasFaults: options.faults !== undefined });
  } catch (error) {
    io.complain(`${program}: the demo failed: ${error instanceof Error ? error.message : String(error)}\n`);
    return exitCodes.problems;
  }
}

function machinesOf(text: string | undefined): number {
  if (text === undefined) return USUAL_MACHINES;
  const count = Number(text);
  if (/^\d{1,4}$/.test(text) && count >= 1 && count <= MOST_MACHINES) return count;
  throw new UsageError(`--machines: "${text}" is not a number from 1 to ${MOST_MACHINES}`);
}
