// SPDX-License-Identifier: Apache-2.0
import { isList, isObject } from "../../schema/go-text.ts";
import type { KubeObject } from "../types.ts";
import { type PolicyRule, rulesOf } from "./policy-rule.ts";

/** Whether a ClusterRole is put together from others. */
export function isAggregated(role: KubeObject): boolean {
  return selectorsOf(role).length > 0;
}

/**
 * The rules of a ClusterRole: its own, or where it is put together from others, theirs, in order of their names, each
 * once. A role among those that is put together itself counts with all that it has.
 */
export function effectiveRules(role: KubeObject, all: readonly KubeObject[]): readonly PolicyRule[] {
  const found = new Map<string, PolicyRule>();
  const collect = (current: KubeObject, within: ReadonlySet<KubeObject>) => {
    const selectors = selectorsOf(current);
    if (selectors.length === 0) {
      for (const rule of rulesOf(current)) found.set(JSON.stringify(rule), rule);
      return;
    }
    for (const selector of selectors)
      for (const other of all)
        if (!within.has(other) && selects(selector, other.metadata.labels ?? {}))
          collect(other, new Set([...within, other]));
  };
  collect(role, new Set([role]));
  return [...found.values()];
}

function selectorsOf(role: KubeObject): readonly unknown[] {
  const rule = role.aggregationRule;
  const selectors = isObject(rule) ? rule.clusterRoleSelectors : undefined;
  return isList(selectors) ? selectors : [];
}

/** Whether a label selector, as objects have them, selects these labels. */
function selects(selector: unknown, labels: Readonly<Record<string, string>>): boolean {
  if (!isObject(selector)) return false;
  const { matchLabels, matchExpressions } = selector;
  const hasLabels =
    !isObject(matchLabels) || Object.entries(matchLabels).every(([key, value]) => labels[key] === value);
  const requirements = isList(matchExpressions) ? matchExpressions : [];
  return hasLabels && requirements.every((requirement) => isMet(requirement, labels));
}

function isMet(requirement: unknown, labels: Readonly<Record<string, string>>): boolean {
  if (!isObject(requirement)) return false;
  const { key, operator, values } = requirement;
  const value = typeof key === "string" ? labels[key] : undefined;
  const isListed = value !== undefined && isList(values) && values.includes(value);
  switch (operator) {
    case "In":
      return isListed;
    case "NotIn":
      return !isListed;
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return false;
  }
}
