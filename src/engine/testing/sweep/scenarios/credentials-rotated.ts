// SPDX-License-Identifier: Apache-2.0
import { secret } from "../../../../kube/index.ts";
import { SYSTEM_NAMESPACE } from "../../../names.ts";
import type { SimulatedAccess } from "../../simulator.ts";
import type { Scenario, Scene } from "./scenario.ts";

/**
 * New credentials are put into the Secret and the old ones are refused from the same moment, or from a while before. Nothing comes of
 * it but a wait.
 */
export function credentialsRotated({ lateMs }: { readonly lateMs: number }): Scenario {
  return {
    name: lateMs === 0 ? "credentials-rotated" : "credentials-expired-then-rotated",
    from: "start",
    to: "gone",
    needs: "rotate",
    // Longer than that nobody knows whether a machine runs.
    never: lateMs === 0 ? ["Failed", "Unknown"] : ["Failed"],
    begin: (scene) => ({
      mayDiffer: (key) => key === `Secret ${SYSTEM_NAMESPACE}/credentials`,
      async act() {
        const access = scene.rotate();
        scene.secrets.push(access);
        if (lateMs === 0) await write(scene, access);
        else scene.world.clock.after(lateMs, () => void write(scene, access));
      },
      async afterwards() {
        await scene.world.pass(lateMs);
      },
    }),
  };
}

async function write({ world }: Scene, { secret: text }: SimulatedAccess): Promise<void> {
  const data = Object.fromEntries(
    Object.entries(text).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
  );
  await world.client.mergePatch(secret, { namespace: SYSTEM_NAMESPACE, name: "credentials" }, { data });
}
