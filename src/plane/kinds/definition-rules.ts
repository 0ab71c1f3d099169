// SPDX-License-Identifier: Apache-2.0
import type { Json, Problem } from "../../schema/index.ts";
import { deepEqual } from "../../schema/json.ts";
import { type NameRule, subdomainName } from "../../schema/metadata-rules.ts";
import { dns1035LabelProblems, dns1123SubdomainProblems } from "../../schema/names.ts";
import { child, index, key, type Place } from "../../schema/place.ts";
import { at, invalid, notSupported, required } from "../../schema/problems.ts";
import type { KubeObject } from "../types.ts";
import { conversionProblems } from "./conversion-rules.ts";
import {
  anyMetadata,
  anyMetadataChange,
  field,
  immutable,
  invalidText,
  listAt,
  textAt,
  textsAt,
  valueAt,
} from "./rules.ts";
import { versionProblems, versionsText } from "./version-rules.ts";

const APPROVAL = "api-approved.kubernetes.io";

/**
 * What is wrong with a CustomResourceDefinition apart from the insides of its schemas, whose rules are those of
 * structural schemas and not of this kind.
 */
export function definitionProblems(crd: KubeObject, old: KubeObject | undefined): Problem[] {
  if (old !== undefined && !deepEqual(valueAt(crd, "status"), valueAt(old, "status")) && isSameSpec(crd, old))
    return [
      ...anyMetadataChange(crd, old),
      ...namesProblems(valueAt(crd, "status", "acceptedNames"), field("status", "acceptedNames")),
    ];
  return [
    ...(old === undefined ? anyMetadata(crd, nameRuleOf(crd)) : anyMetadataChange(crd, old)),
    ...specProblems(crd),
    ...(old === undefined ? [] : specChangeProblems(crd, old)),
    ...namesProblems(valueAt(crd, "status", "acceptedNames"), field("status", "acceptedNames")),
    ...storedProblems(crd),
    ...approvalProblems(crd, old),
    ...preserveProblems(crd, old),
  ];
}

function isSameSpec(crd: KubeObject, old: KubeObject): boolean {
  return deepEqual(valueAt(crd, "spec"), valueAt(old, "spec"));
}

function nameRuleOf(crd: KubeObject): NameRule {
  const wanted = `${textAt(crd, "spec", "names", "plural")}.${textAt(crd, "spec", "group")}`;
  return (name, isPrefix) => [
    ...subdomainName(name, isPrefix),
    ...(name === wanted ? [] : ['must be spec.names.plural+"."+spec.group']),
  ];
}

function specProblems(crd: KubeObject): Problem[] {
  const versions = listAt(crd, "spec", "versions");
  const problems = [...groupProblems(textAt(crd, "spec", "group")), ...scopeProblems(textAt(crd, "spec", "scope"))];
  for (const [position, version] of versions.entries())
    if (valueAt(version, "schema", "openAPIV3Schema") === undefined)
      problems.push(
        required(at(child(child(index(field("spec", "versions"), position), "schema"), "openAPIV3Schema"))),
      );
  problems.push(...versionProblems(versions), ...versionListProblems(crd, versions));
  for (const name of ["plural", "singular", "kind", "listKind"])
    if (textAt(crd, "spec", "names", name) === "") problems.push(required(at(field("spec", "names", name))));
  problems.push(...namesProblems(valueAt(crd, "spec", "names"), field("spec", "names")));
  problems.push(...versionProblems(versions, { areShared: true }));
  return [...problems, ...conversionProblems(crd)];
}

function groupProblems(group: string): Problem[] {
  const location = at(field("spec", "group"));
  if (group === "") return [required(location)];
  const words = dns1123SubdomainProblems(group);
  if (words.length > 0) return [invalid(location, group, words.join(","))];
  return group.includes(".") ? [] : [invalid(location, group, "should be a domain with at least one dot")];
}

function scopeProblems(scope: string): Problem[] {
  const location = at(field("spec", "scope"));
  if (scope === "") return [required(location)];
  return ["Cluster", "Namespaced"].includes(scope) ? [] : [notSupported(location, scope, ["Cluster", "Namespaced"])];
}

function versionListProblems(crd: KubeObject, versions: readonly Json[]): Problem[] {
  const place = field("spec", "versions");
  // A list that was given is a list, also where it is empty.
  const shown = versions.length === 0 ? (valueAt(crd, "spec", "versions") ?? null) : versionsText(versions);
  const problems: Problem[] = [];
  const names = versions.map((version) => textAt(version, "name"));
  if (new Set(names).size < names.length) problems.push(invalidText(place, shown, "must contain unique version names"));
  if (versions.filter((version) => valueAt(version, "storage") === true).length !== 1)
    problems.push(invalidText(place, shown, "must have exactly one version marked as storage version"));
  const [first] = versions;
  const words = dns1035LabelProblems(textAt(first, "name"));
  if (first !== undefined && textAt(first, "name") !== "" && words.length > 0)
    problems.push(invalid(at(field("spec", "version")), textAt(first, "name"), words.join(",")));
  return problems;
}

