// SPDX-License-Identifier: Apache-2.0
import type { ResourceRule, SelfSubjectRulesReview } from "../../kube/index.ts";
import type { ReviewAttributes } from "./rights.ts";

/** What the kubeconfig's user may do in one namespace. */
export interface GrantedRules {
  /** Whether it has the right; undefined where the server has not told of everything. */
  grants(right: ReviewAttributes): boolean | undefined;
}

/** Reads the answer to the question for all of them. Rules add up, so what is granted by one of them is granted. */
export function grantedRules(status: SelfSubjectRulesReview["status"]): GrantedRules {
  const rules = status?.resourceRules ?? [];
  const isWhole = status !== undefined && !status.incomplete && status.evaluationError === undefined;
  return {
    grants(right) {
      if (rules.some((rule) => isGrantedBy(rule, right))) return true;
      return isWhole ? false : undefined;
    },
  };
}

function isGrantedBy(rule: ResourceRule, { kind, verb, name }: ReviewAttributes): boolean {
  const { verbs, apiGroups = [], resources = [], resourceNames = [] } = rule;
  const isNamed = resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name));
  return has(verbs, verb) && has(apiGroups, kind.group) && has(resources, kind.plural) && isNamed;
}

function has(texts: readonly string[], text: string): boolean {
  return texts.includes(text) || texts.includes("*");
}
