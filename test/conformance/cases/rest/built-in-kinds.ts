// SPDX-License-Identifier: Apache-2.0
import { configMap } from "../../framework/objects.ts";
import type { Case, JsonObject } from "../../framework/types.ts";

function secret(name: string, fields: JsonObject = {}): JsonObject {
  return { apiVersion: "v1", kind: "Secret", metadata: { name }, ...fields };
}

const LEASES = "/apis/coordination.k8s.io/v1/namespaces";

function lease(name: string, spec: JsonObject): JsonObject {
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name }, spec };
}

const TIME = "2001-02-03T04:05:06Z";
const MICRO_TIME = "2001-02-03T04:05:06.000007Z";

export const builtInKinds: readonly Case[] = [
  {
    name: "a secret is Opaque by default, and stringData becomes data",
    answers: [201, 200],
    async run(t) {
      const text = { data: { a: "b2xk", b: "Yg==" }, stringData: { a: "new" } };
      await t.request("POST", t.core("secrets"), secret("a", text));
      await t.request("GET", t.core("secrets", "a"));
    },
  },
  {
    name: "a secret's data must be base64, its keys valid, and what its type asks for",
    answers: [400, 422, 422],
    async run(t) {
      await t.request("POST", t.core("secrets"), secret("a", { data: { a: "not base64" } }));
      await t.request("POST", t.core("secrets"), secret("a", { stringData: { "a/b": "" } }));
      await t.request("POST", t.core("secrets"), secret("a", { type: "kubernetes.io/tls", stringData: { a: "" } }));
    },
  },
  {
    name: "the type of a secret cannot be changed, and nothing of one that is immutable",
    answers: [422, 200, 422, 422],
    async run(t) {
      const path = t.core("secrets", "a");
      await t.prepare("POST", t.core("secrets"), secret("a", { stringData: { a: "b" } }));
      await t.request("PUT", path, secret("a", { type: "example.com/other" }));
      await t.request("PUT", path, secret("a", { stringData: { a: "b" }, immutable: true }));
      await t.request("PUT", path, secret("a", { stringData: { a: "c" }, immutable: true }));
      await t.request("PUT", path, secret("a", { stringData: { a: "b" } }));
    },
  },
  {
    name: "a ConfigMap's keys are valid, each in data or in binaryData, and all is at most one MiB",
    answers: [422, 422, 422, 201],
    async run(t) {
      const path = t.core("configmaps");
      await t.request("POST", path, configMap("a", { "a b": "" }));
      await t.request("POST", path, { ...configMap("a", { a: "" }), binaryData: { a: "" } });
      await t.request("POST", path, configMap("a", { a: "x".repeat(1024 * 1024 + 1) }));
      await t.request("POST", path, { ...configMap("a", { a: "x" }), binaryData: { b: "AAE=" } });
    },
  },
  {
    name: "an immutable ConfigMap stays as it is, except for its metadata",
    answers: [422, 422, 200],
    async run(t) {
      const first = { ...configMap("a", { a: "b" }), immutable: true };
      await t.prepare("POST", t.core("configmaps"), first);
      await t.request("PUT", t.core("configmaps", "a"), { ...first, data: { a: "c" } });
      await t.request("PUT", t.core("configmaps", "a"), configMap("a", { a: "b" }));
      await t.request("PUT", t.core("configmaps", "a"), { ...first, metadata: { name: "a", labels: { a: "b" } } });
    },
  },
  {
    name: "a lease is created by an update, and its duration is more than nothing",
    answers: [201, 422, 201],
    async run(t) {
      const path = `${LEASES}/${t.namespace}/leases`;
      const spec = { holderIdentity: "me", leaseDurationSeconds: 15, acquireTime: MICRO_TIME, renewTime: MICRO_TIME };
      await t.request("PUT", `${path}/a`, lease("a", spec));
      await t.request("PUT", `${path}/b`, lease("b", { leaseDurationSeconds: 0, leaseTransitions: -1 }));
      await t.request("POST", path, lease("b", {}));
    },
  },
  {
    name: "a service account gets tokens for what is asked, for no less than ten minutes",
    answers: [201, 201, 422, 404],
    async run(t) {
      const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } };
      await t.request("POST", t.core("serviceaccounts"), account);
      const ask = (spec: JsonObject) => ({ apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec });
      const path = t.core("serviceaccounts", "robot/token");
      await t.request("POST", path, ask({ audiences: ["somebody"], expirationSeconds: 3600 }));
      await t.request("POST", path, ask({ audiences: ["somebody"], expirationSeconds: 599 }));
      await t.request("POST", t.core("serviceaccounts", "nobody/token"), ask({}));
    },
  },
  {
    name: "a core event is the same object as its twin in events.k8s.io",
    answers: [201, 200, 201, 200],
    async run(t) {
      const { namespace } = t;
      const about = { kind: "ConfigMap", namespace, name: "a" };
      const core = {
        metadata: { name: "a.1" },
        involvedObject: about,
        reason: "Started",
        message: "It has started.",
        type: "Normal",
        source: { component: "tester" },
        firstTimestamp: TIME,
        lastTimestamp: TIME,
        count: 2,
      };
      const modern = {
        metadata: { name: "a.2" },
        regarding: about,
        reason: "Started",
        note: "It has started.",
        type: "Normal",
        action: "Starting",
        reportingController: "example.com/tester",
        reportingInstance: "tester-0",
        eventTime: MICRO_TIME,
      };
      const events = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
      await t.request("POST", t.core("events"), core);
      await t.request("GET", `${events}/a.1`);
      await t.request("POST", events, modern);
      await t.request("GET", t.core("events", "a.2"));
    },
  },
  {
    name: "an event is about something in its own namespace, and a modern one tells who reports what",
    answers: [422, 422],
    async run(t) {
      const elsewhere = { kind: "ConfigMap", namespace: "elsewhere", name: "a" };
      await t.request("POST", t.core("events"), { metadata: { name: "a.1" }, involvedObject: elsewhere });
      const bare = {
        metadata: { name: "a.2" },
        regarding: { ...elsewhere, namespace: t.namespace },
        eventTime: MICRO_TIME,
      };
      await t.request("POST", `/apis/events.k8s.io/v1/namespaces/${t.namespace}/events`, bare);
    },
  },
  {
    name: "volume claims and storage classes are kept with their defaults",
    answers: [201, 201, 422],
    async run(t) {
      const spec = {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
        storageClassName: "fast",
      };
      await t.request("POST", t.core("persistentvolumeclaims"), { metadata: { name: "a" }, spec });
      const storage = { metadata: { name: t.namespace }, provisioner: "example.com/disk" };
      await t.request("POST", "/apis/storage.k8s.io/v1/storageclasses", storage);
      await t.request("POST", "/apis/storage.k8s.io/v1/storageclasses", { metadata: { name: `${t.namespace}-b` } });
    },
  },
  {
    name: "a namespace is Active from the start and carries its name as a label",
    answers: [201, 422, 409],
    async run(t) {
      const metadata = { name: `${t.namespace}-b`, labels: { a: "b" } };
      await t.request("POST", "/api/v1/namespaces", { metadata });
      await t.request("POST", "/api/v1/namespaces", { metadata: { name: "not.a.label" } });
      await t.request("POST", "/api/v1/namespaces", { metadata });
    },
  },
  {
    name: "nothing is created in a namespace that is terminating",
    answers: [200, 403, 403],
    async run(t) {
      // The finalizer of its content holds the namespace until somebody removes it.
      await t.prepare("POST", t.core("configmaps"), configMap("a", {}, { finalizers: ["example.com/hold"] }));
      await t.request("DELETE", `/api/v1/namespaces/${t.namespace}`);
      await t.request("POST", t.core("configmaps"), configMap("b"));
      await t.request("POST", t.custom("widgets"), {
        apiVersion: "rest.example.com/v1",
        kind: "Widget",
        metadata: { name: "a" },
      });
    },
  },
  {
    name: "the namespaces of the system cannot be deleted",
    answers: [200, 403, 403],
    async run(t) {
      await t.eventually("/api/v1/namespaces/default", ({ status }) => status === 200, { show: () => "is there" });
      await t.request("DELETE", "/api/v1/namespaces/default");
      await t.request("DELETE", "/api/v1/namespaces/kube-system");
    },
  },
];
