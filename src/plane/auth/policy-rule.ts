// SPDX-License-Identifier: Apache-2.0
import { compareText, isList, isObject, quote } from "../../schema/go-text.ts";

/** What may be done with what. Lists that were not given are empty. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** What somebody wants to do; a request's info is one of these. */
export interface Attributes {
  readonly isResource: boolean;
  readonly verb: string;
  readonly path: string;
  readonly group: string;
  readonly namespace: string;
  readonly plural: string;
  readonly subresource: string;
  readonly name: string;
}

/** The rules of a Role or ClusterRole, whatever else is in it. */
export function rulesOf(role: unknown): readonly PolicyRule[] {
  const rules = isObject(role) ? role.rules : undefined;
  return isList(rules) ? rules.map(ruleOf) : [];
}

function ruleOf(given: unknown): PolicyRule {
  const texts = (name: string): readonly string[] => {
    const list = isObject(given) ? given[name] : undefined;
    return isList(list) ? list.filter((item) => typeof item === "string") : [];
  };
  return {
    verbs: texts("verbs"),
    apiGroups: texts("apiGroups"),
    resources: texts("resources"),
    resourceNames: texts("resourceNames"),
    nonResourceURLs: texts("nonResourceURLs"),
  };
}

/** Whether this rule alone allows it. */
export function ruleAllows(rule: PolicyRule, wanted: Attributes): boolean {
  if (!hasOrAll(rule.verbs, wanted.verb)) return false;
  if (!wanted.isResource) return rule.nonResourceURLs.some((url) => url === "*" || urlCovers(url, wanted.path));
  return (
    hasOrAll(rule.apiGroups, wanted.group) &&
    resourceMatches(rule.resources, wanted.plural, wanted.subresource) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(wanted.name))
  );
}

function hasOrAll(list: readonly string[], value: string): boolean {
  return list.includes(value) || list.includes("*");
}

function resourceMatches(resources: readonly string[], plural: string, subresource: string): boolean {
  if (subresource === "") return hasOrAll(resources, plural);
  return hasOrAll(resources, `${plural}/${subresource}`) || resources.includes(`*/${subresource}`);
}

function urlCovers(url: string, path: string): boolean {
  return url === path || (url.endsWith("*") && path.startsWith(url.replace(/\*+$/, "")));
}

/** A few kilobytes of rules can mean billions of parts: no more than this are looked at, and no more are named. */
const MOST_PARTS = 200_000;
const MOST_MISSING = 1_000;

/**
 * The parts of the wanted rules that none of the owned rules covers, each with one verb, resource and name. Of very many
 * the first are given; a rule with too many parts to look at counts as missing as a whole.
 */
export function missingRules(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const missing: PolicyRule[] = [];
  let left = MOST_PARTS;
  for (const rule of wanted) {
    if (owned.some((own) => covers(own, rule))) continue;
    for (const part of breakDown(rule)) {
      left -= 1;
      if (left < 0) return missing.length > 0 ? missing : [rule];
      if (owned.some((own) => covers(own, part))) continue;
      missing.push(part);
      if (missing.length === MOST_MISSING) return missing;
    }
  }
  return missing;
}

const NOTHING: PolicyRule = { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };

function* breakDown({
  verbs,
  apiGroups,
  resources,
  resourceNames,
  nonResourceURLs,
}: PolicyRule): Generator<PolicyRule> {
  const names = resourceNames.length === 0 ? [[]] : resourceNames.map((name) => [name]);
  for (const group of apiGroups)
    for (const resource of resources)
      for (const verb of verbs)
        for (const name of names)
          yield { ...NOTHING, apiGroups: [group], resources: [resource], verbs: [verb], resourceNames: name };
  for (const url of nonResourceURLs)
    for (const verb of verbs) yield { ...NOTHING, nonResourceURLs: [url], verbs: [verb] };
}

/** Whether the rule alone covers all of another, or of a part that `breakDown` made of one. */
function covers(rule: PolicyRule, part: PolicyRule): boolean {
  const every = (list: readonly string[], wanted: readonly string[]) => wanted.every((value) => hasOrAll(list, value));
  return (
    every(rule.verbs, part.verbs) &&
    every(rule.apiGroups, part.apiGroups) &&
    part.resources.every((resource) => resourceCovers(rule.resources, resource)) &&
    part.nonResourceURLs.every((url) => rule.nonResourceURLs.some((own) => urlCovers(own, url))) &&
    (rule.resourceNames.length === 0 ||
      (part.resourceNames.length > 0 && part.resourceNames.every((name) => rule.resourceNames.includes(name))))
  );
}

function resourceCovers(resources: readonly string[], wanted: string): boolean {
  if (hasOrAll(resources, wanted)) return true;
  const slash = wanted.indexOf("/");
  return slash >= 0 && resources.includes(`*${wanted.slice(slash)}`);
}

/** The parts as messages list them: one line per resource with all its verbs, sorted. */
export function describeRules(parts: readonly PolicyRule[]): string {
  const merged = new Map<string, PolicyRule>();
  for (const part of parts) {
    const key = JSON.stringify([part.apiGroups, part.resources, part.resourceNames, part.nonResourceURLs]);
    // Paths are not put together, only resources are.
    const known = part.nonResourceURLs.length === 0 ? merged.get(key) : undefined;
    if (known === undefined) merged.set(part.nonResourceURLs.length === 0 ? key : `${key}${part.verbs}`, part);
    else merged.set(key, { ...known, verbs: [...known.verbs, ...part.verbs] });
  }
  return [...new Set([...merged.values()].map(describe))].sort(compareText).join("\n");
}

function describe({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts = [
    ["APIGroups", apiGroups],
    ["Resources", resources],
    ["NonResourceURLs", nonResourceURLs],
    ["ResourceNames", resourceNames],
    ["Verbs", verbs],
  ] as const;
  const given = parts.filter(([, values]) => values.length > 0);
  return `{${given.map(([name, values]) => `${name}:${quoteList(values)}`).join(", ")}}`;
}

/** A list of texts as Go prints it with %q. */
export function quoteList(values: readonly string[]): string {
  return `[${values.map(quote).join(" ")}]`;
}
