// SPDX-License-Identifier: Apache-2.0
import { storagePrefix } from "../registry.ts";
import { timeText } from "../rest/machinery.ts";
import type { KubeObject, OwnerReference } from "../types.ts";
import { MANAGER, type Surroundings } from "./controller.ts";
import { ownerType } from "./owners.ts";

/**
 * Writes an event about an object outside of namespaces that names an owner inside of one. Nothing else happens to it:
 * the reference is a mistake, and nobody can say what was meant.
 */
export async function reportMisplacedOwner(
  { store, registry, objects, clock }: Surroundings,
  object: KubeObject,
): Promise<void> {
  const events = registry.find("", "v1", "events");
  const misplaced = object.metadata.ownerReferences?.find((reference) => {
    const type = ownerType(reference, registry);
    if (type === undefined || !type.namespaced) return false;
    // Only of an owner that is somewhere it can be said that it is not here.
    return store.list(storagePrefix(type)).some((entry) => entry.object.metadata.uid === reference.uid);
  });
  if (events === undefined || misplaced === undefined) return;
  const { name = "", uid = "" } = object.metadata;
  const time = timeText(clock.now());
  const event = {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `${name}.${uid}`, namespace: "default" },
    involvedObject: { kind: object.kind, name, uid, apiVersion: object.apiVersion },
    reason: "OwnerRefInvalidNamespace",
    message: `ownerRef ${referenceText(misplaced)} does not exist in namespace ""`,
    source: { component: "garbage-collector-controller" },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    type: "Warning",
    reportingComponent: "garbage-collector-controller",
  };
  if (objects.get(events, { namespace: "default", name: event.metadata.name }) !== undefined) return;
  await objects.createObject(events, "default", event, { manager: MANAGER });
}

function referenceText({ apiVersion, kind, name, uid }: OwnerReference): string {
  return `[${apiVersion}/${kind}, namespace: , name: ${name}, uid: ${uid}]`;
}
