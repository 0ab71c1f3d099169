// SPDX-License-Identifier: Apache-2.0
import type { KubeObject, ResourceType } from "../types.ts";
import { claimProblems, claimWarnings, STORAGE_CLASS_ANNOTATION } from "./claim-rules.ts";
import { ageColumn, column, nameColumn } from "./columns.ts";
import {
  list,
  listBy,
  map,
  named,
  needed,
  nullable,
  of,
  optional,
  pointer,
  quantity,
  shown,
  struct,
  text,
  time,
} from "./fields.ts";
import { builtIn } from "./kind.ts";
import { labelSelector } from "./metadata.ts";
import { mapAt, textAt, textsAt, valueAt, within } from "./rules.ts";

const CORE = "io.k8s.api.core.v1";

/** Keeps a claim until nobody uses it; the claim's controller takes it away. */
export const CLAIM_PROTECTION = "kubernetes.io/pvc-protection";

const MODES = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const SHORT_MODES = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;
const amounts = map(quantity, { go: "v1.ResourceList" });

const localReference = struct(
  `${CORE}.TypedLocalObjectReference`,
  "Names an object in the same namespace.",
  {
    apiGroup: nullable(text, "Group of the object; the core group when left out."),
    kind: needed(text, "Kind of the object."),
    name: needed(text, "Name of the object."),
  },
  { isAtomic: true },
);

const reference = struct(`${CORE}.TypedObjectReference`, "Names an object, maybe in another namespace.", {
  apiGroup: nullable(text, "Group of the object; the core group when left out."),
  kind: needed(text, "Kind of the object."),
  name: needed(text, "Name of the object."),
  namespace: pointer(text, "Namespace of the object; this one when left out."),
});

const resources = struct(`${CORE}.VolumeResourceRequirements`, "How large a volume is to be.", {
  limits: optional(amounts, "The most it may have."),
  requests: optional(amounts, "The least it must have."),
});

const spec = struct(`${CORE}.PersistentVolumeClaimSpec`, "What volume is wanted.", {
  accessModes: optional(list(named("v1.PersistentVolumeAccessMode", MODES)), "How the volume is to be used."),
  selector: pointer(of(labelSelector), "Which volumes come into question."),
  resources: shown(of(resources), "How large it is to be."),
  volumeName: optional(text, "The volume that this claim got."),
  storageClassName: pointer(text, "The StorageClass of the volume."),
  volumeMode: pointer(
    named("v1.PersistentVolumeMode", ["Block", "Filesystem"]),
    "Whether the volume has a file system (the default) or is a bare block device.",
  ),
  dataSource: pointer(of(localReference), "What the volume is filled from: a snapshot or another claim."),
  dataSourceRef: pointer(of(reference), "What the volume is filled from: any object that somebody knows how to read."),
  volumeAttributesClassName: pointer(text, "The VolumeAttributesClass of the volume."),
});

const condition = struct(`${CORE}.PersistentVolumeClaimCondition`, "Something that is known of a claim.", {
  type: needed(named("v1.PersistentVolumeClaimConditionType"), "What it is about."),
  status: needed(named("v1.ConditionStatus"), "True, False or Unknown."),
  lastProbeTime: shown(time, "When it was last looked at."),
  lastTransitionTime: shown(time, "When the status last changed."),
  reason: optional(text, "The reason, as one word."),
  message: optional(text, "The reason, for people."),
});

const modifyStatus = struct(`${CORE}.ModifyVolumeStatus`, "How far a change of the volume's attributes has come.", {
  targetVolumeAttributesClassName: optional(text, "The class that is wanted."),
  status: needed(
    named("v1.PersistentVolumeClaimModifyVolumeStatus", ["InProgress", "Infeasible", "Pending"]),
    "How far it has come.",
  ),
});

const resizeStatus = named("v1.ClaimResourceStatus", [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
]);

const status = struct(`${CORE}.PersistentVolumeClaimStatus`, "What volume there is.", {
  phase: optional(named("v1.PersistentVolumeClaimPhase", ["Bound", "Lost", "Pending"]), "Pending, Bound or Lost."),
  accessModes: optional(list(named("v1.PersistentVolumeAccessMode", MODES)), "How the volume can be used."),
  capacity: optional(amounts, "How large the volume is."),
  conditions: optional(listBy("type", of(condition)), "What is known of the claim."),
  allocatedResources: optional(amounts, "How large the volume is to be while it is resized."),
  allocatedResourceStatuses: optional(
    map(resizeStatus, { go: "map[v1.ResourceName]v1.ClaimResourceStatus", isGranular: true }),
    "How far resizing has come.",
  ),
  currentVolumeAttributesClassName: pointer(text, "The VolumeAttributesClass that the volume has."),
  modifyVolumeStatus: pointer(of(modifyStatus), "How far a change of attributes has come."),
});

