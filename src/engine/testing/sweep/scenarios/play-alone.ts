// SPDX-License-Identifier: Apache-2.0
import type { RunningSimulator } from "../../simulator.ts";
import { parsePlan } from "../life-plan.ts";
import { SCENARIOS } from "./all-scenarios.ts";
import { type PlayOptions, type PlayStory, playScenario } from "./play-scenario.ts";
import { withCallsJudged } from "./sweep-scenarios.ts";

/** Repeats one life as a report names it: `config-deleted infrastructure#7 + kubernetes#12 cut`. Throws where it is something else. */
export async function playAlone<Sim extends RunningSimulator>(
  text: string,
  options: Omit<PlayOptions<Sim>, "scenario" | "at" | "plan" | "model">,
): Promise<PlayStory> {
  const [, name, side, number, faults] =
    /^\s*([\w-]+)\s+(kubernetes|infrastructure)#(\d+)\s*(?:\+(.*))?$/.exec(text) ?? [];
  const scenario = SCENARIOS.find((each) => each.name === name);
  if (scenario === undefined || (side !== "kubernetes" && side !== "infrastructure"))
    throw new Error(`"${text.trim()}" is no life such as "config-deleted infrastructure#7 + kubernetes#12 cut"`);
  const model = await playScenario({ ...options, scenario });
  const plan = faults === undefined ? [] : parsePlan(faults);
  const story = await playScenario({ ...options, scenario, model, plan, at: { side, number: Number(number) } });
  return withCallsJudged(story, model);
}
