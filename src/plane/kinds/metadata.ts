// SPDX-License-Identifier: Apache-2.0
import {
  anything,
  boolean,
  int64,
  list,
  listBy,
  map,
  named,
  needed,
  of,
  optional,
  pointer,
  set,
  struct,
  text,
  time,
} from "./fields.ts";

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";

const ownerReference = struct(
  `${META}.OwnerReference`,
  "Another object without which this one need not exist.",
  {
    apiVersion: needed(text, "Group and version of the owner."),
    kind: needed(text, "Kind of the owner."),
    name: needed(text, "Name of the owner, which is in the same namespace or in none."),
    uid: needed(named("types.UID"), "Identity of the owner: another object of the same name is not meant."),
    controller: pointer(boolean, "Whether the owner is the one that manages this object. At most one is."),
    blockOwnerDeletion: pointer(
      boolean,
      "Whether a foreground deletion of the owner waits for this object to be gone.",
    ),
  },
  { isAtomic: true },
);

const managedFieldsEntry = struct(`${META}.ManagedFieldsEntry`, "The fields that one manager has set.", {
  manager: optional(text, "Who set the fields."),
  operation: optional(named("v1.ManagedFieldsOperationType"), "How they were set: Apply or Update."),
  apiVersion: optional(text, "The version in which the fields are named."),
  time: pointer(time, "When the set of fields last changed."),
  fieldsType: optional(text, "The format of fieldsV1; FieldsV1 is the only one."),
  fieldsV1: pointer(anything, "The fields, as a tree."),
  subresource: optional(text, "The subresource through which they were set."),
});

/** The metadata that every object has. */
export const objectMeta = struct(`${META}.ObjectMeta`, "What is known of every object, whatever its kind.", {
  name: optional(text, "Unique within the kind and namespace. Cannot be changed."),
  generateName: optional(text, "A prefix: where no name is given, the server appends a random suffix to it."),
  namespace: optional(text, "The namespace the object is in. Cannot be changed."),
  selfLink: optional(text, "No longer filled in."),
  uid: optional(named("types.UID"), "Unique over all objects and all time. Set by the server."),
  resourceVersion: optional(
    text,
    "Changes with every write; sent back with an update, it guards against lost updates.",
  ),
  generation: optional(int64, "Grows with every change of what is wanted. Set by the server."),
  creationTimestamp: optional(time, "When the object was created. Set by the server."),
  deletionTimestamp: pointer(time, "When deletion was asked for; the object goes once its finalizers are gone."),
  deletionGracePeriodSeconds: pointer(int64, "How long the object may take to end by itself."),
  labels: optional(map(text), "Short values by which objects are selected."),
  annotations: optional(map(text), "Values of any form, for tools."),
  ownerReferences: optional(
    listBy("uid", of(ownerReference)),
    "The objects this one belongs to. When all are gone, it is deleted.",
  ),
  finalizers: optional(set(text), "Who has to do something before the object may go; each removes its own entry."),
  managedFields: optional(list(of(managedFieldsEntry)), "Who set which field. Kept by the server."),
});

const labelSelectorRequirement = struct(`${META}.LabelSelectorRequirement`, "A condition on one label.", {
  key: needed(text, "The label."),
  operator: needed(named("v1.LabelSelectorOperator"), "In, NotIn, Exists or DoesNotExist."),
  values: optional(list(text), "The values for In and NotIn."),
});

/** Selects objects by their labels; all conditions must hold. */
export const labelSelector = struct(
  `${META}.LabelSelector`,
  "Selects objects by their labels. All conditions must hold; without any, everything is selected.",
  {
    matchLabels: optional(map(text), "Labels that must have exactly these values."),
    matchExpressions: optional(list(of(labelSelectorRequirement)), "Further conditions on labels."),
  },
  { isAtomic: true },
);

/** One condition of a review's label selector. */
export const selectorRequirement = labelSelectorRequirement;

/** One condition of a review's field selector. */
export const fieldSelectorRequirement = struct(`${META}.FieldSelectorRequirement`, "A condition on one field.", {
  key: needed(text, "The field."),
  operator: needed(named("v1.FieldSelectorOperator"), "In, NotIn, Exists or DoesNotExist."),
  values: optional(list(text), "The values for In and NotIn."),
});

/** Names another object, or a part of it. */
export const objectReference = struct(
  "io.k8s.api.core.v1.ObjectReference",
  "Names another object, or a part of it.",
  {
    kind: optional(text, "Kind of the object."),
    namespace: optional(text, "Namespace of the object."),
    name: optional(text, "Name of the object."),
    uid: optional(named("types.UID"), "Identity of the object."),
    apiVersion: optional(text, "Group and version of the object."),
    resourceVersion: optional(text, "The version of the object that is meant, if a certain one is."),
    fieldPath: optional(text, "The part of the object that is meant, such as spec.containers{name}."),
  },
  { isAtomic: true },
);
