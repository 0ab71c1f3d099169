// SPDX-License-Identifier: Apache-2.0
import { configMap, MERGE_PATCH } from "../../framework/objects.ts";
import type { Case } from "../../framework/types.ts";
import { bindingsOf, GROUP, grant, isAllowed, RBAC, roleRef, rolesOf, rule, subject, user } from "./kinds.ts";

export const rights: readonly Case[] = [
  {
    name: "a user without rights is told what was refused, for every verb",
    answers: [403, 403, 403, 403, 403, 403, 403, 403],
    async run(t) {
      const ann = t.as(user(t, "ann"));
      await ann.request("GET", t.core("configmaps", "a"));
      await ann.request("GET", t.core("configmaps"));
      await ann.request("GET", `${t.core("configmaps")}?watch=1`);
      await ann.request("POST", t.core("configmaps"), configMap("a"));
      await ann.request("PUT", t.core("configmaps", "a"), configMap("a"));
      await ann.request("PATCH", t.core("configmaps", "a"), {}, { contentType: MERGE_PATCH });
      await ann.request("DELETE", t.core("configmaps", "a"));
      await ann.request("DELETE", t.core("configmaps"));
    },
  },
  {
    name: "a refusal names group, subresource, scope or path",
    answers: [403, 403, 403, 403, 403, 403],
    async run(t) {
      const ann = t.as(user(t, "ann"));
      await ann.request("GET", "/api/v1/configmaps");
      await ann.request("GET", t.custom("gates", "a"));
      await ann.request("GET", t.custom("gates", "a/status"));
      await ann.request("GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions");
      await ann.request("GET", "/metrics");
      await ann.request("GET", t.core("nonsense"));
    },
  },
  {
    name: "every user may discover the API",
    answers: [200, 200, 200],
    async run(t) {
      const ann = t.as(user(t, "ann"));
      await ann.request("GET", "/api", undefined, { show: ({ versions }) => versions });
      await ann.request("GET", `/apis/${GROUP}`, undefined, { show: ({ name }) => name });
      await ann.request("GET", "/openapi/v3", undefined, { show: () => "a list of documents" });
    },
  },
  {
    name: "a role allows its verbs on its resources in its namespace, and no more",
    answers: [200, 404, 403, 403, 403],
    async run(t) {
      const ann = user(t, "ann");
      await grant(t, [rule(["get", "list"], ["configmaps"])], [subject("User", ann.user)]);
      await t.as(ann).eventually(t.core("configmaps"), isAllowed);
      await t.as(ann).request("GET", t.core("configmaps", "a"));
      await t.as(ann).request("DELETE", t.core("configmaps", "a"));
      await t.as(ann).request("GET", t.core("secrets"));
      await t.as(ann).request("GET", "/api/v1/namespaces/default/configmaps");
    },
  },
  {
    name: "a role is bound to groups too",
    answers: [200, 403],
    async run(t) {
      const group = `staff.${t.namespace}`;
      await grant(t, [rule(["list"], ["configmaps"])], [subject("Group", group)]);
      await t.as(user(t, "ann", [group])).eventually(t.core("configmaps"), isAllowed);
      await t.as(user(t, "bob")).request("GET", t.core("configmaps"));
    },
  },
  {
    name: "a right may be limited to named objects, which a list never is",
    answers: [404, 403, 403, 200],
    async run(t) {
      const ann = user(t, "ann");
      const named = rule(["get", "list"], ["configmaps"], { resourceNames: ["mine"] });
      await grant(t, [named], [subject("User", ann.user)]);
      await t.as(ann).eventually(t.core("configmaps", "mine"), isAllowed);
      await t.as(ann).request("GET", t.core("configmaps", "other"));
      await t.as(ann).request("GET", t.core("configmaps"));
      await t.as(ann).request("GET", `${t.core("configmaps")}?fieldSelector=metadata.name%3Dmine`);
    },
  },
  {
    name: "a right to an object is none to its subresources, nor the other way round",
    answers: [404, 403, 403],
    async run(t) {
      const ann = user(t, "ann");
      const rules = [rule(["get"], ["gates/status"], { apiGroups: [GROUP] }), rule(["create"], ["serviceaccounts"])];
      await grant(t, rules, [subject("User", ann.user)]);
      await t.as(ann).eventually(t.custom("gates", "a/status"), isAllowed);
      await t.as(ann).request("GET", t.custom("gates", "a"));
      await t.as(ann).request("POST", t.core("serviceaccounts", "robot/token"), {});
    },
  },
  {
    name: "stars stand for all groups, resources and verbs",
    answers: [200, 200, 201, 200],
    async run(t) {
      const ann = user(t, "ann");
      await grant(t, [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }], [subject("User", ann.user)]);
      await t.as(ann).eventually(t.core("configmaps"), isAllowed);
      await t.as(ann).request("GET", t.custom("gates"));
      await t.as(ann).request("POST", t.core("configmaps"), configMap("a"));
      await t.as(ann).request("DELETE", t.core("configmaps", "a"));
    },
  },
  {
    name: "a cluster role bound in a namespace holds there alone, bound in the cluster everywhere",
    answers: [200, 403, 200],
    async run(t) {
      const name = t.namespace;
      const [ann, bob] = [user(t, "ann"), user(t, "bob")];
      await t.prepare("POST", `${RBAC}/clusterroles`, {
        metadata: { name },
        rules: [rule(["list"], ["leases"], { apiGroups: ["*"] })],
      });
      const bound = (subjects: unknown[]) => ({ metadata: { name }, roleRef: roleRef("ClusterRole", name), subjects });
      await t.prepare("POST", bindingsOf(t), bound([subject("User", ann.user)]));
      await t.prepare("POST", `${RBAC}/clusterrolebindings`, bound([subject("User", bob.user)]));
      const path = "/apis/coordination.k8s.io/v1";
      await t.as(ann).eventually(`${path}/namespaces/${name}/leases`, isAllowed);
      await t.as(ann).request("GET", `${path}/leases`);
      await t.as(bob).eventually(`${path}/leases?limit=1`, isAllowed, { show: ({ kind }) => kind });
    },
  },
  {
    name: "a cluster role allows paths that are no resources",
    answers: [200, 403],
    async run(t) {
      const name = t.namespace;
      const ann = user(t, "ann");
      const rules = [{ nonResourceURLs: ["/metrics", "/nowhere/*"], verbs: ["get"] }];
      await t.prepare("POST", `${RBAC}/clusterroles`, { metadata: { name }, rules });
      const binding = {
        metadata: { name },
        roleRef: roleRef("ClusterRole", name),
        subjects: [subject("User", ann.user)],
      };
      await t.prepare("POST", `${RBAC}/clusterrolebindings`, binding);
      await t.until(async () => {
        const review = { spec: { nonResourceAttributes: { path: "/nowhere/at/all", verb: "get" } } };
        const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
        const { status } = await t.as(ann).prepare("POST", path, review);
        return (status as { allowed: boolean }).allowed;
      }, "the path is allowed");
      await t.as(ann).request("GET", "/apis", undefined, { show: ({ kind }) => kind });
      await t.as(ann).request("GET", "/nowhere-else");
    },
  },
  {
    name: "a right ends with its binding",
    answers: [200, 403],
    async run(t) {
      const ann = user(t, "ann");
      await grant(t, [rule(["list"], ["configmaps"])], [subject("User", ann.user)]);
      await t.as(ann).eventually(t.core("configmaps"), isAllowed);
      await t.prepare("DELETE", `${bindingsOf(t)}/granted`);
      await t.as(ann).eventually(t.core("configmaps"), (answer) => !isAllowed(answer));
    },
  },
  {
    name: "a binding of a role that is not there allows nothing, and the refusal says so",
    answers: [403],
    async run(t) {
      const ann = user(t, "ann");
      const binding = {
        metadata: { name: "a" },
        roleRef: roleRef("Role", "missing"),
        subjects: [subject("User", ann.user)],
      };
      await t.prepare("POST", bindingsOf(t), binding);
      await t.as(ann).eventually(t.core("configmaps"), ({ text }) => text.includes("missing"));
    },
  },
  {
    name: "nobody gives rights that they do not have themselves",
    answers: [200, 201, 403, 403],
    async run(t) {
      const ann = user(t, "ann");
      const manage = rule(["create", "list"], ["roles", "rolebindings"], { apiGroups: ["rbac.authorization.k8s.io"] });
      await grant(t, [manage, rule(["get"], ["configmaps"])], [subject("User", ann.user)]);
      await t.as(ann).eventually(rolesOf(t), isAllowed, { show: ({ kind }) => kind });
      await t
        .as(ann)
        .request("POST", rolesOf(t), { metadata: { name: "less" }, rules: [rule(["get"], ["configmaps"])] });
      await t
        .as(ann)
        .request("POST", rolesOf(t), { metadata: { name: "more" }, rules: [rule(["get", "list"], ["configmaps"])] });
      const binding = { metadata: { name: "more" }, roleRef: roleRef("ClusterRole", "cluster-admin"), subjects: [] };
      await t.as(ann).request("POST", bindingsOf(t), binding);
    },
  },
  {
    name: "a refusal to give rights names a missing verb as often as rules ask for it",
    answers: [200, 403],
    async run(t) {
      const eve = user(t, "eve");
      const manage = rule(["create", "list"], ["roles"], { apiGroups: ["rbac.authorization.k8s.io"] });
      await grant(t, [manage], [subject("User", eve.user)]);
      await t.as(eve).eventually(rolesOf(t), isAllowed, { show: ({ kind }) => kind });
      const rules = [rule(["get", "list"], ["secrets"]), rule(["list", "watch", "get"], ["secrets", "configmaps"])];
      await t.as(eve).request("POST", rolesOf(t), { metadata: { name: "more" }, rules });
    },
  },
  {
    name: "a binding's role cannot be changed, and roles and subjects must be complete",
    answers: [422, 422, 422],
    async run(t) {
      await grant(t, [], [subject("User", "ann")]);
      const other = { metadata: { name: "granted" }, roleRef: roleRef("Role", "other") };
      await t.request("PUT", `${bindingsOf(t)}/granted`, other);
      await t.request("POST", bindingsOf(t), {
        metadata: { name: "a" },
        roleRef: roleRef("Role", ""),
        subjects: [{ kind: "User" }],
      });
      await t.request("POST", rolesOf(t), { metadata: { name: "a" }, rules: [{ resources: ["configmaps"] }] });
    },
  },
];
