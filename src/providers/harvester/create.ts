// SPDX-License-Identifier: Apache-2.0
import type { Created, MachineWant } from "../../engine/provider.ts";
import { ProviderError } from "../../engine/provider-error.ts";
import { type KubeObject, type MergePatch, persistentVolumeClaim, type Secret, secret } from "../../kube/index.ts";
import type { Requests } from "./client.ts";
import { cloudInitBySecret, cloudInitInline, cloudInitSecret, hasCloudInit, tooLongInline } from "./cloud-init.ts";
import { resolveImage } from "./image.ts";
import { type CloudInit, type VirtualMachine, virtualMachine, virtualMachineInstance } from "./kinds.ts";
import { machineHave, readLabelNames } from "./machine-have.ts";
import { ANNOTATIONS, cloudInitName } from "./names.ts";
import { objectionTo } from "./ownership.ts";
import { quotaText } from "./printable-status.ts";
import type { Site } from "./site.ts";
import { requireSurroundings } from "./surroundings.ts";
import { validate } from "./validate.ts";
import { buildVirtualMachine, claimNames, labelNames } from "./virtual-machine.ts";

interface Creation {
  readonly want: MachineWant;
  readonly site: Site;
  readonly requests: Requests;
}

/** Makes the machine, continues what an interrupted call left behind, or brings labels in line. */
export async function createMachine(want: MachineWant, site: Site, requests: Requests): Promise<Created> {
  const creation = { want, site, requests };
  const [problem] = validate(want, site.settings);
  if (problem !== undefined) throw requests.refuse({ kind: "invalid", reason: "InvalidSpec", message: problem });
  const key = { namespace: site.settings.namespace, name: want.name };
  const existing = await requests.get(virtualMachine, key);
  if (want.existing !== undefined && existing?.metadata.uid !== want.existing) return {};
  if (existing !== undefined) return resume(existing, creation);
  const image = await resolveImage(want.image ?? site.settings.imageName ?? "", site, requests);
  await requireSurroundings(want, { rootClass: image.storageClass, site, requests });
  await refuseTakenClaims(creation);
  const { cloudInit, stored } = await prepareCloudInit(creation);
  const draft = buildVirtualMachine({ want, settings: site.settings, image, cloudInit });
  const made = await createOrGet(creation, {
    create: () => requests.create(virtualMachine, draft),
    get: () => requests.get(virtualMachine, key),
  });
  if (!made.isNew) return resume(made.object, creation);
  if (stored !== undefined) await adoptSecret(made.object, stored, creation);
  const have = machineHave({ vm: made.object, claims: [], secrets: [], events: [] });
  return have === undefined ? {} : { have };
}

interface Making<T> {
  readonly create: () => Promise<T>;
  readonly get: () => Promise<T | undefined>;
}

/** Makes an object, or takes the one that is there where it is this attempt's: made by an interrupted call, or at the same moment. */
async function createOrGet<T extends KubeObject>(
  { want, requests }: Creation,
  { create, get }: Making<T>,
): Promise<{ readonly object: T; readonly isNew: boolean }> {
  try {
    return { object: await create(), isNew: true };
  } catch (error) {
    if (!(error instanceof ProviderError) || error.code !== "AlreadyExists") throw error;
    const object = await get();
    // Gone again meanwhile: the next try makes it.
    if (object === undefined) throw error;
    const objection = objectionTo(object, want.mark);
    if (objection !== undefined) throw requests.refuse({ ...objection, requestId: error.requestId });
    return { object, isNew: false };
  }
}

/** A disk of that name that is not ours would be used by Harvester without a word, and lost with the machine. */
async function refuseTakenClaims({ want, site, requests }: Creation): Promise<void> {
  const { namespace } = site.settings;
  await Promise.all(
    claimNames(want).map(async (name) => {
      const claim = await requests.get(persistentVolumeClaim, { namespace, name });
      const objection = claim === undefined ? undefined : objectionTo(claim, want.mark);
      if (objection !== undefined) throw requests.refuse(objection);
    }),
  );
}

/** Puts user and network data where the machine will find them: into a Secret, or without the rights for that into the machine. */
async function prepareCloudInit(
  creation: Creation,
): Promise<{ readonly cloudInit: CloudInit | undefined; readonly stored?: Secret }> {
  const { want, site, requests } = creation;
  if (!hasCloudInit(want)) return { cloudInit: undefined };
  const missing = await missingSecretRights(creation);
  if (missing.length === 0)
    return { cloudInit: cloudInitBySecret(want), stored: (await ensureSecret(creation)).object };
  const [field] = tooLongInline(want);
  if (field === undefined) return { cloudInit: cloudInitInline(want) };
  site.forgetRights();
  throw requests.refuse({
    kind: "denied",
    reason: "PermissionMissing",
    code: "Forbidden",
    message: `${field} is longer than 2,048 bytes and must stand in a Secret, but the kubeconfig's user may not ${missing.join(", ")} secrets in namespace "${site.settings.namespace}": grant that right on Harvester, or shorten it`,
  });
}

