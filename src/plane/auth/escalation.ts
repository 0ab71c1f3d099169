// SPDX-License-Identifier: Apache-2.0

import { isObject } from "../../schema/go-text.ts";
import type { Json } from "../../schema/index.ts";
import { deepEqual } from "../../schema/json.ts";
import { forbidden, notFound, type StatusError } from "../status-error.ts";
import type { KubeObject, User } from "../types.ts";
import { isAggregated } from "./aggregation.ts";
import { decide, MASTERS } from "./authorizer.ts";
import { type Policy, roleRefOf } from "./policy.ts";
import { type Attributes, describeRules, missingRules, type PolicyRule, quoteList, rulesOf } from "./policy-rule.ts";

/** A role or binding that somebody wants to write. */
export interface RbacWrite {
  readonly user: User;
  /** Of the request; the name is empty for a create. */
  readonly info: Attributes;
  readonly object: KubeObject;
  /** What is there now, for an update. */
  readonly old?: KubeObject | undefined;
}

const GROUP = "rbac.authorization.k8s.io";
const RESOURCES = new Set(["roles", "clusterroles", "rolebindings", "clusterrolebindings"]);
const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"], resourceNames: [], nonResourceURLs: [] },
  { verbs: ["*"], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ["*"] },
];

/**
 * Why somebody may not write this role or binding: nobody gives away what he does not have, unless he may `escalate`
 * the role or `bind` it. Undefined where he may, and for all other resources.
 */
export function escalationProblem(policy: Policy, write: RbacWrite): StatusError | undefined {
  const { user, info, object, old } = write;
  if (info.group !== GROUP || !RESOURCES.has(info.plural) || info.subresource !== "") return undefined;
  if (user.groups.includes(MASTERS) || isHousekeeping(object, old)) return undefined;
  return info.plural.endsWith("bindings") ? bindingProblem(policy, write) : roleProblem(policy, write);
}

function roleProblem(policy: Policy, { user, info, object, old }: RbacWrite): StatusError | undefined {
  if (decide(policy, user, { ...info, verb: "escalate" }).allowed) return undefined;
  const refuse = (why: string) => forbidden({ group: GROUP, plural: info.plural }, object.metadata.name ?? "", why);
  const missing = missingGrant(policy, { user, namespace: info.namespace, rules: rulesOf(object) });
  if (missing !== undefined) return refuse(missing);
  if (info.plural !== "clusterroles" || !(isAggregated(object) || (old !== undefined && isAggregated(old))))
    return undefined;
  if (missingGrant(policy, { user, namespace: "", rules: EVERYTHING }) === undefined) return undefined;
  return refuse("must have cluster-admin privileges to use the aggregationRule");
}

function bindingProblem(policy: Policy, { user, info, object }: RbacWrite): StatusError | undefined {
  const reference = roleRefOf(object);
  const { kind, apiGroup, name } = reference;
  const plural = kind === "Role" ? "roles" : "clusterroles";
  const bind = { ...info, isResource: true, verb: "bind", group: apiGroup, plural, name };
  if ((kind === "Role" || kind === "ClusterRole") && decide(policy, user, bind).allowed) return undefined;
  const rules = policy.roleRules(reference, info.namespace);
  // The real server names the binding's resource here, and so do we.
  if (rules === undefined) return notFound({ group: GROUP, plural: info.plural }, name);
  const missing = missingGrant(policy, { user, namespace: info.namespace, rules });
  if (missing === undefined) return undefined;
  return forbidden({ group: GROUP, plural: info.plural }, object.metadata.name ?? "", missing);
}

interface Grant {
  readonly user: User;
  readonly namespace: string;
  readonly rules: readonly PolicyRule[];
}

function missingGrant(policy: Policy, { user, namespace, rules }: Grant): string | undefined {
  const { rules: granted, errors } = policy.grants(user, namespace);
  const missing = missingRules(
    granted.map(({ rule }) => rule),
    rules,
  );
  if (missing.length === 0) return undefined;
  const list = errors.length === 1 ? errors[0] : `[${errors.join(", ")}]`;
  return (
    `user "${user.name}" (groups=${quoteList(user.groups)}) is attempting to grant RBAC permissions not currently held:\n` +
    describeRules(missing) +
    (errors.length === 0 ? "" : `; resolution errors: [${list}]`)
  );
}

const HOUSEKEEPING = ["ownerReferences", "finalizers", "managedFields", "resourceVersion"];

/** Whether an update changes only what garbage collection needs. */
function isHousekeeping(object: KubeObject, old: KubeObject | undefined): boolean {
  return old !== undefined && deepEqual(substance(object), substance(old));
}

function substance(object: unknown): Json {
  if (!isObject(object)) return null;
  const metadata = isObject(object.metadata) ? Object.entries(object.metadata) : [];
  return { ...object, metadata: Object.fromEntries(metadata.filter(([name]) => !HOUSEKEEPING.includes(name))) };
}
