// SPDX-License-Identifier: Apache-2.0
import type { LifeStory } from "./life.ts";
import { planText } from "./life-plan.ts";
import { pointText } from "./traffic.ts";

/** A whole life for people who look for what went wrong in it: what was sent, what was logged, what the oracle saw. */
export function storyText({ plan, seed, points, lines, violations, missed, simulatedMs }: LifeStory): string {
  return [
    `life: ${planText(plan)}, seed ${seed}, ${Math.round(simulatedMs / 1000)} simulated seconds`,
    ...points.map(pointText),
    ...lines.map((line) => line.trimEnd()),
    ...missed.map((incident) => `never came: ${planText([incident])}`),
    ...violations.map(({ kind, text }) => `VIOLATION ${kind}: ${text}`),
  ].join("\n");
}
