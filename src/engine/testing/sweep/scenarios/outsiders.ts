// SPDX-License-Identifier: Apache-2.0
import { machineRequest } from "../../../../api/index.ts";
import { ANNOTATIONS } from "../../../identity.ts";
import { SYSTEM_NAMESPACE } from "../../../names.ts";
import type { Scenario, Scene } from "./scenario.ts";

/** Longer than Butler waits for anything that it could not explain. */
const LATER_MS = 5 * 60_000;
/** Longer than a machine may take to come up. */
const TIMEOUT_MS = 25 * 60_000;

/** Asks for a machine that was lost or has failed to be made anew. */
export async function askAgain({ world, name }: Scene): Promise<void> {
  const annotations = { [ANNOTATIONS.retry]: "now" };
  await world.client.mergePatch(machineRequest, { namespace: SYSTEM_NAMESPACE, name }, { metadata: { annotations } });
}

/** Somebody deletes the machine on the infrastructure. It is reported as lost, and made anew only when that is asked for. */
export const outsiderDeletes: Scenario = {
  name: "outsider-deletes",
  from: "exists",
  to: "leaving",
  never: ["Unknown"],
  mostEver: 2,
  begin(scene) {
    let wasRecorded = false;
    return {
      async act() {
        const { world, name } = scene;
        if (!scene.machines().some((each) => each.name === name && !each.isDeleting)) return false;
        wasRecorded = scene.request()?.status?.providerID !== undefined;
        await world.sim.removeMachine(name);
        return true;
      },
      async afterwards() {
        if (!scene.isThere() || scene.isDeleting()) return;
        await scene.world.pass(LATER_MS);
        const { phase, failureReason } = scene.request()?.status ?? {};
        const isLost = phase === "Failed" && failureReason === "VMLost";
        // One that nobody has ever seen is simply made again.
        if (!isLost && (wasRecorded || phase !== "Running"))
          return scene.blame("status", `the loss is not told: ${JSON.stringify(scene.request()?.status)}`);
        if (!isLost) return;
        if (scene.machines().length > 0) scene.blame("duplicate", "a lost machine was made anew unasked");
        await askAgain(scene);
      },
    };
  },
};

/** Somebody stops the machine on the infrastructure. That is told, nothing is done about it, and it can be deleted. */
export const outsiderStops: Scenario = {
  name: "outsider-stops",
  from: "exists",
  to: "leaving",
  never: ["Unknown"],
  begin: (scene) => ({
    async act() {
      const { world, name } = scene;
      if (!scene.machines().some((each) => each.name === name && !each.isDeleting)) return false;
      await world.sim.stopMachine(name);
      return true;
    },
    async afterwards() {
      if (!scene.isThere() || scene.isDeleting()) return;
      await scene.world.pass(TIMEOUT_MS);
      const [machine, ...more] = scene.machines();
      if (machine === undefined || more.length > 0 || machine.isRunning)
        scene.blame("status", `a stopped machine was meddled with: ${JSON.stringify(scene.machines())}`);
      if (scene.reasonOf("Ready", "True") !== undefined)
        scene.blame("status", `a stopped machine is told to run: ${JSON.stringify(scene.request()?.status)}`);
      if (scene.reasonOf("Degraded", "True") === undefined)
        scene.blame("status", `it does not say what is wrong: ${JSON.stringify(scene.request()?.status)}`);
      await scene.remove();
    },
  }),
};
