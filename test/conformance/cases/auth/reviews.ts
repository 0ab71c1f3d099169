// SPDX-License-Identifier: Apache-2.0
import type { Case, JsonObject } from "../../framework/types.ts";
import { bindingsOf, grant, isAllowed, roleRef, rolesOf, rule, subject, user } from "./kinds.ts";

const REVIEWS = "/apis/authorization.k8s.io/v1";

function review(kind: string, spec: JsonObject): JsonObject {
  return { apiVersion: "authorization.k8s.io/v1", kind, spec };
}

export const reviews: readonly Case[] = [
  {
    name: "everybody may ask what they may do",
    answers: [200, 201, 201, 201],
    async run(t) {
      const { namespace } = t;
      const ann = user(t, "ann");
      await grant(t, [rule(["list"], ["configmaps"])], [subject("User", ann.user)]);
      await t.as(ann).eventually(t.core("configmaps"), isAllowed, { show: ({ kind }) => kind });
      const ask = (resourceAttributes: JsonObject) => review("SelfSubjectAccessReview", { resourceAttributes });
      const path = `${REVIEWS}/selfsubjectaccessreviews`;
      await t.as(ann).request("POST", path, ask({ namespace, verb: "list", resource: "configmaps" }));
      await t.as(ann).request("POST", path, ask({ namespace, verb: "delete", resource: "configmaps" }));
      await t.request("POST", path, ask({ verb: "delete", resource: "configmaps" }));
    },
  },
  {
    name: "a review must ask for something, and for one thing only",
    answers: [422, 422],
    async run(t) {
      const path = `${REVIEWS}/selfsubjectaccessreviews`;
      await t.request("POST", path, review("SelfSubjectAccessReview", {}));
      const both = { resourceAttributes: { verb: "get" }, nonResourceAttributes: { path: "/", verb: "get" } };
      await t.request("POST", path, review("SelfSubjectAccessReview", both));
    },
  },
  {
    name: "a user can list the rules that hold for them in a namespace",
    answers: [200, 201],
    async run(t) {
      const { namespace } = t;
      const ann = user(t, "ann");
      const named = rule(["get"], ["configmaps"], { resourceNames: ["mine"] });
      await grant(t, [rule(["list"], ["configmaps"]), named], [subject("User", ann.user)]);
      await t.as(ann).eventually(t.core("configmaps"), isAllowed, { show: ({ kind }) => kind });
      const show = ({ status }: JsonObject) => {
        const { resourceRules, incomplete } = status as {
          resourceRules: { resources: string[] }[];
          incomplete: boolean;
        };
        return { incomplete, rules: resourceRules.filter(({ resources }) => resources.includes("configmaps")) };
      };
      const path = `${REVIEWS}/selfsubjectrulesreviews`;
      await t.as(ann).request("POST", path, review("SelfSubjectRulesReview", { namespace }), { show });
    },
  },
  {
    name: "who may do so can ask about others",
    answers: [201, 201, 403],
    async run(t) {
      const { namespace } = t;
      const ann = user(t, "ann");
      await grant(t, [rule(["list"], ["configmaps"])], [subject("User", ann.user)]);
      await t.as(ann).prepare("GET", "/api");
      const resourceAttributes = { namespace, verb: "list", resource: "configmaps" };
      const about = (name: string) => review("SubjectAccessReview", { user: name, resourceAttributes });
      await t.until(async () => {
        const { status } = await t.prepare("POST", `${REVIEWS}/subjectaccessreviews`, about(ann.user));
        return (status as { allowed: boolean }).allowed;
      }, "the right is known");
      await t.request("POST", `${REVIEWS}/subjectaccessreviews`, about(ann.user));
      await t.request("POST", `${REVIEWS}/subjectaccessreviews`, about("nobody"));
      await t.as(ann).request("POST", `${REVIEWS}/subjectaccessreviews`, about("nobody"));
    },
  },
  {
    name: "a review in a namespace is about that namespace",
    answers: [201, 422],
    async run(t) {
      const path = `${REVIEWS}/namespaces/${t.namespace}/localsubjectaccessreviews`;
      const about = (namespace: string) =>
        review("LocalSubjectAccessReview", {
          user: "ann",
          resourceAttributes: { namespace, verb: "list", resource: "configmaps" },
        });
      await t.request("POST", path, { ...about(t.namespace), metadata: { namespace: t.namespace } });
      await t.request("POST", path, { ...about("elsewhere"), metadata: { namespace: t.namespace } });
    },
  },
  {
    name: "roles and bindings are created by an update, and kept as they are",
    answers: [201, 201],
    async run(t) {
      const rules = [rule(["get"], ["configmaps"]), rule(["*"], ["*"], { apiGroups: ["*"] })];
      await t.request("PUT", `${rolesOf(t)}/a`, { metadata: { name: "a" }, rules });
      const subjects = [
        { kind: "User", name: "ann" },
        { kind: "Group", name: "staff" },
        { kind: "ServiceAccount", name: "robot" },
      ];
      const named = subjects.map((each) =>
        each.kind === "ServiceAccount" ? { ...each, namespace: "elsewhere" } : each,
      );
      const binding = { metadata: { name: "a" }, roleRef: roleRef("Role", "a"), subjects: named };
      await t.request("PUT", `${bindingsOf(t)}/a`, binding);
    },
  },
];
