// SPDX-License-Identifier: Apache-2.0
import type { KindDescriptor, KubeObject } from "./types.ts";

/** Names an object of any kind, as events and others do. */
export interface ObjectReference {
  apiVersion?: string;
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  resourceVersion?: string;
  fieldPath?: string;
}

/** A condition as built-in and custom kinds carry it. */
export interface Condition {
  type: string;
  status: "True" | "False" | "Unknown";
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  observedGeneration?: number;
}

/** A namespace, which cannot be left until everything in it is gone. */
export interface Namespace extends KubeObject {
  spec?: { finalizers?: string[] };
  status?: { phase?: "Active" | "Terminating"; conditions?: Condition[] };
}

/** `data` is base64; `stringData` is plain and only ever sent. */
export interface Secret extends KubeObject {
  type?: string;
  immutable?: boolean;
  data?: Record<string, string>;
  stringData?: Record<string, string>;
}

/** Settings that are no secrets. */
export interface ConfigMap extends KubeObject {
  immutable?: boolean;
  data?: Record<string, string>;
  binaryData?: Record<string, string>;
}

/** Who a Pod is to the API server. */
export interface ServiceAccount extends KubeObject {
  automountServiceAccountToken?: boolean;
  secrets?: ObjectReference[];
  imagePullSecrets?: { name?: string }[];
}

/** An event of events.k8s.io/v1. */
export interface Event extends KubeObject {
  /** RFC 3339 with microseconds; the server asks for exactly that. */
  eventTime: string | null;
  series?: { count: number; lastObservedTime: string };
  reportingController?: string;
  reportingInstance?: string;
  action?: string;
  reason?: string;
  regarding?: ObjectReference;
  related?: ObjectReference;
  note?: string;
  type?: string;
}

/** The same event as core/v1 shows it. */
export interface CoreEvent extends KubeObject {
  involvedObject: ObjectReference;
  reason?: string;
  message?: string;
  source?: { component?: string; host?: string };
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  count?: number;
  type?: string;
  eventTime?: string | null;
  series?: { count?: number; lastObservedTime?: string };
  action?: string;
  related?: ObjectReference;
  reportingComponent?: string;
  reportingInstance?: string;
}

/** Times are RFC 3339 with microseconds. */
export interface Lease extends KubeObject {
  spec?: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
    strategy?: string;
    preferredHolder?: string;
  };
}

/** A wish for storage. */
export interface PersistentVolumeClaim extends KubeObject {
  spec?: {
    accessModes?: string[];
    resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
    storageClassName?: string;
    volumeName?: string;
    volumeMode?: "Block" | "Filesystem";
    dataSource?: { apiGroup?: string; kind: string; name: string };
  };
  status?: { phase?: "Pending" | "Bound" | "Lost"; capacity?: Record<string, string>; accessModes?: string[] };
}

/** A sort of storage that can be wished for. */
export interface StorageClass extends KubeObject {
  provisioner: string;
  parameters?: Record<string, string>;
  reclaimPolicy?: "Delete" | "Retain" | "Recycle";
  volumeBindingMode?: "Immediate" | "WaitForFirstConsumer";
  allowVolumeExpansion?: boolean;
  mountOptions?: string[];
}

/** A kind that is added to the server. */
export interface CustomResourceDefinition extends KubeObject {
  spec: {
    group: string;
    scope: "Namespaced" | "Cluster";
    names: {
      kind: string;
      plural: string;
      singular?: string;
      listKind?: string;
      shortNames?: string[];
      categories?: string[];
    };
    versions: CustomResourceDefinitionVersion[];
    conversion?: { strategy: "None" | "Webhook"; webhook?: object };
    preserveUnknownFields?: boolean;
  };
  status?: { conditions?: Condition[]; storedVersions?: string[]; acceptedNames?: { kind?: string; plural?: string } };
}

/** One version of such a kind. */
export interface CustomResourceDefinitionVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: object };
  subresources?: { status?: object; scale?: object };
  additionalPrinterColumns?: object[];
  selectableFields?: { jsonPath: string }[];
}

/** What may be done with which resources. */
export interface PolicyRule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

/** The role that a binding gives. */
export interface RoleReference {
  apiGroup: "rbac.authorization.k8s.io";
  kind: "Role" | "ClusterRole";
  name: string;
}

