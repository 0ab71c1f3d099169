// SPDX-License-Identifier: Apache-2.0
import type { Simulator } from "../../engine/testing/simulator.ts";
import { startHarvester } from "./simulator/start.ts";
import type { HarvesterOptions, HarvesterSimulation } from "./simulator/types.ts";

export type { HarvesterOptions, HarvesterSimulation, ImageWish, QuotaWish } from "./simulator/types.ts";
export type { WatchEnd } from "./simulator/watch-streams.ts";
export type { HarvesterVersion } from "./simulator/world.ts";

/**
 * Simulates a Harvester: a Kubernetes API with the kinds of KubeVirt, Longhorn and Harvester, and controllers that do to them
 * what the real ones do, at the real pace or faster. Everything in it follows the clock and the numbers it is given.
 */
export const harvesterSimulator = {
  name: "harvester",
  start: (options: HarvesterOptions): Promise<HarvesterSimulation> => startHarvester(options),
} satisfies Simulator;
