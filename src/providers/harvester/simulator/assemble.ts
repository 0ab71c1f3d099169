// SPDX-License-Identifier: Apache-2.0
import { type Plane, startPlane } from "../../../plane/plane.ts";
import type { KubeObject } from "../../../plane/types.ts";
import { admission } from "./admission.ts";
import { type Change, type Changes, followChanges, keyOf } from "./changes.ts";
import { imagePlan } from "./images.ts";
import { kind, serveKinds } from "./kinds.ts";
import { claimsOf } from "./machine-view.ts";
import { textAt } from "./read.ts";
import { createReferences } from "./references.ts";
import { createStepper, type Stepper } from "./steps.ts";
import type { HarvesterOptions } from "./types.ts";
import { machinePlan } from "./vm-controller.ts";
import { claimPlan } from "./volumes.ts";
import { createSerialQueue } from "./work-queue.ts";
import { createWorld, type Knobs, type World } from "./world.ts";

/** A plane with the kinds, webhooks and controllers of a Harvester, and nothing in it. */
export interface Assembly {
  readonly plane: Plane;
  readonly world: World;
  readonly stepper: Stepper;
  /** Has every machine, claim and image looked at, after something changed that is no object. */
  lookAtAll(): void;
  /** Resolves when nothing is left to do but to wait for the clock. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

/** Puts it together and starts it. */
export async function assemble(options: HarvesterOptions): Promise<Assembly> {
  const { clock, random, pace = 1, harvester: version = "1.4" } = options;
  const references = createReferences();
  const faults: unknown[] = [];
  const queue = createSerialQueue((error) => faults.push(error));
  const knobs: Knobs = {
    hasRoom: true,
    isApiUp: true,
    isHarvesterUp: true,
    isUpgrading: false,
    holdsAddresses: false,
  };
  const parts: { world?: World; stepper?: Stepper } = {};
  const world = () => parts.world ?? missing();
  const changes = followChanges(
    () => plane.objects,
    (change) => dispatch(change, { world: world(), stepper: parts.stepper ?? missing() }),
  );
  const plane: Plane = await startPlane({
    memory: true,
    listen: false,
    clock,
    random,
    admission: [...admission(world), changes.notice],
    onFault: (error) => faults.push(error),
  });
  const unserve = serveKinds(plane.registry);
  parts.world = createWorld({
    version,
    knobs,
    clock,
    random,
    pace,
    changes,
    references,
    queue,
    objects: plane.objects,
  });
  const stepper = createStepper(parts.world, { machine: machinePlan, claim: claimPlan, image: imagePlan });
  parts.stepper = stepper;
  return {
    plane,
    world: parts.world,
    stepper,
    lookAtAll() {
      for (const vm of changes.list("vm")) lookAt(stepper, "machine", vm);
      for (const claim of changes.list("claim")) lookAt(stepper, "claim", claim);
      for (const image of changes.list("image")) lookAt(stepper, "image", image);
    },
    async settled() {
      await settle(plane, changes, queue);
      // What goes wrong in here is a mistake of the simulation's and must not pass for the infrastructure's.
      if (faults.length > 0)
        throw new AggregateError(faults.splice(0), "the simulated Harvester had a fault of its own");
    },
    async stop() {
      stepper.stop();
      queue.stop();
      unserve();
      await queue.idle();
      await plane.stop();
    },
  };
}

function missing(): never {
  throw new Error("the simulation is not put together yet");
}

async function settle(plane: Plane, changes: Changes, queue: World["queue"]): Promise<void> {
  for (let count = -1; count !== changes.count || !queue.isIdle; ) {
    count = changes.count;
    await changes.told();
    await queue.idle();
    await plane.settled();
    await plane.objects.updateObject(kind("namespace"), { namespace: "", name: "default" }, (current) => current);
    await changes.told();
  }
}

interface Followers {
  readonly world: World;
  readonly stepper: Stepper;
}

/** Has everything looked at that a change may matter to. */
function dispatch({ kind: name, key, object, previous }: Change, { world, stepper }: Followers): void {
  const { references, changes } = world;
  switch (name) {
    case "vm":
    case "vmi":
      references.note(name, key, object);
      stepper.look("machine", key);
      if (object !== undefined || previous === undefined) return;
      for (const claim of claimsOf(previous)) stepper.look("claim", claim);
      // Its place is free now.
      if ((changes.tally("vmi", phaseOf).get("Scheduling") ?? 0) === 0) return;
      for (const vmi of changes.list("vmi")) if (phaseOf(vmi) === "Scheduling") lookAt(stepper, "machine", vmi);
      return;
    case "claim":
      stepper.look("claim", key);
      for (const user of references.users("claim", key)) stepper.look("machine", user);
      return;
    case "secret":
    case "network":
      for (const user of references.users(name, key)) stepper.look("machine", user);
      return;
    case "image":
      stepper.look("image", key);
      for (const vm of changes.list("vm")) lookAt(stepper, "machine", vm);
      return;
    case "storageClass":
      for (const claim of changes.list("claim")) lookAt(stepper, "claim", claim);
      return;
    case "quota":
    case "node":
      for (const vm of changes.list("vm")) lookAt(stepper, "machine", vm);
      return;
  }
}

function phaseOf(vmi: KubeObject): string {
  return textAt(vmi, "status", "phase");
}

function lookAt(stepper: Stepper, plan: string, object: KubeObject): void {
  stepper.look(plan, keyOf(object));
}
