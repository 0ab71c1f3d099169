// SPDX-License-Identifier: Apache-2.0
import type { MachineHave, Mark } from "../../engine/provider.ts";
import type { CoreEvent, KubeObject } from "../../kube/index.ts";
import type { SeenMachine, VirtualMachineInstance } from "./kinds.ts";
import { type MachineParts, machineHave } from "./machine-have.ts";
import { readMark } from "./mark.ts";
import { isOwnClaim } from "./own-parts.ts";
import { isTelling } from "./warnings.ts";

/** The kinds of objects that a machine is put together from. */
export interface Collected {
  readonly vms: SeenMachine;
  readonly instances: VirtualMachineInstance;
  readonly claims: KubeObject;
  readonly secrets: KubeObject;
  readonly events: CoreEvent;
}

export type CollectedName = keyof Collected;

type PartName = Exclude<CollectedName, "events">;

/** Telling events of objects that are not ours, or not yet: more than this is not kept. */
const EVENTS_KEPT = 1000;

/** All objects with the mark of one installation, put together to machines. */
export interface Gathering {
  /** Takes an object as it is now. Returns the keys of the machines that may have changed. */
  put<Name extends CollectedName>(name: Name, object: Collected[Name]): readonly string[];
  remove<Name extends CollectedName>(name: Name, object: Collected[Name]): readonly string[];
  /** One machine, or what remains of it; undefined where nothing does. */
  machine(key: string): MachineHave | undefined;
  /** The parts of the machine with this id and owner; undefined where there are none. */
  parts(mark: Pick<Mark, "machineId" | "owner">): MachineParts | undefined;
  keys(): readonly string[];
}

interface Parts {
  readonly vms: Map<string, SeenMachine>;
  readonly instances: Map<string, VirtualMachineInstance>;
  readonly claims: Map<string, KubeObject>;
  readonly secrets: Map<string, KubeObject>;
}

/** Gathers nothing yet. */
export function createGathering(installation: string): Gathering {
  const machines = new Map<string, Parts>();
  /** The last telling event about each object, by the object's uid. */
  const events = new Map<string, CoreEvent>();
  const keyOfUid = new Map<string, string>();
  const keyOf = (object: KubeObject): string | undefined => {
    const mark = readMark(object);
    // Without an owner it is no machine of ours, but what Harvester's "clone" makes of one: it copies labels, and no annotations.
    return mark?.installation === installation && mark.owner !== "" ? keyText(mark) : undefined;
  };
  /** Whose each virtual machine is, by name. An instance is called like its machine, and that of a clone has our whole mark. */
  const holders = new Map<string, { readonly key: string | undefined; readonly uid: string | undefined }>();
  const ownInstance = ({ instances }: Parts, key: string) => {
    const isAnothers = (name: string) => holders.has(name) && holders.get(name)?.key !== key;
    return [...instances.values()].find((each) => !isAnothers(nameOf(each)));
  };
  const partsAt = (key: string): MachineParts | undefined => {
    const parts = machines.get(key);
    if (parts === undefined) return undefined;
    const [vm] = parts.vms.values();
    const instance = vm === undefined ? ownInstance(parts, key) : parts.instances.get(nameOf(vm));
    const claims = [...parts.claims.values()].filter((claim) => isOwnClaim(claim, vm));
    const subjects = [vm, instance, ...claims];
    return {
      vm,
      instance,
      claims,
      secrets: [...parts.secrets.values()],
      events: events.size === 0 ? [] : subjects.flatMap((object) => events.get(object?.metadata.uid ?? "") ?? []),
    };
  };
  /** Takes an object out of the machine it was a part of. Returns that machine's key. */
  const detach = (name: PartName, object: KubeObject): readonly string[] => {
    const { uid = "" } = object.metadata;
    const key = keyOfUid.get(uid);
    const parts = key === undefined ? undefined : machines.get(key);
    if (key === undefined || parts === undefined) return [];
    keyOfUid.delete(uid);
    const objects = mapOf(parts, name);
    // Another may have its name by now.
    if (objects.get(nameOf(object))?.metadata.uid === uid) objects.delete(nameOf(object));
    if (isEmpty(parts)) machines.delete(key);
    return [key];
  };
  const about = ({ involvedObject: { uid = "" } }: CoreEvent) => {
    const key = keyOfUid.get(uid);
    return key === undefined ? [] : [key];
  };
  const putEvent = (event: CoreEvent) => {
    const { uid = "" } = event.involvedObject;
    if (uid === "" || !isTelling(event)) return [];
    events.delete(uid);
    events.set(uid, event);
    const [oldest] = events.keys();
    if (events.size > EVENTS_KEPT && oldest !== undefined) events.delete(oldest);
    return about(event);
  };
  return {
    put(name, object) {
      if (name === "events") return putEvent(object as CoreEvent);
      const { uid = "" } = object.metadata;
      const key = keyOf(object);
      if (name === "vms") holders.set(nameOf(object), { key, uid });
      // Somebody may have changed its mark.
      const left = keyOfUid.get(uid) === key ? [] : detach(name, object);
      if (key === undefined) return left;
      const parts = machines.get(key) ?? emptyParts();
      machines.set(key, parts);
      mapOf(parts, name).set(nameOf(object), object);
      keyOfUid.set(uid, key);
      return [...left, key];
    },
    remove(name, object) {
      if (name === "vms" && holders.get(nameOf(object))?.uid === object.metadata.uid) holders.delete(nameOf(object));
      if (name !== "events") return detach(name, object);
      events.delete((object as CoreEvent).involvedObject.uid ?? "");
      return about(object as CoreEvent);
    },
    machine(key) {
      const parts = partsAt(key);
      return parts === undefined ? undefined : machineHave(parts);
    },
    parts: (mark) => partsAt(keyText(mark)),
    keys: () => [...machines.keys()],
  };
}

function keyText({ machineId, owner }: Pick<Mark, "machineId" | "owner">): string {
  return `${machineId} ${owner}`;
}

function emptyParts(): Parts {
  return { vms: new Map(), instances: new Map(), claims: new Map(), secrets: new Map() };
}

function isEmpty({ vms, instances, claims, secrets }: Parts): boolean {
  return vms.size + instances.size + claims.size + secrets.size === 0;
}

/** The maps differ only in the type of what they hold, which `put` and `remove` have checked. */
function mapOf(parts: Parts, name: PartName): Map<string, KubeObject> {
  return parts[name] as Map<string, KubeObject>;
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? "";
}
