// SPDX-License-Identifier: Apache-2.0
import { type MachineRequest, machineRequest } from "../../../../api/index.ts";
import { namespace as namespaceKind } from "../../../../kube/index.ts";
import { LAUNCH_ANNOTATION, SYSTEM_NAMESPACE } from "../../../names.ts";
import type { World } from "../world.ts";
import type { Play, Scenario, Scene } from "./scenario.ts";

/** How a manifest is copied. */
export interface Copying {
  readonly namespace: string;
  /** Whether the copy asks for a machine of another name. */
  readonly hasOwnName: boolean;
  /** Who is deleted first. */
  readonly endsFirst: "copy" | "original";
}

const LATER_MS = 15 * 60_000;
const COPY = "web-1-copy";

/**
 * Somebody makes another MachineRequest of the manifest of the first, annotations and finalizers included. The copy is told that its
 * identity is another's, gets no machine, and its deletion harms nothing.
 */
export function manifestCopied({ namespace, hasOwnName, endsFirst }: Copying): Scenario {
  const where = namespace === SYSTEM_NAMESPACE ? "" : "-to-another-namespace";
  return {
    name: `manifest-copied${where}${hasOwnName ? "-with-own-name" : ""}${endsFirst === "original" ? "-and-outlives" : ""}`,
    setting: namespace,
    from: "launched",
    to: "released",
    begin: (scene) => playCopied(scene, { namespace, hasOwnName, endsFirst }),
  };
}

async function playCopied(scene: Scene, { namespace, hasOwnName, endsFirst }: Copying): Promise<Play> {
  const { world } = scene;
  const { client } = world;
  if (namespace !== SYSTEM_NAMESPACE) await client.create(namespaceKind, { metadata: { name: namespace } });
  const key = { namespace, name: COPY };
  const endCopy = async () => {
    await client.delete(machineRequest, key);
    await scene.until("the copy gone", () => copyIn(world, namespace) === undefined);
  };
  return {
    async act() {
      const { metadata, spec } = scene.request() ?? {};
      if (metadata?.annotations?.[LAUNCH_ANNOTATION] === undefined || spec === undefined) return false;
      const { annotations, finalizers = [] } = metadata;
      const own = { ...spec, machineName: hasOwnName ? COPY : spec.machineName };
      await client.create(machineRequest, { metadata: { ...key, annotations, finalizers }, spec: own });
      return true;
    },
    async afterwards() {
      const before = scene.machines().find(({ isDeleting }) => !isDeleting);
      const wasDeleting = scene.isDeleting() || !scene.isThere();
      await world.pass(LATER_MS);
      const { failureReason, phase } = copyIn(world, namespace)?.status ?? {};
      if (phase !== "Failed" || failureReason !== "IdentityConflict")
        scene.blame("status", `the copy is ${phase} ${failureReason}, and not told that it is a copy`);
      if (endsFirst === "original") await scene.remove();
      else await endCopy();
      await world.pass(LATER_MS);
      const isUnharmed = scene.machines().some(({ id, isDeleting }) => id === before?.id && !isDeleting);
      if (endsFirst === "copy" && before !== undefined && !wasDeleting && !isUnharmed)
        scene.blame("leftover", "the machine went with a copy of its request");
    },
    async tidy() {
      if (copyIn(world, namespace) !== undefined) await endCopy();
    },
  };
}

function copyIn({ plane }: World, namespace: string): MachineRequest | undefined {
  const type = plane.registry.findKind(machineRequest.group, machineRequest.kind);
  const raw = type === undefined ? undefined : plane.objects.get(type, { namespace, name: COPY });
  return raw === undefined ? undefined : JSON.parse(JSON.stringify(raw));
}
