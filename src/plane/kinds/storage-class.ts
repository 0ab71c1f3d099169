// SPDX-License-Identifier: Apache-2.0
import type { Json, Problem } from "../../schema/index.ts";
import { deepEqual } from "../../schema/json.ts";
import { subdomainName } from "../../schema/metadata-rules.ts";
import { labelKeyProblems } from "../../schema/names.ts";
import { child, index, type Place } from "../../schema/place.ts";
import { at, duplicate, invalid, notSupported, required, tooLong } from "../../schema/problems.ts";
import type { KubeObject, ResourceType } from "../types.ts";
import { ageColumn, column } from "./columns.ts";
import { boolean, list, map, named, needed, of, optional, pointer, struct, text } from "./fields.ts";
import { builtIn } from "./kind.ts";
import {
  createdMetadata,
  entriesAt,
  field,
  immutable,
  invalidFor,
  listAt,
  textAt,
  textsAt,
  updatedMetadata,
  valueAt,
} from "./rules.ts";

const MAX_PARAMETERS = 512;
const MAX_PARAMETER_BYTES = 256 * 1024;
const DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";
const BETA_DEFAULT_CLASS = "storageclass.beta.kubernetes.io/is-default-class";

const topologyRequirement = struct(
  "io.k8s.api.core.v1.TopologySelectorLabelRequirement",
  "A condition on one label of nodes.",
  {
    key: needed(text, "The label."),
    values: needed(list(text), "The values, of which the node must have one."),
  },
);

const topologyTerm = struct(
  "io.k8s.api.core.v1.TopologySelectorTerm",
  "Selects nodes by their labels.",
  { matchLabelExpressions: optional(list(of(topologyRequirement)), "Conditions, all of which must hold.") },
  { isAtomic: true },
);

/** StorageClasses: the kinds of volumes there are. */
export const storageClasses: ResourceType = builtIn({
  group: "storage.k8s.io",
  kind: "StorageClass",
  plural: "storageclasses",
  shortNames: ["sc"],
  namespaced: false,
  definitions: "io.k8s.api.storage.v1",
  about: "A kind of volume, and who makes such volumes.",
  fields: {
    provisioner: needed(text, "Who makes the volumes. Cannot be changed."),
    parameters: optional(map(text), "Settings for the provisioner. Cannot be changed."),
    reclaimPolicy: pointer(
      named("v1.PersistentVolumeReclaimPolicy", ["Delete", "Recycle", "Retain"]),
      "What becomes of a volume whose claim is deleted: Delete (the default) or Retain.",
    ),
    mountOptions: optional(list(text), "Options for mounting the volumes."),
    allowVolumeExpansion: pointer(boolean, "Whether volumes can grow."),
    volumeBindingMode: pointer(
      named("v1.VolumeBindingMode", ["Immediate", "WaitForFirstConsumer"]),
      "Whether a volume is made at once (the default) or when a pod needs it.",
    ),
    allowedTopologies: optional(list(of(topologyTerm)), "Which nodes the volumes may be for; all when empty."),
  },
  setDefaults(object) {
    object.reclaimPolicy ??= "Delete";
    object.volumeBindingMode ??= "Immediate";
  },
  columns: [
    {
      name: "Name",
      type: "string",
      format: "name",
      description: "Name of the class, and whether it is the default one.",
      priority: 0,
      value: (object) => `${textAt(object, "metadata", "name")}${isDefaultClass(object) ? " (default)" : ""}`,
    },
    column("Provisioner", "Who makes the volumes.", (object) => textAt(object, "provisioner")),
    column(
      "ReclaimPolicy",
      "What becomes of unclaimed volumes.",
      (object) => textAt(object, "reclaimPolicy") || "Delete",
    ),
    column(
      "VolumeBindingMode",
      "When volumes are made.",
      (object) => textAt(object, "volumeBindingMode") || "Immediate",
    ),
    column(
      "AllowVolumeExpansion",
      "Whether volumes can grow.",
      (object) => valueAt(object, "allowVolumeExpansion") === true,
    ),
    ageColumn,
  ],
  returnsDeletedObject: true,
  behaviour: {
    validate: (object, old) =>
      old === undefined ? problemsOf(object) : [...problemsOf(object), ...changeProblems(object, old)],
  },
});

