// SPDX-License-Identifier: Apache-2.0
import type { Case } from "../../framework/types.ts";
import { applyAt } from "./kinds.ts";

/** Kinds that every server has. */
export const builtIn: readonly Case[] = [
  {
    name: "the data of a ConfigMap is merged by its keys, binary data too",
    answers: [201, 200, 200],
    async run(t) {
      const base = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
      const send = (manager: string) => applyAt(t, t.core("configmaps", "a"), manager);
      await send("painter")({ ...base, data: { color: "red" }, binaryData: { bits: "AQI=" } });
      await send("builder")({ ...base, data: { size: "1" }, immutable: false });
      await send("painter")(base);
    },
  },
  {
    name: "what is applied as stringData of a Secret is stored as data, but noted as stringData",
    answers: [201, 200],
    async run(t) {
      const base = { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } };
      const send = applyAt(t, t.core("secrets", "a"), "painter");
      await send({ ...base, stringData: { password: "swordfish" } });
      await send({ ...base, data: { user: "YmFy" } });
    },
  },
  {
    name: "the secrets of a ServiceAccount are keyed by name, its image pull secrets are one value",
    answers: [201, 200, 200, 409],
    async run(t) {
      const base = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "a" } };
      const send = (manager: string) => applyAt(t, t.core("serviceaccounts", "a"), manager);
      await send("painter")({ ...base, secrets: [{ name: "one" }], imagePullSecrets: [{ name: "one" }] });
      await send("builder")({ ...base, secrets: [{ name: "two" }], automountServiceAccountToken: false });
      await send("painter")({ ...base, imagePullSecrets: [{ name: "one" }] });
      await send("builder")({ ...base, imagePullSecrets: [{ name: "two" }] });
    },
  },
  {
    name: "the rules of a Role and the subjects of a binding are one value each",
    answers: [201, 409, 201],
    async run(t) {
      const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${t.namespace}`;
      const base = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "a" } };
      const rule = (resource: string) => ({ apiGroups: [""], resources: [resource], verbs: ["get"] });
      await applyAt(t, `${rbac}/roles/a`, "painter")({ ...base, rules: [rule("secrets")] });
      await applyAt(t, `${rbac}/roles/a`, "builder")({ ...base, rules: [rule("configmaps")] });
      await applyAt(
        t,
        `${rbac}/rolebindings/a`,
        "painter",
      )({
        ...base,
        kind: "RoleBinding",
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "a" },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "eve" }],
      });
    },
  },
  {
    name: "a Lease is applied field by field",
    answers: [201, 409, 200],
    async run(t) {
      const path = `/apis/coordination.k8s.io/v1/namespaces/${t.namespace}/leases/a`;
      const base = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "a" } };
      await applyAt(t, path, "one")({ ...base, spec: { holderIdentity: "one", leaseDurationSeconds: 15 } });
      await applyAt(t, path, "two")({ ...base, spec: { holderIdentity: "two", leaseDurationSeconds: 15 } });
      await applyAt(t, path, "two")({ ...base, spec: { holderIdentity: "two" } }, { force: true });
    },
  },
  {
    name: "a Namespace is applied, and keeps what the server gave it",
    answers: [201, 200],
    async run(t) {
      const name = `${t.namespace}-applied`;
      const send = applyAt(t, `/api/v1/namespaces/${name}`, "painter");
      const base = { apiVersion: "v1", kind: "Namespace" };
      await send({ ...base, metadata: { name, labels: { color: "red" } } });
      await send({ ...base, metadata: { name } });
    },
  },
];
