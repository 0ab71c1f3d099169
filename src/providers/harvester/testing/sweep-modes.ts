// SPDX-License-Identifier: Apache-2.0
import { NETWORK_DATA_CANARY, type Point, type SweepOptions } from "../../../engine/testing/index.ts";
import { provider } from "../index.ts";
import { harvesterBlock } from "../settings.ts";
import type { HarvesterSimulation } from "../simulator.ts";

/** The rights that Butler may have been given on Harvester: all that the readme asks for, or those of the older controller alone. */
export const SWEEP_MODES = {
  full: { mayBeOld },
  basic: { mayBeOld, access: (sim) => sim.basicAccess },
} as const satisfies Readonly<Record<string, SweepOptions<HarvesterSimulation>>>;

/** The name of one. */
export type SweepMode = keyof typeof SWEEP_MODES;

/** In what a life is repeated, by the word that reports put before it: over sockets it has all rights. */
export const REPLAY_MODES = {
  ...SWEEP_MODES,
  sockets: { usesSockets: true },
} as const satisfies Readonly<Record<string, SweepOptions<HarvesterSimulation>>>;

/** A life to repeat alone. */
export interface Replay {
  readonly mode: string;
  readonly options: SweepOptions<HarvesterSimulation>;
  /** As plans and scenarios are written. */
  readonly life: string;
}

/** Reads a life as a report has it: `basic: infrastructure#7 cut`; with all rights where no mode is told. Throws where there is no such mode. */
export function parseReplay(text: string): Replay {
  const [, mode = "full", life = ""] = /^(?:(\w+):)?(.*)$/.exec(text) ?? [];
  const modes: Readonly<Record<string, SweepOptions<HarvesterSimulation>>> = REPLAY_MODES;
  const options = modes[mode];
  if (options === undefined) throw new Error(`there is no mode "${mode}"`);
  return { mode, options, life: life.trim() };
}

/** The lists that watches begin with, as they come from a server that is behind: the watch then tells what came after them. */
function mayBeOld({ path }: Point): boolean {
  return path.includes("installation%3D");
}

/** Harvester, as the list of providers has it. */
export const sweptEntry = { ...harvesterBlock, load: async () => ({ provider }) };

/** A machine of as many parts as one has: two disks, user data and network data. */
export const SWEPT_SPEC = {
  extraDisks: [{ sizeGB: 5 }],
  networkData: `version: 2\nethernets:\n  enp1s0:\n    dhcp4: true\n# ${NETWORK_DATA_CANARY}\n`,
};