/** Whether claims that name no class get this one. */
export function isDefaultClass(object: KubeObject): boolean {
  const annotations = object.metadata.annotations ?? {};
  return annotations[DEFAULT_CLASS] === "true" || annotations[BETA_DEFAULT_CLASS] === "true";
}

function changeProblems(object: KubeObject, old: KubeObject): Problem[] {
  return [
    ...updatedMetadata(object, old),
    ...immutable(object, old, "parameters"),
    ...immutable(object, old, "provisioner"),
    ...immutable(object, old, "reclaimPolicy"),
    ...immutable(object, old, "volumeBindingMode"),
  ];
}

function problemsOf(object: KubeObject): Problem[] {
  const problems = createdMetadata(object, subdomainName);
  const provisioner = textAt(object, "provisioner");
  if (provisioner === "") problems.push(required(at(field("provisioner"))));
  else {
    const lower = provisioner.toLowerCase();
    problems.push(...invalidFor(field("provisioner"), lower, labelKeyProblems(lower)));
  }
  problems.push(...parameterProblems(object));
  const policy = textAt(object, "reclaimPolicy");
  if (policy !== "" && !["Delete", "Retain"].includes(policy))
    problems.push(notSupported(at(field("reclaimPolicy")), policy, ["Delete", "Retain"]));
  const modes = ["Immediate", "WaitForFirstConsumer"];
  const mode = textAt(object, "volumeBindingMode");
  if (!modes.includes(mode)) problems.push(notSupported(at(field("volumeBindingMode")), mode, modes));
  return [...problems, ...topologyProblems(object)];
}

function parameterProblems(object: KubeObject): Problem[] {
  const place = field("parameters");
  const entries = entriesAt(object, "parameters");
  if (entries.length > MAX_PARAMETERS) return [tooLong(at(place), MAX_PARAMETERS)];
  const problems = entries.some(([name]) => name === "") ? [invalid(at(place), "", "field can not be empty.")] : [];
  const size = entries.reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(String(value)),
    0,
  );
  return size > MAX_PARAMETER_BYTES ? [...problems, tooLong(at(place), MAX_PARAMETER_BYTES)] : problems;
}

function topologyProblems(object: KubeObject): Problem[] {
  const terms: Json[] = [];
  return listAt(object, "allowedTopologies").flatMap((term, position) => {
    const place = child(index(field("allowedTopologies"), position), "matchLabelExpressions");
    const problems = termProblems(term, place);
    const values = Object.fromEntries(
      listAt(term, "matchLabelExpressions").map((item) => [
        textAt(item, "key"),
        [...new Set(textsAt(item, "values"))].sort(),
      ]),
    );
    for (const earlier of terms) if (deepEqual(earlier, values)) problems.push(duplicate(at(place), ""));
    terms.push(values);
    return problems;
  });
}

function termProblems(term: Json, place: Place): Problem[] {
  const keys = new Set<string>();
  return listAt(term, "matchLabelExpressions").flatMap((item, position) => {
    const where = index(place, position);
    const values = textsAt(item, "values");
    const name = textAt(item, "key");
    const problems = values.length === 0 ? [required(at(child(where, "values")))] : [];
    for (const [valueAtPosition, value] of values.entries())
      if (values.indexOf(value) < valueAtPosition)
        problems.push(duplicate(at(index(child(where, "values"), valueAtPosition)), value));
    problems.push(...invalidFor(child(where, "key"), name, labelKeyProblems(name)));
    if (keys.has(name)) problems.push(duplicate(at(child(where, "key")), name));
    keys.add(name);
    return problems;
  });
}
