// SPDX-License-Identifier: Apache-2.0
import type { Problem } from "../../schema/index.ts";
import { deepEqual } from "../../schema/json.ts";
import { labelKeyProblems } from "../../schema/names.ts";
import { index, type Place } from "../../schema/place.ts";
import { at, invalid } from "../../schema/problems.ts";
import { forbidden } from "../status-error.ts";
import type { KubeObject, ResourceType } from "../types.ts";
import { ageColumn, column, nameColumn } from "./columns.ts";
import { list, listBy, named, needed, of, optional, shown, struct, text, time } from "./fields.ts";
import { builtIn } from "./kind.ts";
import {
  createdMetadata,
  field,
  invalidFor,
  labelName,
  listAt,
  mapAt,
  textAt,
  textsAt,
  unqualifiedWords,
  updatedMetadata,
  valueAt,
  within,
} from "./rules.ts";

const CORE = "io.k8s.api.core.v1";
const NAME_LABEL = "kubernetes.io/metadata.name";
const PERMANENT = new Set(["default", "kube-system", "kube-public"]);

const condition = struct(`${CORE}.NamespaceCondition`, "Something that is known of a namespace on its way out.", {
  type: needed(named("v1.NamespaceConditionType"), "What it is about."),
  status: needed(named("v1.ConditionStatus"), "True, False or Unknown."),
  lastTransitionTime: shown(time, "When the status last changed."),
  reason: optional(text, "The reason, as one word."),
  message: optional(text, "The reason, for people."),
});

const spec = struct(`${CORE}.NamespaceSpec`, "What a namespace needs before it may go.", {
  finalizers: optional(
    list(named("v1.FinalizerName")),
    "Who has to empty the namespace before it is removed; changed through the finalize subresource only.",
  ),
});

const status = struct(`${CORE}.NamespaceStatus`, "Where a namespace is in its life.", {
  phase: optional(named("v1.NamespacePhase", ["Active", "Terminating"]), "Active, or Terminating once it is deleted."),
  conditions: optional(listBy("type", of(condition)), "What keeps a deleted namespace from going."),
});

/** Namespaces: the rooms that other objects are in. */
export const namespaces: ResourceType = builtIn({
  group: "",
  kind: "Namespace",
  plural: "namespaces",
  shortNames: ["ns"],
  namespaced: false,
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  hasStatus: true,
  definitions: CORE,
  about: "A room for objects: names are unique within it, and what is in it is deleted with it.",
  fields: {
    spec: shown(of(spec), "What the namespace needs before it may go."),
    status: shown(of(status), "Where the namespace is in its life. Set by the server."),
  },
  setDefaults(object) {
    const name = textAt(object, "metadata", "name");
    if (name !== "") within(within(object, "metadata"), "labels")[NAME_LABEL] = name;
    within(object, "status").phase ||= "Active";
  },
  columns: [
    nameColumn,
    column("Status", "Where the namespace is in its life.", (object) => textAt(object, "status", "phase")),
    ageColumn,
  ],
  selectableFields: [".status.phase"],
  returnsDeletedObject: true,
  subresources: [{ name: "finalize", verbs: ["update"] }],
  behaviour: {
    prepareCreate(object) {
      const finalizers = textsAt(object, "spec", "finalizers");
      const all = finalizers.includes("kubernetes") ? finalizers : [...finalizers, "kubernetes"];
      const metadata = { ...object.metadata, labels: nameLabels(object) };
      return { ...object, metadata, spec: { ...mapAt(object, "spec"), finalizers: all }, status: { phase: "Active" } };
    },
    prepareUpdate: (object, old) => ({
      ...object,
      metadata: { ...object.metadata, labels: nameLabels(object) },
      spec: withFinalizers(object, old),
      ...statusOf(old),
    }),
    prepareStatusUpdate: (object, old) => ({ ...object, spec: old.spec ?? {} }),
    validate: problemsOf,
    prepareDelete: (object) => ({ ...object, status: { ...mapAt(object, "status"), phase: "Terminating" } }),
    holdsDeletion: (object) => listAt(object, "spec", "finalizers").length > 0,
    checkDelete(object) {
      const name = object.metadata.name ?? "";
      if (!PERMANENT.has(name)) return;
      throw forbidden({ group: "", plural: "namespaces" }, name, "this namespace may not be deleted");
    },
  },
});

function nameLabels(object: unknown): Record<string, string> {
  const labels = mapAt(object, "metadata", "labels") as Record<string, string>;
  return { ...labels, [NAME_LABEL]: textAt(object, "metadata", "name") };
}

function withFinalizers(object: KubeObject, old: KubeObject): Record<string, unknown> {
  const { finalizers: _, ...others } = mapAt(object, "spec");
  const finalizers = valueAt(old, "spec", "finalizers");
  return finalizers === undefined ? others : { ...others, finalizers };
}

function statusOf(old: KubeObject): { status?: unknown } {
  return old.status === undefined ? {} : { status: old.status };
}

function problemsOf(object: KubeObject, old: KubeObject | undefined): Problem[] {
  if (old !== undefined && !deepEqual(valueAt(object, "status"), valueAt(old, "status")))
    return [...updatedMetadata(object, old), ...phaseProblems(object)];
  if (old !== undefined && !deepEqual(valueAt(object, "spec"), valueAt(old, "spec")))
    return [
      ...updatedMetadata(object, old),
      ...finalizerProblems(object, (at) => index(field("spec", "finalizers"), at)),
    ];
  const problems = [
    ...createdMetadata(object, labelName),
    ...finalizerProblems(object, () => field("spec", "finalizers")),
  ];
  return old === undefined ? problems : [...problems, ...updatedMetadata(object, old)];
}

function finalizerProblems(object: KubeObject, placeOf: (position: number) => Place): Problem[] {
  return textsAt(object, "spec", "finalizers").flatMap((finalizer, position) => {
    const words = [...labelKeyProblems(finalizer), ...unqualifiedWords(finalizer)];
    return invalidFor(placeOf(position), finalizer, words);
  });
}

function phaseProblems(object: KubeObject): Problem[] {
  const phase = textAt(object, "status", "phase");
  const isDeleted = object.metadata.deletionTimestamp !== undefined;
  const wanted = isDeleted ? "Terminating" : "Active";
  if (phase === wanted) return [];
  const words = `may only be '${wanted}' if \`deletionTimestamp\` is ${isDeleted ? "not " : ""}empty`;
  return [invalid(at(field("status", "Phase")), phase, words)];
}
