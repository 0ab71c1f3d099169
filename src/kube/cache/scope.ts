// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from "../types.ts";

/** Which objects of the kind. */
export interface Scope {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Whether an object belongs; undefined where only the server can tell. */
export type ScopeTest = (object: KubeObject) => boolean | undefined;

type Labels = Readonly<Record<string, string>>;

/** Makes the test of a scope, by the rules of API servers. A selector that cannot be read is left to the server. */
export function scopeTest({ namespace, labelSelector = "", fieldSelector = "" }: Scope): ScopeTest {
  const tests: ScopeTest[] = [
    ...(namespace === undefined ? [] : [({ metadata }: KubeObject) => metadata.namespace === namespace]),
    ...requirements(labelSelector).map(labelTest),
    ...requirements(fieldSelector).map(fieldTest),
  ];
  return (object) => {
    let isCertain = true;
    for (const test of tests) {
      const belongs = test(object);
      if (belongs === false) return false;
      isCertain &&= belongs === true;
    }
    return isCertain || undefined;
  };
}

/** Commas inside of parentheses separate values, not requirements. */
function requirements(selector: string): string[] {
  return selector
    .split(/,(?![^(]*\))/)
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

function labelTest(requirement: string): ScopeTest {
  const matches = labelMatch(requirement);
  return ({ metadata: { labels = {} } }) => matches?.(labels);
}

function labelMatch(requirement: string): ((labels: Labels) => boolean) | undefined {
  const exists = /^(!?)\s*([^\s=!<>(),]+)$/.exec(requirement);
  if (exists !== null) {
    const [, not = "", key = ""] = exists;
    return (labels) => Object.hasOwn(labels, key) === (not === "");
  }
  const oneOf = /^([^\s=!<>(),]+)\s+(in|notin)\s*\(([^()]*)\)$/.exec(requirement);
  const equals = /^([^\s=!<>(),]+)\s*(=|==|!=)\s*([^\s=!<>(),]*)$/.exec(requirement);
  const [, key = "", operator = "", text = ""] = oneOf ?? equals ?? [];
  if (operator === "") return undefined;
  const values = (oneOf === null ? [text] : text.split(",")).map((each) => each.trim());
  const isNegative = operator === "notin" || operator === "!=";
  // What has no such label has none of the values either.
  return (labels) => (Object.hasOwn(labels, key) && values.includes(labels[key] ?? "")) !== isNegative;
}

/** What other fields are called, and which of them can be asked for, every kind decides by itself. */
function fieldTest(requirement: string): ScopeTest {
  const [, field = "", operator = "", value = ""] = /^([^=!\s]+)\s*(=|==|!=)\s*(\S*)$/.exec(requirement) ?? [];
  return ({ metadata: { name = "", namespace = "" } }) => {
    if (field === "metadata.name") return (name === value) !== (operator === "!=");
    if (field === "metadata.namespace") return (namespace === value) !== (operator === "!=");
    return undefined;
  };
}
