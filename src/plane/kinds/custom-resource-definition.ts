// SPDX-License-Identifier: Apache-2.0
import { isObject } from "../../schema/go-text.ts";
import { deepEqual, type MutableObject } from "../../schema/json.ts";
import type { KubeObject, ResourceType } from "../types.ts";
import { createdAtColumn, nameColumn } from "./columns.ts";
import { definitionProblems } from "./definition-rules.ts";
import {
  boolean,
  bytes,
  int32,
  int64,
  list,
  listBy,
  named,
  needed,
  of,
  optional,
  pointer,
  shown,
  struct,
  text,
  time,
} from "./fields.ts";
import { jsonSchemaProps } from "./json-schema-props.ts";
import { builtIn } from "./kind.ts";
import { listAt, mapAt, textAt, textsAt, valueAt, within } from "./rules.ts";

const DEFINITIONS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

/** Keeps a definition until its objects are gone. */
export const DEFINITION_CLEANUP = "customresourcecleanup.apiextensions.k8s.io";

const names = struct(`${DEFINITIONS}.CustomResourceDefinitionNames`, "What a resource is called.", {
  plural: needed(text, "The name in paths."),
  singular: optional(text, "The name for one; the kind in lower case when left out."),
  shortNames: optional(list(text), "Short names for the command line."),
  kind: needed(text, "The kind of one object."),
  listKind: optional(text, "The kind of lists; the kind with List behind it when left out."),
  categories: optional(list(text), "Groups of resources it belongs to, such as all."),
});

const columnDefinition = struct(`${DEFINITIONS}.CustomResourceColumnDefinition`, "A column of kubectl get.", {
  name: needed(text, "The head of the column."),
  type: needed(text, "The type of its cells: string, integer, number, boolean or date."),
  format: optional(text, "The format of its cells."),
  description: optional(text, "What it shows."),
  priority: optional(int32, "0 is always shown, more only by -o wide."),
  jsonPath: needed(text, "Where in the object its cells are."),
});

const validation = struct(`${DEFINITIONS}.CustomResourceValidation`, "How objects are validated.", {
  openAPIV3Schema: pointer(of(jsonSchemaProps), "The schema of the objects."),
});

const scale = struct(`${DEFINITIONS}.CustomResourceSubresourceScale`, "Where replicas are in the objects.", {
  specReplicasPath: needed(text, "Where the wanted number is, below .spec."),
  statusReplicasPath: needed(text, "Where the actual number is, below .status."),
  labelSelectorPath: pointer(text, "Where the selector is, below .spec or .status."),
});

const subresources = struct(`${DEFINITIONS}.CustomResourceSubresources`, "The subresources of a resource.", {
  status: pointer(
    of(struct(`${DEFINITIONS}.CustomResourceSubresourceStatus`, "Serves /status.", {})),
    "When there, status is written through /status only.",
  ),
  scale: pointer(of(scale), "When there, /scale is served."),
});

const selectableField = struct(`${DEFINITIONS}.SelectableField`, "A field for field selectors.", {
  jsonPath: needed(text, "Where in the object the field is."),
});

const version = struct(`${DEFINITIONS}.CustomResourceDefinitionVersion`, "One version of a resource.", {
  name: needed(text, "Its name in paths, such as v1."),
  served: needed(boolean, "Whether it is served."),
  storage: needed(boolean, "Whether objects are stored in it. Exactly one version is so."),
  deprecated: optional(boolean, "Whether clients that use it are warned."),
  deprecationWarning: pointer(text, "What they are told."),
  schema: pointer(of(validation), "How objects are validated, pruned and defaulted."),
  subresources: pointer(of(subresources), "Its subresources."),
  additionalPrinterColumns: optional(list(of(columnDefinition)), "Columns for kubectl get."),
  selectableFields: optional(list(of(selectableField)), "Fields for field selectors."),
});

const service = struct(`${DEFINITIONS}.ServiceReference`, "A service that is called.", {
  namespace: needed(text, "Its namespace."),
  name: needed(text, "Its name."),
  path: pointer(text, "The path that is called."),
  port: pointer(int32, "The port that is called; 443 when left out."),
});

const clientConfig = struct(`${DEFINITIONS}.WebhookClientConfig`, "How a webhook is reached.", {
  url: pointer(text, "Its URL."),
  service: pointer(of(service), "Its service."),
  caBundle: optional(bytes, "Certificates of the authorities that are trusted, in PEM."),
});

const webhook = struct(`${DEFINITIONS}.WebhookConversion`, "A webhook that converts.", {
  clientConfig: pointer(of(clientConfig), "How it is reached."),
  conversionReviewVersions: needed(list(text), "The versions of ConversionReview that it knows."),
});

const conversion = struct(`${DEFINITIONS}.CustomResourceConversion`, "How versions are converted.", {
  strategy: needed(named("v1.ConversionStrategyType"), "None: only apiVersion differs. Webhook: somebody is asked."),
  webhook: pointer(of(webhook), "Who is asked."),
});

