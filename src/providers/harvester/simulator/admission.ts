// SPDX-License-Identifier: Apache-2.0
import type { AdmissionAnswer, AdmissionFunction, AdmissionReview } from "../../../plane/rest/machinery.ts";
import { forbidden } from "../../../plane/status-error.ts";
import type { ResourceType } from "../../../plane/types.ts";
import { claimDeletionRefusals, claimRefusals, filledIn, machineRefusals } from "./harvester-webhook.ts";
import { type KindName, kind } from "./kinds.ts";
import { kubevirtRefusals } from "./kubevirt-webhook.ts";
import { amountAt, CLAIM_PROTECTION, hasFinalizer, isDeleting, withFinalizer } from "./machine-view.ts";
import { at, mapAt, textAt } from "./read.ts";
import { denied, HARVESTER_WEBHOOK, KUBEVIRT_WEBHOOK, type Refusal, webhookUnreachable } from "./refuse.ts";
import { CONTROLLER, type World } from "./world.ts";

/** Kinds that Harvester has webhooks for. Secrets are not among them. */
const WITH_WEBHOOK: readonly KindName[] = ["vm", "vmi", "claim", "image", "network"];
const PLANE_ITSELF = "system:apiserver";

/** The webhooks and quotas of a Harvester. Its own parts pass them, except for what protects claims in use. */
export function admission(world: () => World): readonly AdmissionFunction[] {
  return [
    (review) => {
      const { type, user, subresource } = review;
      if (user.name === PLANE_ITSELF) return is(type, "claim") ? protect(world(), review) : undefined;
      if (user.name === CONTROLLER.name || subresource !== "") return undefined;
      if (world().knobs.isUpgrading && WITH_WEBHOOK.some((name) => is(type, name))) throw webhookUnreachable();
      if (review.operation === "CREATE") checkCounts(world(), review);
      if (is(type, "vm")) return admitMachine(world(), review);
      if (is(type, "claim")) admitClaim(world(), review);
      return undefined;
    },
  ];
}

function is({ group, plural }: ResourceType, name: KindName): boolean {
  const known = kind(name);
  return known.group === group && known.plural === plural;
}

function refuse(webhook: string, refusals: readonly Refusal[]): void {
  if (refusals.length > 0) throw denied(webhook, refusals);
}

function admitMachine(world: World, { object }: AdmissionReview): AdmissionAnswer | undefined {
  // Whatever is on its way out may be changed freely: its finalizers must be able to go.
  if (object === undefined || isDeleting(object)) return undefined;
  if (at(object.spec, "template", "spec", "domain") === undefined) {
    refuse(KUBEVIRT_WEBHOOK, at(object.spec, "template") === undefined ? kubevirtRefusals(object) : []);
    return undefined;
  }
  const filled = filledIn(object);
  refuse(KUBEVIRT_WEBHOOK, kubevirtRefusals(filled));
  refuse(HARVESTER_WEBHOOK, machineRefusals(world, filled));
  return { object: filled };
}

function admitClaim(world: World, { operation, object, old }: AdmissionReview): void {
  if (operation === "CREATE" && object !== undefined) refuse(HARVESTER_WEBHOOK, claimRefusals(world, object));
  if (operation === "DELETE" && old !== undefined) refuse(HARVESTER_WEBHOOK, claimDeletionRefusals(world, old));
}

/** The plane knows no pods and lets every deleted claim go at once; one that a machine mounts stays. */
function protect(
  world: World,
  { operation, namespace, name, object, old }: AdmissionReview,
): AdmissionAnswer | undefined {
  if (operation !== "UPDATE" || object === undefined || old === undefined) return undefined;
  if (!hasFinalizer(old, CLAIM_PROTECTION) || hasFinalizer(object, CLAIM_PROTECTION)) return undefined;
  if (world.references.users("claim", `${namespace}/${name}`).length === 0) return undefined;
  return { object: withFinalizer(object, CLAIM_PROTECTION) };
}

/** How many there may be, by the quotas of the namespace: refused with the API server's own words. */
function checkCounts(world: World, { type, namespace, name }: AdmissionReview): void {
  const { group, plural } = type;
  const counted = group === "" ? [plural, `count/${plural}`] : [`count/${plural}.${group}`];
  for (const quota of world.changes.list("quota")) {
    if (quota.metadata.namespace !== namespace) continue;
    for (const item of counted) {
      if (mapAt(quota, "spec", "hard")[item] === undefined) continue;
      const used = countOf(world, type, namespace);
      if (used + 1 <= amountAt(quota, "spec", "hard", item)) continue;
      const limited = textAt(quota, "spec", "hard", item);
      const why = `requested: ${item}=1, used: ${item}=${used}, limited: ${item}=${limited}`;
      throw forbidden(type, name, `exceeded quota: ${quota.metadata.name}, ${why}`);
    }
  }
}

function countOf(world: World, type: ResourceType, namespace: string): number {
  const names: readonly KindName[] = ["vm", "claim", "secret"];
  const known = names.find((name) => is(type, name));
  if (known === undefined) return 0;
  return world.changes.list(known).filter(({ metadata }) => metadata.namespace === namespace).length;
}