async function missingSecretRights({ site, requests }: Creation): Promise<readonly string[]> {
  const verbs = ["create", "get", "delete"];
  const { namespace } = site.settings;
  const answers = await Promise.all(verbs.map((verb) => site.may(requests, { kind: secret, verb, namespace })));
  return verbs.filter((_, index) => answers[index] === false);
}

function ensureSecret(creation: Creation): Promise<{ readonly object: Secret; readonly isNew: boolean }> {
  const { want, site, requests } = creation;
  const { namespace } = site.settings;
  return createOrGet(creation, {
    create: () => requests.create(secret, cloudInitSecret(want, namespace)),
    get: () => requests.get(secret, { namespace, name: cloudInitName(want.name) }),
  });
}

/** The machine is there and ours: completes its Secret, labels and run strategy. */
async function resume(vm: VirtualMachine, creation: Creation): Promise<Created> {
  const { want, requests, site } = creation;
  const objection = objectionTo(vm, want.mark);
  if (objection !== undefined) throw requests.refuse(objection);
  if (usesSecret(vm)) await completeSecret(vm, creation);
  const patch = alignment(vm, creation);
  const { namespace } = site.settings;
  const key = { namespace, name: want.name };
  const patched = patch === undefined ? vm : await requests.patch<VirtualMachine>(virtualMachine, key, patch);
  // Gone a moment ago.
  if (patched === undefined && want.existing !== undefined) return {};
  const aligned = patched ?? vm;
  const instance = await requests.get(virtualMachineInstance, key);
  const have = machineHave({ vm: aligned, instance, claims: [], secrets: [], events: [] });
  return have === undefined ? {} : { have };
}

function usesSecret({ spec }: VirtualMachine): boolean {
  return spec.template.spec.volumes.some(
    (volume) =>
      "cloudInitNoCloud" in volume &&
      (volume.cloudInitNoCloud.secretRef ?? volume.cloudInitNoCloud.networkDataSecretRef) !== undefined,
  );
}

async function completeSecret(vm: VirtualMachine, creation: Creation): Promise<void> {
  const { want, site, requests } = creation;
  const key = { namespace: site.settings.namespace, name: cloudInitName(want.name) };
  const found = await requests.get(secret, key);
  const mayMake = want.existing === undefined && hasCloudInit(want);
  const present = found ?? (mayMake ? (await ensureSecret(creation)).object : undefined);
  if (present === undefined || objectionTo(present, want.mark) !== undefined) return;
  if ((present.metadata.ownerReferences ?? []).length === 0) await adoptSecret(vm, present, creation);
}

/** Makes the machine the owner of its Secret, so that both go together whoever deletes the machine. Its mark finds it anyway. */
async function adoptSecret(vm: VirtualMachine, stored: Secret, { site, requests }: Creation): Promise<void> {
  const { namespace } = site.settings;
  if (!(await site.may(requests, { kind: secret, verb: "patch", namespace }))) return;
  const { name = "", uid = "" } = vm.metadata;
  const ownerReferences = [{ apiVersion: "kubevirt.io/v1", kind: virtualMachine.kind, name, uid }];
  const key = { namespace, name: stored.metadata.name ?? "" };
  try {
    // Bound to this very Secret: a patch that arrives late must not give the next attempt's to a machine that is gone.
    await requests.patch<Secret>(secret, key, { metadata: { uid: stored.metadata.uid ?? "", ownerReferences } });
  } catch (error) {
    // The machine is made; that must be told, and the next call tries this again.
    if (!(error instanceof ProviderError)) throw error;
  }
}

/** What has to change for the machine to be as wanted; undefined where nothing has. */
function alignment(vm: VirtualMachine, { want, site }: Creation): MergePatch<VirtualMachine> | undefined {
  const { labels = {}, annotations = {} } = vm.metadata;
  const before = readLabelNames(annotations[ANNOTATIONS.labelNames]);
  const changes: Record<string, string | null> = {};
  for (const name of before) if (!(name in want.labels) && name in labels) changes[name] = null;
  for (const [name, value] of Object.entries(want.labels)) if (labels[name] !== value) changes[name] = value;
  const names = labelNames(want.labels);
  const isQuotaStop = quotaText(vm) !== undefined && vm.spec.runStrategy !== site.settings.runStrategy;
  const isAligned = Object.keys(changes).length === 0 && annotations[ANNOTATIONS.labelNames] === names;
  if (isAligned && !isQuotaStop) return undefined;
  return {
    metadata: {
      uid: vm.metadata.uid ?? "",
      labels: changes,
      annotations: { [ANNOTATIONS.labelNames]: names, ...(isQuotaStop ? { [ANNOTATIONS.quota]: null } : {}) },
    },
    // Harvester switched it off for want of quota and does not switch it on again by itself.
    ...(isQuotaStop ? { spec: { runStrategy: site.settings.runStrategy } } : {}),
  };
}