const spec = struct(`${DEFINITIONS}.CustomResourceDefinitionSpec`, "What a resource is to be.", {
  group: needed(text, "Its group. Cannot be changed."),
  names: needed(of(names), "What it is called."),
  scope: needed(named("v1.ResourceScope"), "Namespaced or Cluster."),
  versions: needed(list(of(version)), "Its versions."),
  conversion: pointer(of(conversion), "How versions are converted."),
  preserveUnknownFields: optional(boolean, "Must not be true; see x-kubernetes-preserve-unknown-fields."),
});

const condition = struct(`${DEFINITIONS}.CustomResourceDefinitionCondition`, "Something that is known of it.", {
  type: needed(named("v1.CustomResourceDefinitionConditionType"), "What it is about."),
  status: needed(named("v1.ConditionStatus"), "True, False or Unknown."),
  lastTransitionTime: shown(time, "When the status last changed."),
  reason: optional(text, "The reason, as one word."),
  message: optional(text, "The reason, for people."),
  observedGeneration: optional(int64, "Which generation was looked at."),
});

const status = struct(`${DEFINITIONS}.CustomResourceDefinitionStatus`, "What has become of a definition.", {
  conditions: shown(listBy("type", of(condition), { patch: false }), "What is known of it."),
  acceptedNames: shown(of(names), "The names that it got."),
  storedVersions: shown(list(text), "Versions in which objects may still be stored."),
  observedGeneration: optional(int64, "Which generation was looked at."),
});

/** CustomResourceDefinitions: kinds that users add. */
export const customResourceDefinitions: ResourceType = builtIn({
  group: "apiextensions.k8s.io",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  shortNames: ["crd", "crds"],
  categories: ["api-extensions"],
  namespaced: false,
  hasStatus: true,
  definitions: DEFINITIONS,
  about: "A kind of object that is added to the API. Its name is the plural and the group with a dot between.",
  fields: {
    spec: needed(of(spec), "What the resource is to be."),
    status: shown(of(status), "What has become of it."),
  },
  setDefaults,
  columns: [nameColumn, createdAtColumn],
  allowsUnconditionalUpdate: false,
  behaviour: {
    prepareCreate: (crd) => withStored({ ...crd, metadata: { ...crd.metadata, generation: 1 }, status: emptyStatus() }),
    prepareUpdate: (crd, old) => withStored({ ...crd, status: old.status ?? emptyStatus() }),
    prepareStatusUpdate: (crd, old) => ({ ...crd, spec: old.spec ?? {} }),
    validate: definitionProblems,
    prepareDelete: marked,
    // Until it is marked, the definition has no finalizer yet that would keep it for its objects.
    holdsDeletion: (crd) => crd.metadata.deletionTimestamp === undefined,
    changesGeneration: (crd, old) => !deepEqual(valueAt(crd, "spec"), valueAt(old, "spec")),
  },
});

/** A definition goes once its objects are gone. */
function marked(crd: KubeObject): KubeObject {
  const finalizers = crd.metadata.finalizers ?? [];
  const conditions = listAt(crd, "status", "conditions");
  if (finalizers.includes(DEFINITION_CLEANUP)) return crd;
  const terminating = {
    type: "Terminating",
    status: "True",
    lastTransitionTime: crd.metadata.deletionTimestamp,
    reason: "InstanceDeletionPending",
    message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
  };
  return {
    ...crd,
    metadata: { ...crd.metadata, finalizers: [...finalizers, DEFINITION_CLEANUP] },
    status: { ...mapAt(crd, "status"), conditions: [...conditions, terminating] },
  };
}

function setDefaults(crd: MutableObject): void {
  const ownSpec = within(crd, "spec");
  const ownNames = within(ownSpec, "names");
  const kind = textAt(ownNames, "kind");
  ownNames.singular ||= kind.toLowerCase();
  if (ownNames.singular === "") delete ownNames.singular;
  if (kind !== "") ownNames.listKind ||= `${kind}List`;
  ownSpec.conversion ??= { strategy: "None" };
  const { conversion: own } = ownSpec;
  const called = isObject(own) ? valueAt(own, "webhook", "clientConfig", "service") : undefined;
  if (isObject(called) && called.port === undefined) Object.assign(called, { port: 443 });
  const ownStatus = within(crd, "status");
  if (listAt(ownStatus, "storedVersions").length > 0) return;
  const stored = storageVersion(crd);
  if (stored !== "") ownStatus.storedVersions = [stored];
}

function storageVersion(crd: unknown): string {
  const stored = listAt(crd, "spec", "versions").find((item) => valueAt(item, "storage") === true);
  return textAt(stored, "name");
}

function emptyStatus() {
  return { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: null };
}

/** A version that becomes the storage version is remembered: objects may be stored in it from now on. */
function withStored(crd: KubeObject): KubeObject {
  const known = textsAt(crd, "status", "storedVersions");
  const stored = storageVersion(crd);
  if (stored === "" || known.includes(stored)) return crd;
  return { ...crd, status: { ...mapAt(crd, "status"), storedVersions: [...known, stored] } };
}
