// SPDX-License-Identifier: Apache-2.0
import type { Found, MachineHave, MachineWant } from "../../engine/provider.ts";
import { type CoreEvent, coreEvent, type KubeObject, persistentVolumeClaim } from "../../kube/index.ts";
import type { Requests } from "./client.ts";
import { listSecrets } from "./delete.ts";
import { type VirtualMachine, virtualMachine, virtualMachineInstance } from "./kinds.ts";
import { type MachineParts, machineHave } from "./machine-have.ts";
import { isSameMachine, readMark, strangerOf } from "./mark.ts";
import { isOwnClaim } from "./own-parts.ts";
import type { Site } from "./site.ts";

/** Looks for the machine by its id, whatever its name is by now, for all its parts, and for whoever has its name. */
export async function findMachine(want: MachineWant, site: Site, requests: Requests): Promise<Found> {
  const { namespace } = site.settings;
  const { mark, name } = want;
  const { machineId } = mark;
  const isOurs = (object: KubeObject) => isSameMachine(readMark(object), mark);
  const [vms, instances, claims, secrets] = await Promise.all([
    site.lists.of(virtualMachine, machineId, requests),
    site.lists.of(virtualMachineInstance, machineId, requests).then((items) => items.filter(isOurs)),
    site.lists.of(persistentVolumeClaim, machineId, requests).then((items) => items.filter(isOurs)),
    listSecrets(want, site, requests).then((items) => items.filter(isOurs)),
  ]);
  const vm = byName(vms.filter(isOurs), name);
  const holder = byExactName(vms, name) ?? (await requests.get(virtualMachine, { namespace, name }));
  const others = [...vms, ...(holder === undefined ? [] : [holder])].filter((each) => !isOurs(each));
  const instanceName = vm?.metadata.name;
  const own = claims.filter((claim) => isOwnClaim(claim, vm));
  const parts: MachineParts = {
    vm,
    instance: instanceName === undefined ? instances.find(isNobodysIn(others)) : byExactName(instances, instanceName),
    claims: own,
    secrets,
    events: [],
  };
  const unbound = own.filter(({ status }) => status?.phase !== "Bound");
  const have = await withEvents(parts, { unbound, site, requests });
  const other = holder !== undefined && !isOurs(holder) ? holder : vms.find((each) => !isOurs(each));
  return {
    ...(have === undefined ? {} : { have }),
    ...(other === undefined ? {} : { stranger: strangerOf(other) }),
  };
}

/** An instance is called like its machine. That of a machine that somebody made as a copy of ours has our whole mark. */
function isNobodysIn(others: readonly KubeObject[]) {
  return ({ metadata }: KubeObject) => byExactName(others, metadata.name ?? "") === undefined;
}

function byExactName<T extends KubeObject>(objects: readonly T[], name: string): T | undefined {
  return objects.find(({ metadata }) => metadata.name === name);
}

/** The one that has the wanted name now; else one that had it before the request was edited. */
function byName(vms: readonly VirtualMachine[], name: string): VirtualMachine | undefined {
  return byExactName(vms, name) ?? vms[0];
}

interface Search {
  /** Claims of it that have no disk yet. */
  readonly unbound: readonly KubeObject[];
  readonly site: Site;
  readonly requests: Requests;
}

/** A machine that does not come up and does not say why may have an event that does. */
async function withEvents(parts: MachineParts, { unbound, site, requests }: Search): Promise<MachineHave | undefined> {
  const have = machineHave(parts);
  if (have?.state !== "pending" || have.trouble !== undefined) return have;
  const { namespace } = site.settings;
  if (!(await site.may(requests, { kind: coreEvent, verb: "list", namespace }))) return have;
  const names = [have.name, ...unbound.map(({ metadata }) => metadata.name ?? "")];
  const uids = new Set([parts.vm, parts.instance, ...unbound].map((object) => object?.metadata.uid));
  const events: CoreEvent[] = [];
  for (const name of names) {
    const fieldSelector = `involvedObject.name=${name},type=Warning`;
    const { items } = await requests.list(coreEvent, { namespace, fieldSelector });
    // Namesakes of the past have events too.
    events.push(...items.filter(({ involvedObject }) => uids.has(involvedObject.uid)));
  }
  return machineHave({ ...parts, events });
}
