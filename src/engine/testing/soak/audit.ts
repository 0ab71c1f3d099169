// SPDX-License-Identifier: Apache-2.0
import type { MachineRequest } from "../../../api/index.ts";
import type { SimulatedMachine } from "../simulator.ts";
import { liesAbout } from "../sweep/oracle.ts";
import type { World } from "../sweep/world.ts";
import { readyReason } from "./outsider.ts";
import type { Population } from "./population.ts";

/** Compares what requests say with what there is. Machines have the names of their requests. */
export interface Audit {
  /** Every machine that ever was, as far as anybody looked. */
  readonly machinesEver: number;
  /** At any moment: is there a machine too many? Gives what is wrong. */
  glance(): readonly string[];
  /**
   * At rest: has every request exactly one machine that runs, or a reason why not that is so; is every request gone that was deleted?
   * Gives what is wrong, and how many requests have which reason.
   */
  inspect(): { readonly wrongs: readonly string[]; readonly reasons: ReadonlyMap<string, number> };
}

/** Looks at the world's complete state. */
export function createAudit(world: World, population: Population): Audit {
  const ever = new Set<string>();
  const machines = () => {
    const all = world.sim.machines();
    for (const { id } of all) ever.add(id);
    return all;
  };
  return {
    get machinesEver() {
      return ever.size;
    },
    glance() {
      const all = machines();
      const { names, leaving } = population;
      return all
        .filter(({ name }) => !names.has(name) && !leaving.has(name))
        .map(({ name, id }) => `machine ${name} ${id} is nobody's`);
    },
    inspect() {
      const byName = Map.groupBy(machines(), ({ name }) => name);
      const reasons = new Map<string, number>();
      const wrongs = [...population.leaving].map(
        (name) => `${name} was deleted and is still there: ${JSON.stringify(world.requestNow(name)?.status)}`,
      );
      for (const name of population.names) {
        const request = world.requestNow(name);
        if (request === undefined) {
          wrongs.push(`${name} is gone though nobody has deleted it`);
          continue;
        }
        const { reason, lies } = explain(request, byName.get(name) ?? []);
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
        for (const lie of lies) wrongs.push(`${name}: ${lie}: ${JSON.stringify(request.status)}`);
      }
      return { wrongs, reasons };
    },
  };
}

/** Why a request is as it is, and what of that is not so. */
function explain(
  request: MachineRequest,
  machines: readonly SimulatedMachine[],
): { readonly reason: string; readonly lies: readonly string[] } {
  const { status } = request;
  const [machine] = machines;
  if (machines.length > 1) return { reason: "twice", lies: [`it has ${machines.length} machines`] };
  if (status?.phase === "Failed" && status.failureReason === "VMLost")
    return { reason: "VMLost", lies: machine === undefined ? [] : ["its machine is there"] };
  if (machine === undefined) return { reason: "missing", lies: ["it has no machine"] };
  if (readyReason(request) === "VMStopped")
    return { reason: "VMStopped", lies: machine.isRunning ? ["its machine runs"] : [] };
  return { reason: "VMRunning", lies: liesAbout(machine, request) };
}
