// SPDX-License-Identifier: Apache-2.0
import { type MachineRequest, machineRequest } from "../../../api/index.ts";
import { ANNOTATIONS } from "../../identity.ts";
import { SYSTEM_NAMESPACE } from "../../names.ts";
import type { World } from "../sweep/world.ts";

/** People who want a number of machines, and change their minds. */
export interface Population {
  /** The requests there are and nobody has deleted. */
  readonly names: ReadonlySet<string>;
  /** Those that were deleted and are not gone yet. */
  readonly leaving: ReadonlySet<string>;
  readonly asked: number;
  readonly deleted: number;
  /** Asks for so many more. Names of requests that are gone are used again. */
  add(count: number): Promise<void>;
  /** Deletes these. */
  remove(names: readonly string[]): Promise<void>;
  /** Has another label on each. */
  relabel(names: readonly string[]): Promise<void>;
  /** Asks to try again. */
  retry(names: readonly string[]): Promise<void>;
  /** So many of those that fit, by chance. */
  some(count: number, fits?: (request: MachineRequest) => boolean): readonly string[];
}

/** Wants nothing yet. */
export function createPopulation(world: World, random: () => number): Population {
  const names = new Set<string>();
  const leaving = new Set<string>();
  let asked = 0;
  let deleted = 0;
  let named = 0;
  const keyOf = (name: string) => ({ namespace: SYSTEM_NAMESPACE, name });
  const newName = () => {
    const free = [...leaving].filter((name) => world.requestNow(name) === undefined);
    for (const name of free) leaving.delete(name);
    spare.push(...free);
    if (spare.length > 20 || (spare.length > 0 && random() < 0.5)) return spare.shift() ?? "";
    named += 1;
    return `vm-${named}`;
  };
  const spare: string[] = [];
  return {
    names,
    get leaving() {
      return new Set([...leaving].filter((name) => world.requestNow(name) !== undefined));
    },
    get asked() {
      return asked;
    },
    get deleted() {
      return deleted;
    },
    async add(count) {
      for (let more = 0; more < count; more += 1) {
        const name = newName();
        await world.request(name);
        names.add(name);
        asked += 1;
      }
    },
    async remove(chosen) {
      for (const name of chosen) {
        await world.client.delete(machineRequest, keyOf(name));
        names.delete(name);
        leaving.add(name);
        deleted += 1;
      }
    },
    async relabel(chosen) {
      const labels = { sweep: `label-${Math.floor(random() * 1_000)}` };
      for (const name of chosen) await world.client.mergePatch(machineRequest, keyOf(name), { spec: { labels } });
    },
    async retry(chosen) {
      const annotations = { [ANNOTATIONS.retry]: "now" };
      for (const name of chosen)
        await world.client.mergePatch(machineRequest, keyOf(name), { metadata: { annotations } });
    },
    some(count, fits = () => true) {
      const rest = [...names];
      const chosen: string[] = [];
      while (chosen.length < count && rest.length > 0) {
        // In place of the one that is taken comes the last: taking it out of the middle would move all others.
        const at = Math.floor(random() * rest.length);
        const name = rest[at] ?? "";
        rest[at] = rest.at(-1) ?? "";
        rest.pop();
        const request = world.requestNow(name);
        if (request !== undefined && fits(request)) chosen.push(name);
      }
      return chosen;
    },
  };
}
