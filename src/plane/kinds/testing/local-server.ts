// SPDX-License-Identifier: Apache-2.0
import { startCrdController } from "../../crd-controller.ts";
import { createRegistry, type Registry } from "../../registry.ts";
import type { Objects } from "../../rest/objects.ts";
import { createObjects } from "../../rest/verbs.ts";
import { openStore } from "../../store/index.ts";
import type { Clock, ResourceType, Store } from "../../types.ts";
import { bootstrapObjects, builtInTypes } from "../index.ts";

/** A store with the objects of a fresh server, and the verbs on it. */
export interface LocalServer {
  readonly store: Store;
  readonly registry: Registry;
  readonly objects: Objects;
  /** A type by group and plural: `secrets`, `leases.coordination.k8s.io`. */
  type(resource: string): ResourceType;
  /** Resolves when new definitions are served. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

/** Makes one, in memory, without anything that would clean up. */
export async function localServer(clock: Clock): Promise<LocalServer> {
  const store = openStore({ memory: true });
  const registry = createRegistry(builtInTypes());
  let count = 0;
  const random = {
    uid: () => `00000000-0000-4000-8000-${String(++count).padStart(12, "0")}`,
    suffix: () => String(++count).padStart(5, "0"),
  };
  const objects = createObjects({ store, registry, clock, random, admission: [] });
  const type = (resource: string) => typeOf(registry, resource);
  for (const { group, plural, object } of bootstrapObjects())
    await objects.createObject(type(group === "" ? plural : `${plural}.${group}`), "", object);
  const definitions = startCrdController({ store, registry, clock });
  const stop = async () => {
    definitions.stop();
    await store.close();
  };
  return { store, registry, objects, type, settled: definitions.settled, stop };
}

function typeOf(registry: Registry, resource: string): ResourceType {
  const [plural = "", ...group] = resource.split(".");
  const found = registry.find(group.join("."), "v1", plural);
  if (found === undefined) throw new Error(`no resource ${resource}`);
  return found;
}
