// SPDX-License-Identifier: Apache-2.0
import { listAt, mapAt } from "../kinds/rules.ts";
import { storageKey, storagePrefix } from "../registry.ts";
import { timeText } from "../rest/machinery.ts";
import { StatusError } from "../status-error.ts";
import type { Entry, KubeObject, ResourceType } from "../types.ts";
import { type Controller, MANAGER, objectKey, type Surroundings, unlessGone } from "./controller.ts";
import { conditionsFor, type Remains } from "./namespace-conditions.ts";

const FINALIZER = "kubernetes";

/** Empties namespaces that are deleted, tells in their conditions what keeps them, and lets them go once empty. */
export function createNamespaceTermination(surroundings: Surroundings): Controller {
  const terminating = new Set<string>();
  const empty = (name: string) =>
    surroundings.queue.add(`empty namespace ${name}`, () => terminate(surroundings, name));

  const look = (object: KubeObject, type: ResourceType) => {
    if (isNamespace(type)) {
      const { name = "", deletionTimestamp } = object.metadata;
      if (deletionTimestamp === undefined) return;
      terminating.add(name);
      empty(name);
    } else if (terminating.has(object.metadata.namespace ?? "")) empty(object.metadata.namespace ?? "");
  };
  return {
    reset: () => terminating.clear(),
    see: ({ object }, type) => look(object, type),
    observe({ type: what, entry: { object } }, type) {
      if (what === "DELETED" && isNamespace(type)) terminating.delete(object.metadata.name ?? "");
      else look(object, type);
    },
    registryChanged() {
      for (const name of terminating) empty(name);
    },
  };
}

function isNamespace({ group, plural }: ResourceType): boolean {
  return group === "" && plural === "namespaces";
}

async function terminate(surroundings: Surroundings, name: string): Promise<void> {
  const { store, registry, objects, clock } = surroundings;
  const type = registry.find("", "v1", "namespaces");
  const entry = type && store.get(storageKey(type, "", name));
  if (type === undefined || entry === undefined) return;
  if (entry.object.metadata.deletionTimestamp === undefined) return;
  if (!listAt(entry.object, "spec", "finalizers").includes(FINALIZER)) return;

  const remains = await removeContent(surroundings, name);
  const key = { namespace: "", name };
  const withConditions = (namespace: KubeObject) => {
    const conditions = conditionsFor(namespace, remains, timeText(clock.now()));
    if (conditions === listAt(namespace, "status", "conditions")) return namespace;
    return { ...namespace, status: { ...mapAt(namespace, "status"), conditions } };
  };
  await unlessGone(objects.updateObject(type, key, withConditions, { manager: MANAGER, subresource: "status" }));
  if (remains.counts.length > 0) return;
  const withoutFinalizer = (namespace: KubeObject) => ({
    ...namespace,
    spec: { finalizers: listAt(namespace, "spec", "finalizers").filter((finalizer) => finalizer !== FINALIZER) },
  });
  await unlessGone(objects.updateObject(type, key, withoutFinalizer, { manager: MANAGER, subresource: "finalize" }));
}

/** Deletes all that is in a namespace, and tells what is still there. */
async function removeContent(surroundings: Surroundings, namespace: string): Promise<Remains> {
  const { registry, store } = surroundings;
  const types = registry.resources().filter((type) => type.namespaced && type.verbs.includes("delete"));
  const failures: string[] = [];
  const entriesOf = (type: ResourceType) => store.list(`${storagePrefix(type)}${namespace}/`);
  for (const type of types) {
    const failure = await removeAll(surroundings, type, entriesOf(type));
    if (failure !== undefined) failures.push(failure);
  }
  const counts: { type: ResourceType; count: number }[] = [];
  const finalizers = new Map<string, number>();
  for (const type of types) {
    const left = entriesOf(type);
    if (left.length > 0) counts.push({ type, count: left.length });
    for (const { object } of left)
      for (const finalizer of object.metadata.finalizers ?? [])
        finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
  }
  return { counts, finalizers, failures };
}

/** Deletes objects, all at once; the words of the first failure, if there was one. */
async function removeAll(
  { objects }: Surroundings,
  type: ResourceType,
  entries: readonly Entry[],
): Promise<string | undefined> {
  const waiting = entries.filter(({ object }) => object.metadata.deletionTimestamp === undefined);
  const outcomes = await Promise.allSettled(
    waiting.map(({ key }) =>
      unlessGone(objects.deleteObject(type, objectKey(key), { propagationPolicy: "Background" })),
    ),
  );
  for (const outcome of outcomes) {
    if (outcome.status === "fulfilled") continue;
    if (outcome.reason instanceof StatusError) return outcome.reason.message;
    throw outcome.reason;
  }
  return undefined;
}
