// SPDX-License-Identifier: Apache-2.0
import type { World } from "./world.ts";

/** Something that a controller does next for one object, after a while. */
export interface Step {
  /** The same for the same thing to do, so that it is begun once. */
  readonly name: string;
  readonly afterMs: number;
  /** Done once for as long as it is asked for, such as telling of something. */
  readonly isOnce?: boolean;
  act(): Promise<unknown>;
}

/** Says what there is to do about an object as it is now. Pure. */
export type Plan = (world: World, key: string) => readonly Step[];

/** Has things done that plans ask for. */
export interface Stepper {
  /** Looks at one object soon, and begins what there is to do. What is no longer to be done is called off. */
  look(plan: string, key: string): void;
  /** Calls everything off. */
  stop(): void;
}

/**
 * Begins each step when its plan first asks for it and does it when its time has come, if the plan still asks for it then. All
 * steps are done one after the other, those that are due together in the order of how long they usually take.
 */
export function createStepper(world: World, plans: Readonly<Record<string, Plan>>): Stepper {
  const waits = new Map<string, Map<string, () => void>>();

  const stepsOf = (plan: string, key: string) => (world.knobs.isApiUp ? (plans[plan]?.(world, key) ?? []) : []);
  const look = (plan: string, key: string) => {
    world.queue.add(`look ${plan} ${key}`, () => begin(plan, key));
  };
  const begin = (plan: string, key: string) => {
    const id = `${plan} ${key}`;
    const steps = [...stepsOf(plan, key)].sort((one, other) => one.afterMs - other.afterMs);
    const mine = waits.get(id) ?? new Map<string, () => void>();
    for (const [name, cancel] of mine) {
      if (steps.some((step) => step.name === name)) continue;
      cancel();
      mine.delete(name);
    }
    for (const { name, afterMs } of steps) {
      if (mine.has(name)) continue;
      const delay = world.delay(afterMs);
      const due = () => world.queue.add(`do ${id} ${name}`, () => perform(plan, key, name));
      mine.set(name, delay <= 0 ? () => {} : world.clock.after(delay, due));
      if (delay <= 0) due();
    }
    if (mine.size === 0) waits.delete(id);
    else waits.set(id, mine);
  };
  const perform = async (plan: string, key: string, name: string) => {
    const id = `${plan} ${key}`;
    const mine = waits.get(id);
    if (mine?.has(name) !== true) return;
    const step = stepsOf(plan, key).find((one) => one.name === name);
    if (step?.isOnce === true) mine.set(name, () => {});
    else mine.delete(name);
    await step?.act();
    look(plan, key);
  };

  return {
    look,
    stop() {
      for (const mine of waits.values()) for (const cancel of mine.values()) cancel();
      waits.clear();
    },
  };
}
