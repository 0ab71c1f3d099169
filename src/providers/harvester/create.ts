// SPDX-License-Identifier: Apache-2.0
import type { Created, MachineWant } from "../../engine/provider.ts";
import { ProviderError } from "../../engine/provider-error.ts";
import { type MergePatch, persistentVolumeClaim, type Secret, secret } from "../../kube/index.ts";
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

/**
 * Makes the machine, continues what an interrupted call left behind, or brings labels in line. The machine comes first and its Secret
 * after it: a machine that is somebody else's is met before anything is made, and the Secret belongs to the machine from its first
 * moment on. A machine whose Secret is missing waits for it, and the next call makes it.
 */
export async function createMachine(want: MachineWant, site: Site, requests: Requests): Promise<Created> {
  const creation = { want, site, requests };
  const [problem] = validate(want, site.settings);
  if (problem !== undefined) throw requests.refuse({ kind: "invalid", reason: "InvalidSpec", message: problem });
  const key = { namespace: site.settings.namespace, name: want.name };
  if (want.existing !== undefined) {
    const existing = await requests.get(virtualMachine, key);
    return existing === undefined || existing.metadata.uid !== want.existing ? {} : resume(existing, creation);
  }
  const image = await resolveImage(want.image ?? site.settings.imageName ?? "", site, requests);
  await requireSurroundings(want, { rootClass: image.storageClass, site, requests });
  await refuseGoingClaims(creation);
  const cloudInit = await chooseCloudInit(creation);
  const draft = buildVirtualMachine({ want, settings: site.settings, image, cloudInit });
  const made = await madeNow(() => requests.create(virtualMachine, draft));
  if (made instanceof ProviderError) {
    const there = await requests.get(virtualMachine, key);
    // Gone again meanwhile: the next try makes it.
    if (there === undefined) throw made;
    return resume(there, creation, made.requestId);
  }
  if (usesSecret(made)) await ensureSecret(made, creation);
  const have = machineHave({ vm: made, claims: [], secrets: [], events: [] });
  return have === undefined ? {} : { have };
}

/** What was made; the refusal where something has its name already. */
async function madeNow<T>(create: () => Promise<T>): Promise<T | ProviderError> {
  try {
    return await create();
  } catch (error) {
    if (error instanceof ProviderError && error.code === "AlreadyExists") return error;
    throw error;
  }
}

/** Disks of this very attempt that somebody deletes must be gone first: a machine would be made with them, and lose them. */
async function refuseGoingClaims({ want, site, requests }: Creation): Promise<void> {
  // Where nothing of this machine is in sight there is nothing to wait for.
  if (site.watched.areNone(want.mark)) return;
  const { namespace } = site.settings;
  await Promise.all(
    claimNames(want).map(async (name) => {
      const claim = await requests.get(persistentVolumeClaim, { namespace, name });
      const objection = claim === undefined ? undefined : objectionTo(claim, want.mark);
      if (objection !== undefined) throw requests.refuse(objection);
    }),
  );
}

/** Where user and network data stand: in a Secret, or without the rights for that in the machine. */
async function chooseCloudInit(creation: Creation): Promise<CloudInit | undefined> {
  const { want, site, requests } = creation;
  if (!hasCloudInit(want)) return undefined;
  const missing = await missingSecretRights(creation);
  if (missing.length === 0) return cloudInitBySecret(want);
  const [field] = tooLongInline(want);
  if (field === undefined) return cloudInitInline(want);
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

/** The machine is there: where it is ours, completes its Secret, labels and run strategy. */
async function resume(vm: VirtualMachine, creation: Creation, requestId?: string): Promise<Created> {
  const { want, requests, site } = creation;
  const objection = objectionTo(vm, want.mark);
  if (objection !== undefined) throw requests.refuse({ ...objection, requestId });
  if (usesSecret(vm) && want.existing === undefined && hasCloudInit(want)) await ensureSecret(vm, creation);
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

/** Makes the machine's Secret, or takes the one that is there where it is this machine's. */
async function ensureSecret(vm: VirtualMachine, { want, site, requests }: Creation): Promise<void> {
  const made = await madeNow(() => requests.create(secret, cloudInitSecret(want, vm)));
  if (!(made instanceof ProviderError)) return;
  const there = await requests.get(secret, { namespace: site.settings.namespace, name: cloudInitName(want) });
  if (there === undefined) throw made;
  const objection = objectionTo(there, want.mark);
  if (objection !== undefined) throw requests.refuse({ ...objection, requestId: made.requestId });
  if (!belongsTo(there, vm))
    throw requests.refuse({
      kind: "unavailable",
      reason: "BeingDeleted",
      message: `Secret ${there.metadata.namespace}/${there.metadata.name} is of a machine that somebody removed, and goes with it; it is made anew when it is gone`,
      code: "AlreadyExists",
      requestId: made.requestId,
    });
}

function belongsTo({ metadata: { ownerReferences = [] } }: Secret, vm: VirtualMachine): boolean {
  return ownerReferences.some(({ uid }) => uid === vm.metadata.uid);
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