function namesProblems(names: Json | undefined, place: Place): Problem[] {
  const problems: Problem[] = [];
  const check = (name: string, value: string, prefix = "") => {
    const words = value === "" ? [] : dns1035LabelProblems(prefix === "" ? value : value.toLowerCase());
    if (words.length > 0) problems.push(invalid(at(child(place, name)), value, prefix + words.join(",")));
  };
  const mixed = "may have mixed case, but should otherwise match: ";
  check("plural", textAt(names, "plural"));
  check("singular", textAt(names, "singular"));
  check("kind", textAt(names, "kind"), mixed);
  check("listKind", textAt(names, "listKind"), mixed);
  const checkEach = (list: string) => {
    for (const [position, value] of textsAt(names, list).entries()) {
      const words = dns1035LabelProblems(value);
      if (words.length > 0) problems.push(invalid(at(index(child(place, list), position)), value, words.join(",")));
    }
  };
  checkEach("shortNames");
  const kind = textAt(names, "kind");
  if (kind !== "" && kind === textAt(names, "listKind"))
    problems.push(invalid(at(child(place, "listKind")), kind, "kind and listKind may not be the same"));
  checkEach("categories");
  return problems;
}

function specChangeProblems(crd: KubeObject, old: KubeObject): Problem[] {
  const isEstablished = listAt(old, "status", "conditions").some(
    (condition) => textAt(condition, "type") === "Established" && textAt(condition, "status") === "True",
  );
  return [
    ...(isEstablished ? immutable(crd, old, "spec", "scope") : []),
    ...(isEstablished ? immutable(crd, old, "spec", "names", "kind") : []),
    ...immutable(crd, old, "spec", "group"),
    ...immutable(crd, old, "spec", "names", "plural"),
  ];
}

function storedProblems(crd: KubeObject): Problem[] {
  const place = field("status", "storedVersions");
  const stored = textsAt(crd, "status", "storedVersions");
  if (stored.length === 0) return [invalid(at(place), null, "must have at least one stored version")];
  const versions = listAt(crd, "spec", "versions");
  const problems: Problem[] = [];
  const unseen = new Set(stored);
  for (const version of versions) {
    const name = textAt(version, "name");
    // A name that comes twice counts once: the second is found missing.
    if (!unseen.delete(name) && valueAt(version, "storage") === true)
      problems.push(invalid(at(place), stored, `must have the storage version ${name}`));
  }
  for (const [position, name] of stored.entries()) {
    if (versions.some((version) => textAt(version, "name") === name)) continue;
    const words =
      `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until ` +
      `a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    problems.push(invalid(at(index(place, position)), name, words));
  }
  return problems;
}

/** Groups that belong to Kubernetes need a sign that their API was reviewed. */
function approvalProblems(crd: KubeObject, old: KubeObject | undefined): Problem[] {
  if (!/(^|\.)(k8s\.io|kubernetes\.io)$/.test(textAt(crd, "spec", "group"))) return [];
  const value = crd.metadata.annotations?.[APPROVAL];
  const before = approvalState(old?.metadata.annotations?.[APPROVAL]);
  if (old !== undefined && before === approvalState(value)) return [];
  const location = at(key(field("metadata", "annotations"), APPROVAL));
  const page = "https://github.com/kubernetes/enhancements/pull/1111";
  switch (approvalState(value)) {
    case "missing":
      return [required(location, `protected groups must have approval annotation "${APPROVAL}", see ${page}`)];
    case "invalid":
      return [
        invalid(
          location,
          value,
          `protected groups must have approval annotation "${APPROVAL}" with either a URL or a reason starting with ` +
            `"unapproved", see ${page}`,
        ),
      ];
    default:
      return [];
  }
}

function approvalState(value: string | undefined): "missing" | "invalid" | "bypassed" | "approved" {
  if (value === undefined || value === "") return "missing";
  if (value.startsWith("unapproved")) return "bypassed";
  const url = URL.canParse(value) ? new URL(value) : undefined;
  return url !== undefined && url.host !== "" && url.protocol !== "" ? "approved" : "invalid";
}

function preserveProblems(crd: KubeObject, old: KubeObject | undefined): Problem[] {
  if (valueAt(old, "spec", "preserveUnknownFields") === true) return [];
  if (valueAt(crd, "spec", "preserveUnknownFields") !== true) return [];
  const words =
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
  return [invalid(at(field("spec", "preserveUnknownFields")), true, words)];
}
