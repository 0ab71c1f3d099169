// SPDX-License-Identifier: Apache-2.0
import { SYSTEM_NAMESPACE } from "../../../names.ts";
import { providerConfigDescriptor } from "../../../provider-config-use.ts";
import type { SimulatedAccess } from "../../simulator.ts";
import type { Play, Scenario, Scene } from "./scenario.ts";

const LATER_MS = 15 * 60_000;

/**
 * The ProviderConfig is made to lead to another place. A machine that was launched before stays where it is and is told to be out of
 * reach, also when it is to be deleted; one that was not is made at the new place. When it leads back everything goes on.
 */
export function configRepointed({ isDeletedMeanwhile }: { readonly isDeletedMeanwhile: boolean }): Scenario {
  return {
    name: isDeletedMeanwhile ? "config-repointed-and-request-deleted" : "config-repointed",
    setting: "elsewhere",
    from: "start",
    to: "gone",
    needs: "elsewhere",
    // A launch that nothing has come of yet fails for it.
    never: [],
    async begin(scene) {
      return playRepointed(scene, { elsewhere: await scene.elsewhere(), isDeletedMeanwhile });
    },
  };
}

interface Repointing {
  readonly elsewhere: SimulatedAccess;
  readonly isDeletedMeanwhile: boolean;
}

function playRepointed(scene: Scene, { elsewhere, isDeletedMeanwhile }: Repointing): Play {
  const { world } = scene;
  const pointTo = async ({ settings }: SimulatedAccess) => {
    const key = { namespace: SYSTEM_NAMESPACE, name: "prod" };
    await world.client.mergePatch(providerConfigDescriptor, key, { spec: { [world.entry.name]: settings } });
  };
  let stood: readonly string[] = [];
  let wasDeleting = false;
  return {
    async act() {
      stood = scene.machines().map(({ id }) => id);
      wasDeleting = scene.isDeleting();
      await pointTo(elsewhere);
      return undefined;
    },
    async afterwards() {
      await world.pass(LATER_MS);
      const standing = () => scene.machines().map(({ id }) => id);
      if (isDeletedMeanwhile) await scene.remove();
      if (isDeletedMeanwhile) await world.pass(LATER_MS);
      const [machine] = stood;
      if (machine !== undefined && !wasDeleting && !standing().includes(machine))
        scene.blame("leftover", `machine ${machine} is gone though nobody could reach it`);
      if (machine !== undefined && !wasDeleting && !scene.isThere())
        scene.blame("leftover", `the request was let go of, and ${machine} was not`);
      const isOutOfReach = scene.reasonOf("Degraded", "True") === "ProviderConfigPointsElsewhere";
      if (scene.request()?.status?.phase === "Failed" && !isOutOfReach)
        scene.blame("status", `it failed for another reason: ${JSON.stringify(scene.request()?.status)}`);
      if (machine !== undefined && scene.isThere() && !wasDeleting && !isOutOfReach)
        scene.blame("status", `nobody says that it is out of reach: ${JSON.stringify(scene.request()?.status)}`);
      // What was launched at the new place is out of reach from the old one.
      if (scene.isThere() && isOutOfReach) await pointTo(world.access);
    },
    tidy: () => pointTo(world.access),
  };
}
