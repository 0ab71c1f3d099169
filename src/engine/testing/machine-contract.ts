// SPDX-License-Identifier: Apache-2.0
import { describe, test } from "node:test";
import type { Provider } from "../provider.ts";
import type { MachineRule } from "./contract-rule.ts";
import { type Contestants, onStage } from "./contract-stage.ts";
import { rulesOfErrors } from "./rules-of-errors.ts";
import { rulesOfExistence } from "./rules-of-existence.ts";
import { rulesOfManners } from "./rules-of-manners.ts";
import type { Simulator } from "./simulator.ts";

/** The rules M1 to M13, in order; a rule with several sides stands there several times. */
export const machineRules: readonly MachineRule[] = [...rulesOfExistence, ...rulesOfManners, ...rulesOfErrors].sort(
  (one, other) => Number(one.number.slice(1)) - Number(other.number.slice(1)),
);

/** Plays one rule on a fresh simulator. Throws where the provider breaks it. */
export function playRule(rule: MachineRule, contestants: Contestants): Promise<void> {
  return onStage(contestants, rule.play);
}

/**
 * The whole of a provider's obligatory test: registers the rules M1 to M13 with `node:test`, each by its number, in this process
 * and over real sockets.
 */
export function machineContract(provider: Provider, simulator: Simulator): void {
  for (const overSockets of [false, true])
    describe(`machine contract: ${provider.name}, ${overSockets ? "over sockets" : "in process"}`, () => {
      for (const rule of machineRules)
        test(`${rule.number} ${rule.promise}`, () => playRule(rule, { provider, simulator, overSockets }));
    });
}
