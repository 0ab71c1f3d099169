// SPDX-License-Identifier: Apache-2.0
import { isNotFound, type KindDescriptor, type KubeObject, secret } from "../../../../kube/index.ts";
import { SYSTEM_NAMESPACE } from "../../../names.ts";
import { providerConfigDescriptor } from "../../../provider-config-use.ts";
import type { World } from "../world.ts";
import type { Play, Scenario, Scene } from "./scenario.ts";

/** What machines need and somebody deletes. */
const THINGS = {
  config: {
    kind: providerConfigDescriptor,
    name: "prod",
    reasons: ["ProviderConfigNotFound", "ProviderConfigDeleting"],
  },
  secret: { kind: secret, name: "credentials", reasons: ["SecretNotFound", "CredentialsDeleting"] },
} as const;

/** Longer than anything that failed once is left alone. */
const LATER_MS = 15 * 60_000;

/**
 * Somebody deletes the ProviderConfig, or its Secret. What a machine needs stays until the machine is gone; what is gone is told, and
 * when it is there again everything goes on. `torn`: the finalizers are taken off by force, so that it is gone in any case.
 */
export function thingDeleted(which: keyof typeof THINGS, how: "asked" | "torn"): Scenario {
  return {
    name: `${which}-${how === "asked" ? "deleted" : "torn-out"}`,
    from: "start",
    to: "gone",
    never: ["Failed"],
    async begin(scene) {
      const { kind, name } = THINGS[which];
      const before = await scene.world.client.get<KubeObject>(kind, { namespace: SYSTEM_NAMESPACE, name });
      return playDeleted(scene, { ...THINGS[which], how, before });
    },
  };
}

interface Thing {
  readonly kind: KindDescriptor;
  readonly name: string;
  readonly reasons: readonly string[];
  readonly how: "asked" | "torn";
  readonly before: KubeObject;
}

function playDeleted(scene: Scene, { kind, name, reasons, how, before }: Thing): Play {
  const { world } = scene;
  const { client } = world;
  const key = { namespace: SYSTEM_NAMESPACE, name };
  const isGone = () => !has(world, `${kind.kind} ${SYSTEM_NAMESPACE}/${name}`);
  const putBack = async () => {
    const {
      apiVersion,
      kind: _kind,
      metadata: _metadata,
      status: _status,
      ...rest
    }: KubeObject & { status?: unknown } = before;
    if (isGone()) await client.create(kind, { apiVersion, kind: kind.kind, ...rest, metadata: key });
  };
  let stood: readonly string[] = [];
  let wasDeleting = false;
  return {
    async act() {
      wasDeleting = scene.isDeleting();
      stood = scene.machines().map(({ id }) => id);
      await client.delete(kind, key);
      if (how === "torn")
        await client.mergePatch(kind, key, { metadata: { finalizers: null } }).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
    },
    async afterwards() {
      await world.pass(LATER_MS);
      const standing = new Set(scene.machines().map(({ id }) => id));
      if (!wasDeleting && stood.some((id) => !standing.has(id)))
        scene.blame("leftover", `machine ${stood} is gone because ${name} was deleted`);
      if (isGone()) {
        if (how === "asked" && !wasDeleting && stood.length > 0)
          scene.blame("leftover", `${name} is gone though machine ${stood} needs it`);
        checkTold(scene, reasons);
        return await putBack();
      }
      // It is kept for the machine, and on its way out for ever.
      if (!scene.isDeleting()) {
        if (scene.isRunning()) scene.checkRunning();
        else checkTold(scene, reasons);
      }
      await scene.remove();
    },
    async tidy() {
      await scene.until(`${name} gone or kept by nobody`, () => isGone() || !isKept(world, kind.kind, name));
      await putBack();
    },
  };
}

/** A request that cannot go on says why. */
function checkTold(scene: Scene, reasons: readonly string[]): void {
  if (!scene.isThere()) return;
  const reason = scene.reasonOf("Degraded", "True") ?? scene.reasonOf("Ready", "False");
  if (reason === undefined || !reasons.includes(reason))
    scene.blame("status", `it does not say why it does not go on: ${JSON.stringify(scene.request()?.status)}`);
  if (scene.reasonOf("Ready", "True") !== undefined)
    scene.blame("status", "it is Ready, though nobody can know whether its machine runs");
}

function has(world: World, key: string): boolean {
  return [...world.plane.dump().values()].some(
    ({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}` === key,
  );
}

function isKept(world: World, kind: string, name: string): boolean {
  return [...world.plane.dump().values()].some(
    (object) => object.kind === kind && object.metadata.name === name && (object.metadata.finalizers ?? []).length > 0,
  );
}
