// SPDX-License-Identifier: Apache-2.0
import type { MachineHave, Mark } from "../../engine/provider.ts";
import {
  type KubeObject,
  type OwnerReference,
  type PersistentVolumeClaim,
  persistentVolumeClaim,
  secret,
} from "../../kube/index.ts";
import type { Requests } from "./client.ts";
import { type SeenMachine, virtualMachine } from "./kinds.ts";
import { isSameMachine, readMark } from "./mark.ts";
import { ANNOTATIONS, cloudInitName } from "./names.ts";
import { claimsOf, isOwnClaim } from "./own-parts.ts";
import type { Site } from "./site.ts";

/**
 * Starts to delete the machine, or, where that is gone, what it left: disks, then the Secret. Touches only what carries the mark of
 * this very attempt.
 */
export async function deleteMachine(have: MachineHave, site: Site, requests: Requests): Promise<void> {
  const key = { namespace: site.settings.namespace, name: have.name };
  const vm = watchedMachine(have, site) ?? (await requests.get(virtualMachine, key));
  if (vm !== undefined && isOf(vm, have.mark)) {
    // It is on its way; its disks are in use until it is gone.
    if (vm.metadata.deletionTimestamp !== undefined) return;
    await nameClaims(vm, { have, site, requests });
    await requests.delete(virtualMachine, vm);
    return;
  }
  await deleteLeftovers(have, site, requests);
}

/** The very machine that is to go, where the watch shows it: all that is sent about it is bound to its uid. */
function watchedMachine({ mark, providerId }: MachineHave, site: Site): SeenMachine | undefined {
  const vm = site.watched.partsOf(mark)?.vm;
  const isIt = vm?.metadata.uid !== undefined && vm.metadata.uid === providerId;
  return isIt && vm.metadata.deletionTimestamp === undefined ? vm : undefined;
}

interface Deletion {
  readonly have: MachineHave;
  readonly site: Site;
  readonly requests: Requests;
}

/** Tells Harvester which disks go with the machine. Without the right for that they are deleted afterwards, one by one. */
async function nameClaims(vm: SeenMachine, { have, site, requests }: Deletion): Promise<void> {
  const { namespace } = site.settings;
  if (!(await site.may(requests, { kind: virtualMachine, verb: "patch", namespace }))) return;
  const watched = site.watched.partsOf(have.mark)?.claims.filter((claim) => isOf(claim, have.mark));
  const claims = watched ?? (await listClaims(have.mark, site, requests));
  const marked = claims.map(({ metadata }) => metadata.name ?? "");
  const removed = [...marked, ...(await otherClaims(vm, { marked, have, requests }))].sort().join(",");
  if (removed === "" || vm.metadata.annotations?.[ANNOTATIONS.removedClaims] === removed) return;
  const annotations = { [ANNOTATIONS.removedClaims]: removed };
  const metadata = { uid: vm.metadata.uid ?? "", annotations };
  await requests.patch(virtualMachine, { namespace, name: have.name }, { metadata });
}

interface OtherClaims extends Pick<Deletion, "have" | "requests"> {
  readonly marked: readonly string[];
}

/**
 * Disks that were not told of. Those that were filled by a DataVolume, as those of newer image backends are, carry no mark, but belong
 * to the DataVolume that Harvester made for this machine's template.
 */
async function otherClaims(vm: SeenMachine, { marked, have, requests }: OtherClaims): Promise<readonly string[]> {
  const { namespace = "" } = vm.metadata;
  const others: string[] = [];
  for (const name of claimsOf(vm)) {
    if (marked.includes(name)) continue;
    const claim = await requests.get(persistentVolumeClaim, { namespace, name });
    if (claim === undefined) continue;
    const owners = claim.metadata.ownerReferences ?? [];
    const isFilled = readMark(claim) === undefined && owners.some((owner) => isDataVolume(owner, name));
    if (isFilled || isOf(claim, have.mark)) others.push(name);
  }
  return others;
}

function isDataVolume({ kind, name }: OwnerReference, claimName: string): boolean {
  return kind === "DataVolume" && name === claimName;
}

async function deleteLeftovers(have: MachineHave, site: Site, requests: Requests): Promise<void> {
  for (const claim of await listClaims(have.mark, site, requests))
    if (claim.metadata.deletionTimestamp === undefined) await requests.delete(persistentVolumeClaim, claim);
  for (const each of await listSecrets(have, site, requests))
    if (isOf(each, have.mark) && each.metadata.deletionTimestamp === undefined) await requests.delete(secret, each);
}

async function listClaims(mark: Mark, site: Site, requests: Requests): Promise<readonly PersistentVolumeClaim[]> {
  const items = await site.lists.of(persistentVolumeClaim, mark.machineId, requests);
  return items.filter((claim) => isOf(claim, mark) && isOwnClaim(claim, undefined));
}

/** The Secrets that carry the machine's id; where they may not be listed, the one that has the machine's name. */
export async function listSecrets(
  { name, mark }: Pick<MachineHave, "name" | "mark">,
  site: Site,
  requests: Requests,
): Promise<readonly KubeObject[]> {
  const { namespace } = site.settings;
  const may = (verb: string) => site.may(requests, { kind: secret, verb, namespace });
  if (await may("list")) return site.lists.of(secret, mark.machineId, requests);
  if (!(await may("get"))) return [];
  const found = await requests.get(secret, { namespace, name: cloudInitName({ name, mark }) });
  return found === undefined ? [] : [found];
}

function isOf(object: KubeObject, mark: Mark): boolean {
  const own = readMark(object);
  return isSameMachine(own, mark) && own?.attempt === mark.attempt;
}
