// SPDX-License-Identifier: Apache-2.0

/**
 * The numbers of fields in Kubernetes' protobuf messages, by package and message, for the built-in kinds that are served.
 * They are part of the wire format and never change.
 */
const NUMBERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "io.k8s.api.authentication.v1": {
    BoundObjectReference: "kind=1 apiVersion=2 name=3 uid=4",
    SelfSubjectReview: "metadata=1 status=2",
    SelfSubjectReviewStatus: "userInfo=1",
    TokenRequest: "metadata=1 spec=2 status=3",
    TokenRequestSpec: "audiences=1 expirationSeconds=4 boundObjectRef=3",
    TokenRequestStatus: "token=1 expirationTimestamp=2",
    TokenReview: "metadata=1 spec=2 status=3",
    TokenReviewSpec: "token=1 audiences=2",
    TokenReviewStatus: "authenticated=1 user=2 audiences=4 error=3",
    UserInfo: "username=1 uid=2 groups=3 extra=4",
  },
  "io.k8s.api.authorization.v1": {
    FieldSelectorAttributes: "rawSelector=1 requirements=2",
    LabelSelectorAttributes: "rawSelector=1 requirements=2",
    LocalSubjectAccessReview: "metadata=1 spec=2 status=3",
    NonResourceAttributes: "path=1 verb=2",
    NonResourceRule: "verbs=1 nonResourceURLs=2",
    ResourceAttributes:
      "namespace=1 verb=2 group=3 version=4 resource=5 subresource=6 name=7 fieldSelector=8 labelSelector=9",
    ResourceRule: "verbs=1 apiGroups=2 resources=3 resourceNames=4",
    SelfSubjectAccessReview: "metadata=1 spec=2 status=3",
    SelfSubjectAccessReviewSpec: "resourceAttributes=1 nonResourceAttributes=2",
    SelfSubjectRulesReview: "metadata=1 spec=2 status=3",
    SelfSubjectRulesReviewSpec: "namespace=1",
    SubjectAccessReview: "metadata=1 spec=2 status=3",
    SubjectAccessReviewSpec: "resourceAttributes=1 nonResourceAttributes=2 user=3 groups=4 extra=5 uid=6",
    SubjectAccessReviewStatus: "allowed=1 denied=4 reason=2 evaluationError=3",
    SubjectRulesReviewStatus: "resourceRules=1 nonResourceRules=2 incomplete=3 evaluationError=4",
  },
  "io.k8s.api.coordination.v1": {
    Lease: "metadata=1 spec=2",
    LeaseSpec:
      "holderIdentity=1 leaseDurationSeconds=2 acquireTime=3 renewTime=4 leaseTransitions=5 strategy=6 preferredHolder=7",
  },
  "io.k8s.api.core.v1": {
    ConfigMap: "metadata=1 immutable=4 data=2 binaryData=3",
    Event:
      "metadata=1 involvedObject=2 reason=3 message=4 source=5 firstTimestamp=6 lastTimestamp=7 count=8 type=9 eventTime=10 series=11 action=12 related=13 reportingComponent=14 reportingInstance=15",
    EventSeries: "count=1 lastObservedTime=2",
    EventSource: "component=1 host=2",
    LocalObjectReference: "name=1",
    ModifyVolumeStatus: "targetVolumeAttributesClassName=1 status=2",
    Namespace: "metadata=1 spec=2 status=3",
    NamespaceCondition: "type=1 status=2 lastTransitionTime=4 reason=5 message=6",
    NamespaceSpec: "finalizers=1",
    NamespaceStatus: "phase=1 conditions=2",
    ObjectReference: "kind=1 namespace=2 name=3 uid=4 apiVersion=5 resourceVersion=6 fieldPath=7",
    PersistentVolumeClaim: "metadata=1 spec=2 status=3",
    PersistentVolumeClaimCondition: "type=1 status=2 lastProbeTime=3 lastTransitionTime=4 reason=5 message=6",
    PersistentVolumeClaimSpec:
      "accessModes=1 selector=4 resources=2 volumeName=3 storageClassName=5 volumeMode=6 dataSource=7 dataSourceRef=8 volumeAttributesClassName=9",
    PersistentVolumeClaimStatus:
      "phase=1 accessModes=2 capacity=3 conditions=4 allocatedResources=5 allocatedResourceStatuses=7 currentVolumeAttributesClassName=8 modifyVolumeStatus=9",
    Secret: "metadata=1 immutable=5 data=2 stringData=4 type=3",
    ServiceAccount: "metadata=1 secrets=2 imagePullSecrets=3 automountServiceAccountToken=4",
    TopologySelectorLabelRequirement: "key=1 values=2",
    TopologySelectorTerm: "matchLabelExpressions=1",
    TypedLocalObjectReference: "apiGroup=1 kind=2 name=3",
    TypedObjectReference: "apiGroup=1 kind=2 name=3 namespace=4",
    VolumeResourceRequirements: "limits=1 requests=2",
  },
  "io.k8s.api.events.v1": {
    Event:
      "metadata=1 eventTime=2 series=3 reportingController=4 reportingInstance=5 action=6 reason=7 regarding=8 related=9 note=10 type=11 deprecatedSource=12 deprecatedFirstTimestamp=13 deprecatedLastTimestamp=14 deprecatedCount=15",
    EventSeries: "count=1 lastObservedTime=2",
  },
  "io.k8s.api.rbac.v1": {
    AggregationRule: "clusterRoleSelectors=1",
    ClusterRole: "metadata=1 rules=2 aggregationRule=3",
    ClusterRoleBinding: "metadata=1 subjects=2 roleRef=3",
    PolicyRule: "verbs=1 apiGroups=2 resources=3 resourceNames=4 nonResourceURLs=5",
    Role: "metadata=1 rules=2",
    RoleBinding: "metadata=1 subjects=2 roleRef=3",
    RoleRef: "apiGroup=1 kind=2 name=3",
    Subject: "kind=1 apiGroup=2 name=3 namespace=4",
  },
  "io.k8s.api.storage.v1": {
    StorageClass:
      "metadata=1 provisioner=2 parameters=3 reclaimPolicy=4 mountOptions=5 allowVolumeExpansion=6 volumeBindingMode=7 allowedTopologies=8",
  },
  "io.k8s.apimachinery.pkg.apis.meta.v1": {
    DeleteOptions:
      "gracePeriodSeconds=1 preconditions=2 orphanDependents=3 propagationPolicy=4 dryRun=5 ignoreStoreReadErrorWithClusterBreakingPotential=6",
    FieldSelectorRequirement: "key=1 operator=2 values=3",
    LabelSelector: "matchLabels=1 matchExpressions=2",
    LabelSelectorRequirement: "key=1 operator=2 values=3",
    ManagedFieldsEntry: "manager=1 operation=2 apiVersion=3 time=4 fieldsType=6 fieldsV1=7 subresource=8",
    ObjectMeta:
      "name=1 generateName=2 namespace=3 selfLink=4 uid=5 resourceVersion=6 generation=7 creationTimestamp=8 deletionTimestamp=9 deletionGracePeriodSeconds=10 labels=11 annotations=12 ownerReferences=13 finalizers=14 managedFields=17",
    OwnerReference: "apiVersion=5 kind=1 name=3 uid=4 controller=6 blockOwnerDeletion=7",
    Preconditions: "uid=1 resourceVersion=2",
  },
};

const known = new Map<string, readonly (string | undefined)[]>();

/** The names of a message's fields, that of number 1 first; undefined for messages that are not spoken here. */
export function fieldsOf(definition: string): readonly (string | undefined)[] | undefined {
  const fields = known.get(definition);
  if (fields !== undefined) return fields;
  const cut = definition.lastIndexOf(".");
  const text = NUMBERS[definition.slice(0, cut)]?.[definition.slice(cut + 1)];
  if (text === undefined) return undefined;
  const names: (string | undefined)[] = [];
  for (const field of text.split(" ")) {
    const [name = "", number = ""] = field.split("=");
    names[Number(number) - 1] = name;
  }
  known.set(definition, names);
  return names;
}