/** To whom a binding gives it. */
export interface RoleSubject {
  kind: "User" | "Group" | "ServiceAccount";
  name: string;
  namespace?: string;
  apiGroup?: string;
}

/** A Role or a ClusterRole. */
export interface Role extends KubeObject {
  rules?: PolicyRule[] | null;
}

/** A RoleBinding or a ClusterRoleBinding. */
export interface RoleBinding extends KubeObject {
  roleRef: RoleReference;
  subjects?: RoleSubject[];
}

/** Asks whether the caller may do something. It is answered when it is created and never kept. */
export interface SelfSubjectAccessReview extends KubeObject {
  spec: {
    resourceAttributes?: {
      namespace?: string;
      verb?: string;
      group?: string;
      version?: string;
      resource?: string;
      subresource?: string;
      name?: string;
    };
    nonResourceAttributes?: { path?: string; verb?: string };
  };
  status?: { allowed: boolean; denied?: boolean; reason?: string; evaluationError?: string };
}

/** Asks what the caller may do in a namespace. It is answered when it is created and never kept. */
export interface SelfSubjectRulesReview extends KubeObject {
  spec: { namespace?: string };
  status?: {
    resourceRules?: readonly ResourceRule[] | null;
    /** There may be more rules than these. */
    incomplete: boolean;
    evaluationError?: string;
  };
}

/** What may be done with which resources. */
export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  /** All where it is left out or empty. */
  readonly resourceNames?: readonly string[];
}

// What follows are the descriptors to give to a client, each typed by its objects.
const RBAC = { group: "rbac.authorization.k8s.io", version: "v1" } as const;
const CORE = { group: "", version: "v1" } as const;

export const namespace: KindDescriptor<Namespace> = {
  ...CORE,
  kind: "Namespace",
  plural: "namespaces",
  scope: "Cluster",
};

export const secret: KindDescriptor<Secret> = { ...CORE, kind: "Secret", plural: "secrets", scope: "Namespaced" };

export const configMap: KindDescriptor<ConfigMap> = {
  ...CORE,
  kind: "ConfigMap",
  plural: "configmaps",
  scope: "Namespaced",
};

export const serviceAccount: KindDescriptor<ServiceAccount> = {
  ...CORE,
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  scope: "Namespaced",
};

export const event: KindDescriptor<Event> = {
  group: "events.k8s.io",
  version: "v1",
  kind: "Event",
  plural: "events",
  scope: "Namespaced",
};

export const coreEvent: KindDescriptor<CoreEvent> = { ...CORE, kind: "Event", plural: "events", scope: "Namespaced" };

export const lease: KindDescriptor<Lease> = {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  scope: "Namespaced",
};

export const persistentVolumeClaim: KindDescriptor<PersistentVolumeClaim> = {
  ...CORE,
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
  scope: "Namespaced",
};

export const storageClass: KindDescriptor<StorageClass> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "StorageClass",
  plural: "storageclasses",
  scope: "Cluster",
};

export const customResourceDefinition: KindDescriptor<CustomResourceDefinition> = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  scope: "Cluster",
};

export const role: KindDescriptor<Role> = { ...RBAC, kind: "Role", plural: "roles", scope: "Namespaced" };

export const roleBinding: KindDescriptor<RoleBinding> = {
  ...RBAC,
  kind: "RoleBinding",
  plural: "rolebindings",
  scope: "Namespaced",
};

export const clusterRole: KindDescriptor<Role> = {
  ...RBAC,
  kind: "ClusterRole",
  plural: "clusterroles",
  scope: "Cluster",
};

export const clusterRoleBinding: KindDescriptor<RoleBinding> = {
  ...RBAC,
  kind: "ClusterRoleBinding",
  plural: "clusterrolebindings",
  scope: "Cluster",
};

const AUTHORIZATION = { group: "authorization.k8s.io", version: "v1" } as const;

export const selfSubjectAccessReview: KindDescriptor<SelfSubjectAccessReview> = {
  ...AUTHORIZATION,
  kind: "SelfSubjectAccessReview",
  plural: "selfsubjectaccessreviews",
  scope: "Cluster",
};

export const selfSubjectRulesReview: KindDescriptor<SelfSubjectRulesReview> = {
  ...AUTHORIZATION,
  kind: "SelfSubjectRulesReview",
  plural: "selfsubjectrulesreviews",
  scope: "Cluster",
};
