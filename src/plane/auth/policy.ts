// SPDX-License-Identifier: Apache-2.0
import { isList, isObject, quote } from "../../schema/go-text.ts";
import type { Entry, KubeObject, Store, User } from "../types.ts";
import { effectiveRules } from "./aggregation.ts";
import { type PolicyRule, rulesOf } from "./policy-rule.ts";

/** A rule that somebody has, and why. */
export interface GrantedRule {
  readonly rule: PolicyRule;
  /** `ClusterRoleBinding "a" of ClusterRole "b" to User "c"`. */
  readonly source: string;
}

/** What somebody may do in a namespace, or with an empty one outside of namespaces. */
export interface Grants {
  readonly rules: readonly GrantedRule[];
  /** Roles that are bound but do not exist, in the server's words. */
  readonly errors: readonly string[];
}

/** All roles and bindings as they are now. Looked up again by itself when one of them changes. */
export interface Policy {
  grants(user: User, namespace: string): Grants;
  /** The rules behind a reference; undefined where there is no such role. */
  roleRules(reference: RoleRef, namespace: string): readonly PolicyRule[] | undefined;
}

/** Which role a binding gives. */
export interface RoleRef {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

const GROUP = "rbac.authorization.k8s.io";
const PREFIXES = ["clusterroles", "clusterrolebindings", "roles", "rolebindings"].map(
  (plural) => `${GROUP}/${plural}/`,
);

/** Users whose grants are kept ready. */
const KEPT_GRANTS = 2000;

/** The policy of a store. A lookup that was made before costs about a microsecond. */
export function createPolicy(store: Pick<Store, "list">): Policy {
  let seen: readonly (readonly Entry[])[] = [];
  let bindings = indexOf([], []);
  let clusterRoles: readonly Entry[] = [];
  let roles: readonly Entry[] = [];
  const kept = new Map<string, Grants>();
  const keptRoles = new Map<string, readonly PolicyRule[] | undefined>();

  /** A store's list is another array after each change, and only then. */
  const refresh = () => {
    const lists = PREFIXES.map((prefix) => store.list(prefix));
    if (lists.every((list, at) => list === seen[at] || (list.length === 0 && seen[at]?.length === 0))) return;
    seen = lists;
    clusterRoles = lists[0] ?? [];
    roles = lists[2] ?? [];
    bindings = indexOf(lists[1] ?? [], lists[3] ?? []);
    kept.clear();
    keptRoles.clear();
  };

  const findRules = ({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | undefined => {
    if (kind === "Role") {
      const role = roles.find(({ key }) => key === `${GROUP}/roles/${namespace}/${name}`);
      return role === undefined ? undefined : rulesOf(role.object);
    }
    const role = clusterRoles.find(({ key }) => key === `${GROUP}/clusterroles//${name}`)?.object;
    if (role === undefined || kind !== "ClusterRole") return undefined;
    return effectiveRules(
      role,
      clusterRoles.map(({ object }) => object),
    );
  };
  const roleRules = (reference: RoleRef, namespace: string) => {
    const key = `${reference.kind}/${reference.kind === "Role" ? namespace : ""}/${reference.name}`;
    if (!keptRoles.has(key)) keptRoles.set(key, findRules(reference, namespace));
    return keptRoles.get(key);
  };

  return {
    roleRules(reference, namespace) {
      refresh();
      return roleRules(reference, namespace);
    },
    grants(user, namespace) {
      refresh();
      const key = `${namespace}\n${user.name}\n${user.groups.join("\n")}`;
      const known = kept.get(key);
      if (known !== undefined) return known;
      const made = collect(bindings.of(user, namespace), (binding) => roleRules(binding.roleRef, namespace));
      if (kept.size >= KEPT_GRANTS) kept.clear();
      kept.set(key, made);
      return made;
    },
  };
}

function collect(
  bindings: readonly Bound[],
  rulesFor: (binding: Binding) => readonly PolicyRule[] | undefined,
): Grants {
  const rules: GrantedRule[] = [];
  const errors = new Set<string>();
  for (const { binding, subject } of bindings) {
    const { roleRef } = binding;
    const found = rulesFor(binding);
    if (found === undefined) errors.add(`${roleRef.kind.toLowerCase()}.${GROUP} ${quote(roleRef.name)} not found`);
    const source = describe(binding, subject);
    for (const rule of found ?? []) rules.push({ rule, source });
  }
  return { rules, errors: [...errors] };
}

interface RbacSubject {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

interface Binding {
  readonly name: string;
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly roleRef: RoleRef;
  readonly subjects: readonly RbacSubject[];
}

interface Bound {
  readonly binding: Binding;
  /** The first of the binding's subjects that is meant. */
  readonly subject: RbacSubject;
}

interface BindingIndex {
  /** Bindings of all namespaces first, then those of this one. */
  of(user: User, namespace: string): readonly Bound[];
}

/** Bindings by namespace and by whom they name, so that nobody else's are looked at. */
function indexOf(clusterBindings: readonly Entry[], roleBindings: readonly Entry[]): BindingIndex {
  const bySubject = new Map<string, Binding[]>();
  for (const { object } of [...clusterBindings, ...roleBindings]) {
    const binding = bindingOf(object);
    for (const subject of new Set(binding.subjects.map((one) => subjectKey(one, binding.namespace)))) {
      const key = `${binding.namespace}\n${subject}`;
      const known = bySubject.get(key);
      if (known === undefined) bySubject.set(key, [binding]);
      else known.push(binding);
    }
  }
  return {
    of(user, namespace) {
      const keys = new Set([`User ${user.name}`, ...user.groups.map((group) => `Group ${group}`)]);
      const isWanted = (subject: RbacSubject, binding: Binding) => keys.has(subjectKey(subject, binding.namespace));
      const bindings = new Set(
        (namespace === "" ? [""] : ["", namespace]).flatMap((space) =>
          [...keys].flatMap((key) => bySubject.get(`${space}\n${key}`) ?? []),
        ),
      );
      return [...bindings].flatMap((binding) => {
        const subject = binding.subjects.find((one) => isWanted(one, binding));
        return subject === undefined ? [] : [{ binding, subject }];
      });
    },
  };
}

/** A service account is the user of that name. */
function subjectKey({ kind, name, namespace }: RbacSubject, bindingNamespace: string): string {
  if (kind !== "ServiceAccount") return `${kind} ${name}`;
  return `User system:serviceaccount:${namespace === "" ? bindingNamespace : namespace}:${name}`;
}

function bindingOf(object: KubeObject): Binding {
  const { name = "", namespace = "" } = object.metadata;
  const { subjects } = object;
  return {
    name,
    namespace,
    roleRef: roleRefOf(object),
    subjects: isList(subjects)
      ? subjects.map((one) => ({
          kind: textAt(one, "kind"),
          name: textAt(one, "name"),
          namespace: textAt(one, "namespace"),
        }))
      : [],
  };
}

/** The role that a binding gives. */
export function roleRefOf(binding: KubeObject): RoleRef {
  const { roleRef } = binding;
  return { apiGroup: textAt(roleRef, "apiGroup"), kind: textAt(roleRef, "kind"), name: textAt(roleRef, "name") };
}

function textAt(value: unknown, name: string): string {
  const text = isObject(value) ? value[name] : undefined;
  return typeof text === "string" ? text : "";
}

function describe({ name, namespace, roleRef }: Binding, subject: RbacSubject): string {
  const [kind, full] = namespace === "" ? ["ClusterRoleBinding", name] : ["RoleBinding", `${name}/${namespace}`];
  const who =
    subject.kind === "ServiceAccount"
      ? `${subject.name}/${subject.namespace === "" ? namespace : subject.namespace}`
      : subject.name;
  return `${kind} ${quote(full)} of ${roleRef.kind} ${quote(roleRef.name)} to ${subject.kind} ${quote(who)}`;
}
