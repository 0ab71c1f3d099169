// SPDX-License-Identifier: Apache-2.0
import { quote } from "../../schema/go-text.ts";
import { forbidden, type StatusError } from "../status-error.ts";
import type { User } from "../types.ts";
import type { Policy } from "./policy.ts";
import { type Attributes, ruleAllows } from "./policy-rule.ts";

/** Whether somebody may do something, and which binding says so, or what went wrong while looking. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

/** The group that may do everything, whatever the roles say. */
export const MASTERS = "system:masters";

const MASTER: Decision = { allowed: true, reason: "" };
const DENIED: Decision = { allowed: false, reason: "" };

/** Decides by the roles and bindings as they are now. */
export function decide(policy: Policy, user: User, wanted: Attributes): Decision {
  if (user.groups.includes(MASTERS)) return MASTER;
  const { rules, errors } = policy.grants(user, wanted.namespace);
  const granted = rules.find(({ rule }) => ruleAllows(rule, wanted));
  if (granted !== undefined) return { allowed: true, reason: `RBAC: allowed by ${granted.source}` };
  if (errors.length === 0) return DENIED;
  return { allowed: false, reason: `RBAC: ${errors.length === 1 ? errors[0] : `[${errors.join(", ")}]`}` };
}

/** What the server answers to who may not do it. */
export function denial(user: User, wanted: Attributes, reason: string): StatusError {
  const words = forbiddenWords(user, wanted).replace(/[&<>]/g, (character) => ENTITIES[character] ?? character);
  const resource = wanted.isResource ? { group: wanted.group, plural: wanted.plural } : { group: "", plural: "" };
  return forbidden(resource, wanted.isResource ? wanted.name : "", reason === "" ? words : `${words}: ${reason}`);
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function forbiddenWords({ name }: User, wanted: Attributes): string {
  const { isResource, verb, path, group, namespace, plural, subresource } = wanted;
  if (!isResource) return `User ${quote(name)} cannot ${verb} path ${quote(path)}`;
  const resource = subresource === "" ? plural : `${plural}/${subresource}`;
  const scope = namespace === "" ? "at the cluster scope" : `in the namespace ${quote(namespace)}`;
  return `User ${quote(name)} cannot ${verb} resource ${quote(resource)} in API group ${quote(group)} ${scope}`;
}
