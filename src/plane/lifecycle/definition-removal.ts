// SPDX-License-Identifier: Apache-2.0
import { asCrd, storageTypeOf } from "../crd-types.ts";
import { DEFINITION_CLEANUP } from "../kinds/custom-resource-definition.ts";
import { listAt, mapAt, textAt } from "../kinds/rules.ts";
import { storageKey } from "../registry.ts";
import { timeText } from "../rest/machinery.ts";
import type { Entry, KubeObject, ResourceType } from "../types.ts";
import {
  type Controller,
  MANAGER,
  objectKey,
  type Surroundings,
  unlessGone,
  waitsFor,
  withoutFinalizer,
} from "./controller.ts";

/** Deletes the objects of definitions that are deleted, and lets the definitions go after them. */
export function createDefinitionRemoval(surroundings: Surroundings): Controller {
  /** Names of definitions on their way out, by the prefix of their objects' keys. */
  const leaving = new Map<string, string>();
  const clean = (name: string) => surroundings.queue.add(`clean up ${name}`, () => cleanUp(surroundings, name));
  const look = (object: KubeObject, type: ResourceType) => {
    if (isDefinition(type)) {
      if (!waitsFor(object, DEFINITION_CLEANUP)) return;
      const { name = "" } = object.metadata;
      leaving.set(prefixOf(object), name);
      clean(name);
    } else if (leaving.size > 0) {
      const name = leaving.get(`${type.group}/${type.plural}/`);
      if (name !== undefined) clean(name);
    }
  };
  return {
    reset: () => leaving.clear(),
    see: ({ object }, type) => look(object, type),
    observe({ type: what, entry: { object } }, type) {
      if (what === "DELETED" && isDefinition(type)) leaving.delete(prefixOf(object));
      else look(object, type);
    },
  };
}

function isDefinition({ group, plural }: ResourceType): boolean {
  return group === "apiextensions.k8s.io" && plural === "customresourcedefinitions";
}

function prefixOf(crd: KubeObject): string {
  return `${textAt(crd, "spec", "group")}/${textAt(crd, "spec", "names", "plural")}/`;
}

async function cleanUp(surroundings: Surroundings, name: string): Promise<void> {
  const { store, registry } = surroundings;
  const type = registry.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  const entry = type && store.get(storageKey(type, "", name));
  if (type === undefined || entry === undefined || !waitsFor(entry.object, DEFINITION_CLEANUP)) return;
  const finish = (reason: string, message: string) =>
    mark(surroundings, type, { name, status: "False", reason, message, isDone: true });

  if (!isEstablished(entry.object)) return finish("NeverEstablished", "resource was never established");
  const message = "CustomResource deletion is in progress";
  await mark(surroundings, type, { name, status: "True", reason: "InstanceDeletionInProgress", message });
  await removeInstances(surroundings, { crd: entry.object, entries: store.list(prefixOf(entry.object)) });
  if (store.list(prefixOf(entry.object)).length > 0) return;
  await finish("InstanceDeletionCompleted", "removed all instances");
}

function isEstablished(crd: KubeObject): boolean {
  return listAt(crd, "status", "conditions").some(
    (condition) => textAt(condition, "type") === "Established" && textAt(condition, "status") === "True",
  );
}

interface Instances {
  readonly crd: KubeObject;
  readonly entries: readonly Entry[];
}

/** Deletes what is not on its way out yet, through the version it is stored in: that one may be served no more. */
async function removeInstances({ objects }: Surroundings, { crd, entries }: Instances): Promise<void> {
  const type = storageTypeOf(asCrd(crd));
  if (type === undefined) return;
  const waiting = entries.filter(({ object }) => object.metadata.deletionTimestamp === undefined);
  await Promise.all(waiting.map(({ key }) => unlessGone(objects.deleteObject(type, objectKey(key)))));
}

interface Mark {
  readonly name: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
  readonly isDone?: boolean;
}

/** Writes the Terminating condition; with `isDone` the definition may go. */
async function mark(
  { objects, clock }: Surroundings,
  type: ResourceType,
  { name, status, reason, message, isDone = false }: Mark,
): Promise<void> {
  const next = (crd: KubeObject) => {
    const conditions = listAt(crd, "status", "conditions");
    const old = conditions.find((condition) => textAt(condition, "type") === "Terminating");
    if (!isDone && textAt(old, "reason") === reason) return crd;
    const isSame = textAt(old, "status") === status;
    const lastTransitionTime = isSame ? textAt(old, "lastTransitionTime") : timeText(clock.now());
    const condition = { type: "Terminating", status, lastTransitionTime, reason, message };
    const others = conditions.filter((one) => one !== old);
    const marked = { ...crd, status: { ...mapAt(crd, "status"), conditions: [...others, condition] } };
    return isDone ? withoutFinalizer(marked, DEFINITION_CLEANUP) : marked;
  };
  const options = { manager: MANAGER, subresource: "status" };
  await unlessGone(objects.updateObject(type, { namespace: "", name }, next, options));
}
