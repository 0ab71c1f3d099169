// SPDX-License-Identifier: Apache-2.0
import { machineRequest } from "../../../../api/index.ts";
import { SYSTEM_NAMESPACE } from "../../../names.ts";
import type { World } from "../world.ts";
import type { Play, Scenario, Scene } from "./scenario.ts";

/** Longer than what is `invalid` is left alone. */
const LATER_MS = 15 * 60_000;

/**
 * Two Kubernetes with Butler share an infrastructure and know nothing of each other, not even that their requests are named alike. One
 * machine is made for each, or the later one is told that its name is taken until it is not. Neither touches the other's.
 */
export function twoInstallations({ isSameName }: { readonly isSameName: boolean }): Scenario {
  return {
    name: isSameName ? "two-installations-one-name" : "two-installations",
    setting: "beside",
    from: "start",
    to: "gone",
    never: isSameName ? ["Unknown"] : ["Failed", "Unknown"],
    mostEver: 3,
    standsKills: false,
    async begin(scene) {
      return playTwo(scene, { other: await scene.another(), name: isSameName ? scene.name : "web-2" });
    },
  };
}

function playTwo(scene: Scene, { other, name }: { readonly other: World; readonly name: string }): Play {
  const { world } = scene;
  const theirs = () => other.requestNow(name);
  const isRunning = () => theirs()?.status?.phase === "Running";
  const idOf = (request: ReturnType<typeof theirs>) => request?.status?.providerID;
  const endTheirs = async () => {
    await other.client.delete(machineRequest, { namespace: SYSTEM_NAMESPACE, name });
    await scene.until("the other's gone", () => theirs() === undefined);
  };
  const isStanding = (id: string | undefined) => scene.machines().some((each) => each.id === id && !each.isDeleting);
  return {
    async start() {
      world.startManager();
      other.startManager();
    },
    most: () => [scene.request(), theirs()].filter((request) => request !== undefined).length,
    async act() {
      await other.request(name);
      return undefined;
    },
    async afterwards() {
      await world.pass(LATER_MS);
      const wasTheirs = isRunning();
      if (!wasTheirs && theirs()?.status?.failureReason !== "NameConflict")
        scene.blame("status", `the other's: ${JSON.stringify(theirs()?.status)}`);
      if (wasTheirs && !isStanding(idOf(theirs())))
        scene.blame("status", "the other's machine is told to run and is not there");
      if (scene.request()?.status?.phase === "Failed") await endTheirs();
    },
    async tidy() {
      if (theirs() === undefined) return;
      const id = idOf(theirs());
      await scene.until("the other's Running", isRunning);
      await world.pass(LATER_MS);
      if (id !== undefined && !isStanding(id)) scene.blame("leftover", "the other's machine went with ours");
      await endTheirs();
    },
  };
}