/** PersistentVolumeClaims: wishes for storage, kept as plain objects. */
export const persistentVolumeClaims: ResourceType = builtIn({
  group: "",
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
  shortNames: ["pvc"],
  namespaced: true,
  hasStatus: true,
  definitions: CORE,
  about: "A wish for storage, and the volume that fulfils it.",
  fields: {
    spec: shown(of(spec), "What volume is wanted. Hardly anything of it can be changed."),
    status: shown(of(status), "What volume there is."),
  },
  setDefaults(object) {
    within(object, "status").phase ||= "Pending";
    within(object, "spec").volumeMode ??= "Filesystem";
  },
  columns: [
    nameColumn,
    column("Status", "Whether there is a volume.", (claim) =>
      claim.metadata.deletionTimestamp === undefined ? textAt(claim, "status", "phase") : "Terminating",
    ),
    column("Volume", "Name of the volume.", (claim) => textAt(claim, "spec", "volumeName")),
    column("Capacity", "Size of the volume.", (claim) =>
      isBound(claim) ? textAt(claim, "status", "capacity", "storage") || "0" : "",
    ),
    column("Access Modes", "How the volume can be used.", (claim) => (isBound(claim) ? modesText(claim) : "")),
    column("StorageClass", "StorageClass of the volume.", className),
    column("VolumeAttributesClass", "VolumeAttributesClass of the volume.", (claim) =>
      String(valueAt(claim, "spec", "volumeAttributesClassName") ?? "<unset>"),
    ),
    ageColumn,
    column("VolumeMode", "Whether it has a file system.", (claim) => textAt(claim, "spec", "volumeMode") || "<unset>", {
      isWide: true,
    }),
  ],
  returnsDeletedObject: true,
  behaviour: {
    prepareCreate: (claim) =>
      withSources({ ...claim, metadata: withProtection(claim), status: { phase: "Pending" } }, undefined),
    prepareUpdate: (claim, old) => withSources({ ...claim, status: old.status ?? { phase: "Pending" } }, old),
    prepareStatusUpdate: (claim, old) => ({ ...claim, spec: old.spec ?? {} }),
    validate: claimProblems,
    warnings: claimWarnings,
  },
});

function isBound(claim: KubeObject): boolean {
  return textAt(claim, "spec", "volumeName") !== "";
}

function modesText(claim: KubeObject): string {
  const modes = textsAt(claim, "status", "accessModes");
  return SHORT_MODES.filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(",");
}

function className(claim: KubeObject): string {
  const annotated = claim.metadata.annotations?.[STORAGE_CLASS_ANNOTATION];
  return annotated ?? textAt(claim, "spec", "storageClassName");
}

function withProtection({ metadata }: KubeObject): KubeObject["metadata"] {
  const finalizers = metadata.finalizers ?? [];
  return finalizers.includes(CLAIM_PROTECTION)
    ? metadata
    : { ...metadata, finalizers: [...finalizers, CLAIM_PROTECTION] };
}

/** The old and the new field for data sources say the same, and what the old one never meant is dropped. */
function withSources(claim: KubeObject, old: KubeObject | undefined): KubeObject {
  const { dataSource, dataSourceRef: given, ...others } = mapAt(claim, "spec");
  const hadSource = valueAt(old, "spec", "dataSource") !== undefined;
  const hadRef = valueAt(old, "spec", "dataSourceRef") !== undefined;
  // References into other namespaces need a feature that is off.
  const ref = textAt(given, "namespace") !== "" && !hadRef ? undefined : given;
  const source = hadSource || hadRef || ref !== undefined || isOldSource(dataSource) ? dataSource : undefined;
  const { namespace: _, ...local } = mapAt(ref);
  const isRemote = textAt(ref, "namespace") !== "";
  const bothSource = source ?? (ref === undefined || isRemote ? undefined : local);
  const bothRef = ref ?? source;
  return {
    ...claim,
    spec: {
      ...others,
      ...(bothSource === undefined ? {} : { dataSource: bothSource }),
      ...(bothRef === undefined ? {} : { dataSourceRef: bothRef }),
    },
  };
}

function isOldSource(source: unknown): boolean {
  const kind = textAt(source, "kind");
  const group = textAt(source, "apiGroup");
  return (
    (kind === "PersistentVolumeClaim" && group === "") ||
    (kind === "VolumeSnapshot" && group === "snapshot.storage.k8s.io")
  );
}
