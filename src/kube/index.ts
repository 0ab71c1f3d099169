// SPDX-License-Identifier: Apache-2.0
export { createCache } from "./cache/cache.ts";
export { type Caches, createCaches, type SharedCacheOptions } from "./cache/caches.ts";
export { SilentWatchError } from "./cache/follow.ts";
export { HistoryChangedError } from "./cache/history.ts";
export type { IndexFunction } from "./cache/indexes.ts";
export { keyOf, keyText, parseKeyText } from "./cache/key-text.ts";
export type { Scope } from "./cache/scope.ts";
export { CacheDisorderError } from "./cache/take-over.ts";
export type { Cache, CacheListener, CacheOptions, CacheStartOptions } from "./cache/types.ts";
export { compareVersions } from "./cache/versions.ts";
export { createClient } from "./client/client.ts";
export type {
  ClusterConfig,
  CredentialsConfig,
  ExecPlugin,
  Impersonation,
  TextSource,
} from "./client/cluster-config.ts";
export type { HandlerRequest, HandlerResponse, HandlerTransport } from "./client/handler-wire.ts";
export { type InClusterOptions, inClusterConfig } from "./client/in-cluster.ts";
export { type Environment, type KubeconfigOptions, loadKubeconfig } from "./client/kubeconfig.ts";
export type {
  ApplyDraft,
  ApplyOptions,
  CallOptions,
  Client,
  ClientOptions,
  DeepPartial,
  DeleteOptions,
  DoubtOptions,
  Draft,
  GetOptions,
  JsonPatchOperation,
  ListOptions,
  ListPage,
  MergePatch,
  ObjectList,
  RawAnswer,
  RawOptions,
  RequestRecord,
  WatchOptions,
  WriteOptions,
} from "./client/types.ts";
export { type ManualClock, manualClock, sleep, systemClock } from "./clock.ts";
export {
  findCondition,
  isConditionTrue,
  removeCondition,
  setCondition,
  type WantedCondition,
} from "./conditions.ts";
export { createController } from "./controller/controller.ts";
export type {
  Controller,
  ControllerHooks,
  ControllerOptions,
  Finished,
  ProblemListener,
  Reconcile,
  ReconcileContext,
  Result,
  RunOptions,
} from "./controller/types.ts";
export {
  type Predicate,
  type Watch,
  wantedStateChanged,
  watchMapped,
  watchOwned,
  watchSelf,
} from "./controller/watches.ts";
export {
  type Condition,
  type ConfigMap,
  type CoreEvent,
  type CustomResourceDefinition,
  type CustomResourceDefinitionVersion,
  clusterRole,
  clusterRoleBinding,
  configMap,
  coreEvent,
  customResourceDefinition,
  type Event,
  event,
  type Lease,
  lease,
  type Namespace,
  namespace,
  type ObjectReference,
  type PersistentVolumeClaim,
  type PolicyRule,
  persistentVolumeClaim,
  type ResourceRule,
  type Role,
  type RoleBinding,
  type RoleReference,
  type RoleSubject,
  role,
  roleBinding,
  type Secret,
  type SelfSubjectAccessReview,
  type SelfSubjectRulesReview,
  type ServiceAccount,
  type StorageClass,
  secret,
  selfSubjectAccessReview,
  selfSubjectRulesReview,
  serviceAccount,
  storageClass,
} from "./core.ts";
export {
  ApiError,
  ConfigError,
  ConnectionError,
  type ErrorCause,
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isTimeout,
  isTooManyRequests,
  isTransient,
  isUnauthorized,
  LostLeadershipError,
} from "./errors.ts";
export { createEventRecorder, type EventNews, type EventRecorder, type EventRecorderOptions } from "./events.ts";
export { addFinalizer, type FinalizerOptions, hasFinalizer, removeFinalizer } from "./finalizers.ts";
export {
  createElection,
  type Election,
  type ElectionChange,
  type ElectionOptions,
  type ElectionTimes,
  electionTimes,
} from "./manager/election.ts";
export type { HealthCheck } from "./manager/health-server.ts";
export { createLog, type Log, type LogFields, type LogLevel, type LogOptions } from "./manager/log.ts";
export { createManager, type Manager, type ManagerOptions } from "./manager/manager.ts";
export { type Counter, createMetrics, type Gauge, type Histogram, type Metrics } from "./manager/metrics.ts";
export { type SignalSource, type StopSignals, stopSignals } from "./manager/process-signals.ts";
export { redact, redactText } from "./manager/redact.ts";
export { createRuntimeMetrics, type RuntimeMetrics } from "./manager/runtime-metrics.ts";
export type { ManagedCache, ManagedController } from "./manager/types.ts";
export { controllerOf, ownerReference, removeOwnerReference, setOwnerReference } from "./owner-references.ts";
export { type BackoffLimits, backoffMs } from "./queue/backoff.ts";
export type { GroupLimits } from "./queue/groups.ts";
export { createQueue, type Queue, type QueueOptions, type Taken } from "./queue/queue.ts";
export {
  createStatusApplier,
  type StatusApplier,
  type StatusApplierOptions,
  type StatusWriteOptions,
  type WithStatus,
  writeStatus,
} from "./status-write.ts";
export type {
  Clock,
  KindDescriptor,
  KubeObject,
  ObjectKey,
  ObjectMeta,
  OwnerReference,
  Random,
  WatchEvent,
} from "./types.ts";
