// SPDX-License-Identifier: Apache-2.0
import { isObject } from "../../schema/go-text.ts";
import type { Json, Problem } from "../../schema/index.ts";
import { deepEqual, type MutableObject } from "../../schema/json.ts";
import { subdomainName } from "../../schema/metadata-rules.ts";
import { child, index, type Place } from "../../schema/place.ts";
import { at, notSupported, required } from "../../schema/problems.ts";
import type { KubeObject, ResourceType, TableColumn } from "../types.ts";
import { ageColumn, column, nameColumn } from "./columns.ts";
import { list, needed, of, optional, struct, text } from "./fields.ts";
import { builtIn, type KindDefinition } from "./kind.ts";
import { rbacName } from "./roles.ts";
import {
  createdMetadata,
  field,
  invalidFor,
  invalidText,
  listAt,
  mapAt,
  textAt,
  updatedMetadata,
  valueAt,
  within,
} from "./rules.ts";

const GROUP = "rbac.authorization.k8s.io";
const RBAC = "io.k8s.api.rbac.v1";

const subject = struct(
  `${RBAC}.Subject`,
  "Somebody who gets permissions.",
  {
    kind: needed(text, "User, Group or ServiceAccount."),
    apiGroup: optional(text, "Empty for a ServiceAccount, rbac.authorization.k8s.io for the others."),
    name: needed(text, "Who it is."),
    namespace: optional(text, "The namespace of a ServiceAccount."),
  },
  { isAtomic: true },
);

const roleRef = struct(
  `${RBAC}.RoleRef`,
  "The role that is given.",
  {
    apiGroup: { ...needed(text, "Always rbac.authorization.k8s.io."), isRequired: false },
    kind: needed(text, "Role or ClusterRole."),
    name: needed(text, "Name of the role."),
  },
  { isAtomic: true },
);

const bindingFields = {
  subjects: optional(list(of(subject)), "Who gets the permissions."),
  roleRef: needed(of(roleRef), "Which role they get. Cannot be changed."),
};

/** RoleBindings: who has which permissions in a namespace. */
export const roleBindings: ResourceType = builtIn({
  ...bindingDefinition(true),
  kind: "RoleBinding",
  plural: "rolebindings",
  about: "Gives the permissions of a Role or ClusterRole within one namespace.",
  columns: columnsFor("roleBinding"),
});

/** ClusterRoleBindings: who has which permissions everywhere. */
export const clusterRoleBindings: ResourceType = builtIn({
  ...bindingDefinition(false),
  kind: "ClusterRoleBinding",
  plural: "clusterrolebindings",
  about: "Gives the permissions of a ClusterRole everywhere.",
  columns: columnsFor("clusterRoleBinding"),
});

type Shared = Omit<KindDefinition, "kind" | "plural" | "about" | "columns">;

function bindingDefinition(namespaced: boolean): Shared {
  return {
    group: GROUP,
    namespaced,
    definitions: RBAC,
    fields: bindingFields,
    setDefaults,
    allowsCreateOnUpdate: true,
    behaviour: {
      validate(object, old) {
        const problems = problemsOf(object, namespaced);
        return old === undefined
          ? problems
          : [...problems, ...updatedMetadata(object, old), ...refProblems(object, old)];
      },
    },
  };
}

function setDefaults(object: MutableObject): void {
  within(object, "roleRef").apiGroup ||= GROUP;
  const { subjects } = object;
  if (!Array.isArray(subjects)) return;
  for (const item of subjects)
    if (isObject(item) && ["User", "Group"].includes(textAt(item, "kind"))) item.apiGroup ||= GROUP;
}

function refProblems(object: KubeObject, old: KubeObject): Problem[] {
  const now = valueAt(object, "roleRef");
  if (deepEqual(now, valueAt(old, "roleRef"))) return [];
  const shown = { APIGroup: textAt(now, "apiGroup"), Kind: textAt(now, "kind"), Name: textAt(now, "name") };
  return [invalidText(field("roleRef"), shown, "cannot change roleRef")];
}

function problemsOf(object: KubeObject, isNamespaced: boolean): Problem[] {
  const problems = createdMetadata(object, rbacName);
  const ref = mapAt(object, "roleRef");
  const kinds = isNamespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
  if (textAt(ref, "apiGroup") !== GROUP)
    problems.push(notSupported(at(field("roleRef", "apiGroup")), textAt(ref, "apiGroup"), [GROUP]));
  if (!kinds.includes(textAt(ref, "kind")))
    problems.push(notSupported(at(field("roleRef", "kind")), textAt(ref, "kind"), kinds));
  const name = textAt(ref, "name");
  if (name === "") problems.push(required(at(field("roleRef", "name"))));
  else problems.push(...invalidFor(field("roleRef", "name"), name, rbacName(name, false)));
  for (const [position, item] of listAt(object, "subjects").entries())
    problems.push(...subjectProblems(item, index(field("subjects"), position), isNamespaced));
  return problems;
}

function subjectProblems(item: Json, place: Place, isNamespaced: boolean): Problem[] {
  const problems: Problem[] = [];
  const name = textAt(item, "name");
  const kind = textAt(item, "kind");
  const group = textAt(item, "apiGroup");
  if (name === "") problems.push(required(at(child(place, "name"))));
  if (kind === "ServiceAccount") {
    if (name !== "") problems.push(...invalidFor(child(place, "name"), name, subdomainName(name, false)));
    if (group !== "") problems.push(notSupported(at(child(place, "apiGroup")), group, [""]));
    if (!isNamespaced && textAt(item, "namespace") === "") problems.push(required(at(child(place, "namespace"))));
  } else if (kind === "User" || kind === "Group") {
    if (group !== GROUP) problems.push(notSupported(at(child(place, "apiGroup")), group, [GROUP]));
  } else problems.push(notSupported(at(child(place, "kind")), kind, ["ServiceAccount", "User", "Group"]));
  return problems;
}

function columnsFor(kind: string): TableColumn[] {
  const subjects = (object: KubeObject, wanted: string) =>
    listAt(object, "subjects")
      .filter((item) => textAt(item, "kind") === wanted)
      .map((item) => (wanted === "ServiceAccount" ? `${textAt(item, "namespace")}/` : "") + textAt(item, "name"))
      .join(", ");
  const wide = (name: string, wanted: string) =>
    column(name, `${name} in the ${kind}`, (object) => subjects(object, wanted), { isWide: true });
  return [
    nameColumn,
    column(
      "Role",
      "The role that is given.",
      (object) => `${textAt(object, "roleRef", "kind")}/${textAt(object, "roleRef", "name")}`,
    ),
    ageColumn,
    wide("Users", "User"),
    wide("Groups", "Group"),
    wide("ServiceAccounts", "ServiceAccount"),
  ];
}
