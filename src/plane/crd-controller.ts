// SPDX-License-Identifier: Apache-2.0
import { acceptNames, hasItsNames } from "./crd-names.ts";
import { asCrd, type CrdCondition, type CustomResourceDefinition, typesOf } from "./crd-types.ts";
import { type Registry, storageKey, storagePrefix } from "./registry.ts";
import { timeText } from "./rest/machinery.ts";
import { atRevision } from "./rest/metadata.ts";
import type { Clock, ResourceType, Store } from "./types.ts";

/** Serves custom resources as long as their definitions are there. */
export interface CrdController {
  /** Resolves when every definition has the conditions it should have. */
  settled(): Promise<void>;
  stop(): void;
}

interface CrdControllerOptions {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
}

/**
 * Keeps the registry's custom types what the stored definitions say, from the very commit that brings or takes one, and
 * writes the conditions that tell clients so.
 */
export function startCrdController({ store, registry, clock }: CrdControllerOptions): CrdController {
  const crds = registry.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  if (crds === undefined) return { settled: async () => {}, stop() {} };
  const crdType: ResourceType = crds;
  const prefix = storagePrefix(crdType);
  const served = new Map<string, Served>();
  let seen: readonly unknown[] = [];
  let work: Promise<void> = Promise.resolve();
  let isStopped = false;

  const refresh = () => {
    const entries = store.list(prefix);
    // The list is the same array until something below the prefix is written.
    if (entries === seen) return;
    seen = entries;
    const all = entries.map(({ object }) => asCrd(object));
    if (serve(registry, served, all)) work = work.then(() => writeConditions());
    else if (all.some((crd) => needsConditions(crd, all))) work = work.then(() => writeConditions());
  };

  const writeConditions = async () => {
    for (const { key } of store.list(prefix)) {
      if (isStopped) return;
      const all = () => store.list(prefix).map(({ object }) => asCrd(object));
      const [, , namespace = "", name = ""] = key.split("/");
      if (!needsConditions(asCrd(store.get(key)?.object ?? EMPTY), all())) continue;
      await store.write(storageKey(crdType, namespace, name), (current, revision) => {
        if (current === undefined) return "keep";
        const crd = asCrd(current.object);
        if (!needsConditions(crd, all())) return "keep";
        return { put: atRevision(withConditions(crd, all(), timeText(clock.now())), crdType, revision) };
      });
    }
  };

  const unsubscribe = store.subscribe(refresh);
  refresh();
  return {
    async settled() {
      for (let last: Promise<void> | undefined; last !== work; ) {
        last = work;
        await last;
      }
    },
    stop() {
      isStopped = true;
      unsubscribe();
    },
  };
}

const EMPTY = { apiVersion: "", kind: "", metadata: {}, spec: { names: {} } };

interface Served {
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  readonly types: readonly ResourceType[];
}

/** Brings the registry up to date; types of definitions that did not change stay the very same. */
function serve(registry: Registry, served: Map<string, Served>, all: readonly CustomResourceDefinition[]): boolean {
  const next = new Map<string, Served>();
  for (const crd of all) {
    const { name = "", uid, generation } = crd.metadata;
    if (!isServed(crd, all)) continue;
    const known = served.get(name);
    const isSame = known !== undefined && known.uid === uid && known.generation === generation;
    next.set(name, isSame ? known : { uid, generation, types: typesOf(crd) });
  }
  const isChanged = next.size !== served.size || [...next].some(([name, entry]) => served.get(name) !== entry);
  if (!isChanged) return false;
  served.clear();
  for (const [name, entry] of next) served.set(name, entry);
  registry.setCustomTypes([...served.values()].flatMap(({ types }) => types));
  return true;
}

/** Served from the first moment, unless another definition has the names. */
function isServed(crd: CustomResourceDefinition, all: readonly CustomResourceDefinition[]): boolean {
  if (conditionOf(crd, "Established")?.status === "True") return true;
  return acceptNames(crd, all).namesAccepted.status === "True";
}

function conditionOf({ status }: CustomResourceDefinition, type: string): CrdCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

function needsConditions(crd: CustomResourceDefinition, all: readonly CustomResourceDefinition[]): boolean {
  if (crd.kind === "" || crd.metadata.deletionTimestamp !== undefined) return false;
  const established = conditionOf(crd, "Established");
  const accepted = conditionOf(crd, "NamesAccepted");
  if (hasItsNames(crd) && established?.status === "True" && accepted?.status === "True") return false;
  const { acceptedNames, namesAccepted } = acceptNames(crd, all);
  if (accepted === undefined || established === undefined) return true;
  if (namesAccepted.status === "True" && established.status !== "True") return true;
  return (
    accepted.status !== namesAccepted.status ||
    accepted.reason !== namesAccepted.reason ||
    accepted.message !== namesAccepted.message ||
    JSON.stringify(acceptedNames) !== JSON.stringify(crd.status?.acceptedNames)
  );
}

function withConditions(
  crd: CustomResourceDefinition,
  all: readonly CustomResourceDefinition[],
  time: string,
): CustomResourceDefinition {
  const { acceptedNames, namesAccepted } = acceptNames(crd, all);
  const before = conditionOf(crd, "Established");
  const established: CrdCondition =
    before?.status === "True"
      ? before
      : namesAccepted.status === "True"
        ? {
            type: "Established",
            status: "True",
            reason: "InitialNamesAccepted",
            message: "the initial names have been accepted",
          }
        : { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" };
  const conditions = [namesAccepted, established].reduce<readonly CrdCondition[]>(
    (list, condition) => setCondition(list, condition, time),
    crd.status?.conditions ?? [],
  );
  return {
    ...crd,
    status: { ...crd.status, conditions, acceptedNames, storedVersions: crd.status?.storedVersions ?? [] },
  };
}

/** The conditions with one set; its time changes only with its status. */
function setCondition(list: readonly CrdCondition[], condition: CrdCondition, time: string): readonly CrdCondition[] {
  const { type, status, reason, message } = condition;
  const old = list.find((one) => one.type === type);
  const lastTransitionTime = old?.status === status ? (old.lastTransitionTime ?? time) : time;
  const next = { type, status, lastTransitionTime, reason: reason ?? "", message: message ?? "" };
  return old === undefined ? [...list, next] : list.map((one) => (one.type === type ? next : one));
}
