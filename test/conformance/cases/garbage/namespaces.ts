// SPDX-License-Identifier: Apache-2.0
import { configMap, crd, kindOf } from "../../framework/objects.ts";
import type { Answer, Case, JsonObject } from "../../framework/types.ts";
import { isDeleting, isGone, release, stored, WAIT, widget } from "./kinds.ts";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

interface Condition {
  readonly type: string;
  readonly status: string;
}

function conditionsOf({ body }: Answer): readonly Condition[] {
  return (body.status as { conditions?: Condition[] } | undefined)?.conditions ?? [];
}

/** Whether a namespace says that something in it waits for finalizers. */
function waits(answer: Answer): boolean {
  return conditionsOf(answer).some(({ type, status }) => type === "NamespaceFinalizersRemaining" && status === "True");
}

/** The end of namespaces and of custom resource definitions. */
export const namespaces: readonly Case[] = [
  {
    name: "a deleted namespace is terminating, then gone with all that is in it",
    async run(t) {
      await stored(t, "a");
      await t.prepare("POST", t.core("secrets"), { metadata: { name: "a" } });
      await t.prepare("POST", t.custom("widgets"), widget("a"));
      await t.request("DELETE", `/api/v1/namespaces/${t.namespace}`);
      await t.eventually(`/api/v1/namespaces/${t.namespace}`, isGone);
      await t.request("GET", t.core("configmaps", "a"));
      await t.request("GET", t.core("secrets", "a"));
      await t.request("GET", t.custom("widgets", "a"));
    },
  },
  {
    name: "nothing can be made in a namespace that is terminating",
    answers: [403, 403, 200],
    async run(t) {
      await stored(t, "a", { finalizers: [WAIT] });
      await t.prepare("DELETE", `/api/v1/namespaces/${t.namespace}`);
      await t.request("POST", t.core("configmaps"), configMap("b"));
      await t.request("POST", t.custom("widgets"), widget("b"));
      await t.eventually(t.core("configmaps", "a"), isDeleting);
    },
  },
  {
    name: "a namespace says what it waits for, and goes when that is gone",
    async run(t) {
      const path = `/api/v1/namespaces/${t.namespace}`;
      await stored(t, "a", { finalizers: [WAIT] });
      await t.prepare("DELETE", path);
      await t.eventually(path, waits);
      await release(t, t.core("configmaps", "a"));
      await t.eventually(path, isGone);
    },
  },
  {
    name: "the namespaces that a server needs cannot be deleted",
    answers: [403, 403, 403],
    async run(t) {
      for (const name of ["default", "kube-system", "kube-public"])
        await t.request("DELETE", `/api/v1/namespaces/${name}`);
    },
  },
  {
    name: "the finalizers in a namespace's spec are changed at finalize alone",
    answers: [200, 200, 200],
    async run(t) {
      const path = `/api/v1/namespaces/${t.namespace}`;
      const first = await t.prepare("GET", path);
      const { body } = await t.request("PUT", path, { ...first, spec: { finalizers: [] } });
      await t.request("PUT", `${path}/finalize`, { ...body, spec: { finalizers: ["kubernetes", WAIT] } });
      await t.request("GET", path);
    },
  },
  {
    name: "a namespace is made anew under the same name once the old one is gone",
    async run(t) {
      const path = `/api/v1/namespaces/${t.namespace}`;
      await stored(t, "a");
      await t.prepare("DELETE", path);
      await t.request("POST", "/api/v1/namespaces", { metadata: { name: t.namespace } });
      await t.eventually(path, isGone);
      await t.request("POST", "/api/v1/namespaces", { metadata: { name: t.namespace } });
      await t.request("GET", t.core("configmaps"));
    },
  },
  {
    name: "every namespace gets a service account named default",
    async run(t) {
      await t.eventually(t.core("serviceaccounts", "default"), ({ status }) => status === 200);
    },
  },
  {
    name: "a custom resource definition goes with all of its objects",
    async run(t) {
      const gizmo = kindOf(t.group, "Gizmo");
      const gizmos = `/apis/${t.group}/v1/namespaces/${t.namespace}/gizmos`;
      await t.installCrds([crd({ group: t.group, kind: "Gizmo" })]);
      await t.prepare("POST", gizmos, gizmo("a"));
      const watch = await t.watch(`${gizmos}?watch=true`);
      await watch.next();
      await t.prepare("DELETE", `${CRDS}/gizmos.${t.group}`);
      await watch.next();
      await t.eventually(`${CRDS}/gizmos.${t.group}`, isGone);
      await t.eventually(gizmos, isGone);
    },
  },
  {
    name: "a custom resource definition waits for the finalizers of its objects",
    async run(t) {
      const gizmo = kindOf(t.group, "Gizmo");
      const path = `${CRDS}/gizmos.${t.group}`;
      const gizmos = `/apis/${t.group}/v1/namespaces/${t.namespace}/gizmos`;
      await t.installCrds([crd({ group: t.group, kind: "Gizmo" })]);
      await t.prepare("POST", gizmos, gizmo("a", { metadata: { finalizers: [WAIT] } }));
      const show = ({ metadata }: JsonObject) => {
        const { finalizers, deletionTimestamp } = metadata as JsonObject;
        return { finalizers, deletionTimestamp };
      };
      await t.request("DELETE", path, undefined, { show });
      await t.eventually(`${gizmos}/a`, isDeleting);
      await t.request("GET", path, undefined, { show });
      await t.request("POST", gizmos, gizmo("b"));
      await release(t, `${gizmos}/a`);
      await t.eventually(path, isGone);
    },
  },
];
