// SPDX-License-Identifier: Apache-2.0
import type { RunningSimulator } from "../../src/engine/testing/simulator.ts";
import { type Course, type LifeStory, live } from "../../src/engine/testing/sweep/life.ts";
import {
  type PlayOptions,
  type PlayStory,
  playScenario,
} from "../../src/engine/testing/sweep/scenarios/play-scenario.ts";
import type { Circumstances } from "../../src/engine/testing/sweep/scenarios/scenario.ts";
import type { WorldOptions } from "../../src/engine/testing/sweep/world.ts";
import { harvesterSimulator } from "../../src/providers/harvester/simulator.ts";
import { harvesterCircumstances } from "../../src/providers/harvester/testing/sweep-circumstances.ts";
import { SWEEP_MODES, SWEPT_SPEC, sweptEntry } from "../../src/providers/harvester/testing/sweep-modes.ts";
import type { StageName } from "./mutant.ts";
import { tokenEntry } from "./token-cloud/provider.ts";
import { tokenSimulator } from "./token-cloud/simulator.ts";

/** Where lives are lived, as the sweep lives them there. */
export interface Stage {
  live(course: Omit<Course, "spec">): Promise<LifeStory>;
  play(play: Pick<PlayOptions, "scenario" | "at" | "model">): Promise<PlayStory>;
  /** See `Provider`. */
  visibilityLagMs(): Promise<number>;
}

const seed = 7;
/** Several times what a life does in all: mutants that do the same thing for ever are ended early. */
const mostAtOnce = 1_500;

/** The stage of this name. */
export function stageOf(name: StageName): Stage {
  switch (name) {
    case "harvester":
    case "harvester with basic rights": {
      const isBasic = name !== "harvester";
      const world = { ...SWEEP_MODES[isBasic ? "basic" : "full"], entry: sweptEntry, simulator: harvesterSimulator };
      return stageWith(world, { spec: SWEPT_SPEC, circumstances: harvesterCircumstances({ isBasic }) });
    }
    case "token cloud":
      return stageWith({ entry: tokenEntry, simulator: tokenSimulator }, { spec: {}, circumstances: {} });
  }
}

interface Ways<Sim extends RunningSimulator> {
  readonly spec: object;
  readonly circumstances: Circumstances<Sim>;
}

function stageWith<Sim extends RunningSimulator>(world: WorldOptions<Sim>, { spec, circumstances }: Ways<Sim>): Stage {
  return {
    live: (course) => live({ ...world, ...course, seed, spec, mostAtOnce }),
    play: (play) => playScenario({ ...world, ...play, seed, circumstances, mostAtOnce }),
    async visibilityLagMs() {
      return (await world.entry.load?.())?.provider.visibilityLagMs ?? 0;
    },
  };
}
