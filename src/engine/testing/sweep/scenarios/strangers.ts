// SPDX-License-Identifier: Apache-2.0
import type { World } from "../world.ts";
import type { Play, Scenario, Scene } from "./scenario.ts";

/** A stranger's machine is up by then. */
const UP_MS = 3 * 60_000;
/** Longer than what is `invalid` is left alone. */
const LATER_MS = 15 * 60_000;

/** A machine of our name that is not ours, watched for being touched. */
function createStranger({ world, name, blame }: Scene) {
  const { sim } = world;
  let id: string | undefined;
  let isThere = false;
  let isComing = false;
  let asItWas = "";
  const keys = createKeys(world, { isThere: () => isThere, isComing: () => isComing });
  const own = () => [...sim.state()].filter(([key]) => keys.has(key));
  const isIt = (machine: { readonly id: string }) => machine.id === id;
  return {
    isIt,
    mayDiffer: (key: string) => keys.has(key),
    get isThere() {
      return id !== undefined;
    },
    /** Does nothing where somebody has the name already. */
    async add(): Promise<boolean> {
      const before = new Set(sim.machines().map((each) => each.id));
      isComing = true;
      await sim.addStranger(name);
      keys.look();
      isComing = false;
      id = sim.machines().find((each) => !before.has(each.id))?.id;
      isThere = id !== undefined;
      return isThere;
    },
    /** It is what it should be from here on. */
    settle(): void {
      keys.look();
      asItWas = JSON.stringify(own());
    },
    check(): void {
      if (!sim.machines().some(isIt)) blame("leftover", "a stranger's machine was deleted");
      else if (JSON.stringify(own()) !== asItWas)
        blame("leftover", `a stranger's machine was changed: ${asItWas} became ${JSON.stringify(own())}`);
    },
    async remove(): Promise<void> {
      isThere = false;
      await sim.removeMachine(name);
    },
  };
}

/** When something that comes may be the stranger's. */
interface Presence {
  /** It is there, and what nobody wrote comes of it: its disk, its address. */
  readonly isThere: () => boolean;
  /** It is being made at this moment. */
  readonly isComing: () => boolean;
}

/** The keys of what is the stranger's on the infrastructure: never of anything that came with a write of a manager. */
function createKeys({ sim, onStill, onServed }: World, { isThere, isComing }: Presence) {
  const keys = new Set<string>();
  let known: ReadonlySet<string> = new Set(sim.state().keys());
  const look = (isWritten = false) => {
    const now = new Set(sim.state().keys());
    for (const key of keys) if (!now.has(key)) keys.delete(key);
    const isTheirs = isComing() || (isThere() && !isWritten);
    for (const key of now) if (isTheirs && !known.has(key)) keys.add(key);
    known = now;
  };
  onStill(() => look());
  onServed((side, { method }) => {
    if (side === "infrastructure") look(method !== "GET");
  });
  return { has: (key: string) => keys.has(key), look: () => look() };
}

/**
 * A stranger has the machine's name before ours is made. The request says so, the stranger is never touched, and as soon as the name is
 * free the machine is made; or the request is deleted, and leaves nothing but the stranger.
 */
export function strangerBefore({ isRemoved }: { readonly isRemoved: boolean }): Scenario {
  return {
    name: isRemoved ? "stranger-before-who-goes" : "stranger-before-who-stays",
    from: "start",
    to: "exists",
    never: ["Unknown"],
    begin: (scene) => playBefore(scene, isRemoved),
  };
}

function playBefore(scene: Scene, isRemoved: boolean): Play {
  const { world } = scene;
  const stranger = createStranger(scene);
  return {
    isStranger: stranger.isIt,
    mayDiffer: stranger.mayDiffer,
    act: () => stranger.add(),
    async afterwards() {
      await world.pass(UP_MS);
      const isConflict = () => scene.request()?.status?.failureReason === "NameConflict";
      await scene.until("NameConflict", isConflict);
      await world.pass(LATER_MS);
      stranger.settle();
      await world.pass(LATER_MS);
      if (!isConflict()) scene.blame("status", `no conflict any more: ${JSON.stringify(scene.request()?.status)}`);
      if (scene.machines().length > 0) scene.blame("duplicate", "a machine was made though its name is taken");
      stranger.check();
      if (isRemoved) return await stranger.remove();
      await scene.remove();
      await scene.until("gone", () => !scene.isThere());
      await world.pass(LATER_MS);
      stranger.check();
    },
  };
}

/** A stranger takes the name as soon as our machine has left it. It is never touched, and holds nothing up. */
export const strangerAfter: Scenario = {
  name: "stranger-after",
  from: "deleted",
  to: "gone",
  begin(scene) {
    const { world } = scene;
    const stranger = createStranger(scene);
    let isTrying = false;
    let wasThere = false;
    let isActed = false;
    const tryIt = async () => {
      wasThere ||= scene.isThere();
      const isLeaving = wasThere && (scene.isDeleting() || !scene.isThere());
      if (stranger.isThere || isTrying || !isActed || !isLeaving) return;
      isTrying = true;
      await stranger.add();
      isTrying = false;
    };
    world.onStill(() => void tryIt());
    return {
      isStranger: stranger.isIt,
      mayDiffer: stranger.mayDiffer,
      async act() {
        isActed = true;
        await tryIt();
      },
      async afterwards() {
        await scene.until("there", () => wasThere);
        await scene.remove();
        await scene.until("gone", () => !scene.isThere());
        await world.pass(UP_MS);
        if (!stranger.isThere) return scene.blame("stuck", "no stranger came");
        stranger.settle();
        await world.pass(LATER_MS);
        stranger.check();
      },
    };
  },
};
