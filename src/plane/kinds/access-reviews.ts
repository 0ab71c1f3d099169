// SPDX-License-Identifier: Apache-2.0
import type { Json, Problem } from "../../schema/index.ts";
import { child, fieldOf, index, type Place } from "../../schema/place.ts";
import { at, invalid, required } from "../../schema/problems.ts";
import type { KubeObject, ResourceType } from "../types.ts";
import { boolean, list, map, needed, of, optional, pointer, shown, struct, text } from "./fields.ts";
import { builtIn, type KindDefinition } from "./kind.ts";
import { fieldSelectorRequirement, selectorRequirement } from "./metadata.ts";
import { field, listAt, requirementProblems, textAt, valueAt } from "./rules.ts";

const AUTHORIZATION = "io.k8s.api.authorization.v1";

function selectorAttributes(name: string, what: string, requirement: typeof selectorRequirement) {
  return struct(`${AUTHORIZATION}.${name}`, `The ${what} selector of a request.`, {
    rawSelector: optional(text, "The selector as it stands in the URL."),
    requirements: optional(list(of(requirement)), "The selector taken apart."),
  });
}

const resourceAttributes = struct(`${AUTHORIZATION}.ResourceAttributes`, "A request for a resource.", {
  namespace: optional(text, "The namespace; empty for all, or for what is in none."),
  verb: optional(text, "What is to be done, * for everything."),
  group: optional(text, "The group, * for all."),
  version: optional(text, "The version, * for all."),
  resource: optional(text, "The resource, * for all."),
  subresource: optional(text, "The subresource."),
  name: optional(text, "One object; all when empty."),
  fieldSelector: pointer(
    of(selectorAttributes("FieldSelectorAttributes", "field", fieldSelectorRequirement)),
    "The field selector of the request.",
  ),
  labelSelector: pointer(
    of(selectorAttributes("LabelSelectorAttributes", "label", selectorRequirement)),
    "The label selector of the request.",
  ),
});

const nonResourceAttributes = struct(`${AUTHORIZATION}.NonResourceAttributes`, "A request for a path.", {
  path: optional(text, "The path."),
  verb: optional(text, "The method in lower case."),
});

const requestFields = {
  resourceAttributes: pointer(of(resourceAttributes), "A request for a resource."),
  nonResourceAttributes: pointer(of(nonResourceAttributes), "A request for a path that is no resource."),
};

const selfSpec = struct(`${AUTHORIZATION}.SelfSubjectAccessReviewSpec`, "What you want to do.", requestFields);

const subjectSpec = struct(`${AUTHORIZATION}.SubjectAccessReviewSpec`, "Who wants to do what.", {
  ...requestFields,
  user: optional(text, "The user's name."),
  groups: optional(list(text), "The user's groups."),
  extra: optional(map(list(text, "v1.ExtraValue")), "What else is known of the user."),
  uid: optional(text, "The user's id."),
});

const accessStatus = struct(`${AUTHORIZATION}.SubjectAccessReviewStatus`, "Whether it is allowed.", {
  allowed: needed(boolean, "Whether it is allowed."),
  denied: optional(boolean, "Whether it is refused for good, whatever others would say."),
  reason: optional(text, "Why."),
  evaluationError: optional(text, "What went wrong while finding out."),
});

const resourceRule = struct(`${AUTHORIZATION}.ResourceRule`, "What may be done with what.", {
  verbs: needed(list(text), "What may be done."),
  apiGroups: optional(list(text), "The groups."),
  resources: optional(list(text), "The resources."),
  resourceNames: optional(list(text), "The names; all when empty."),
});

const nonResourceRule = struct(`${AUTHORIZATION}.NonResourceRule`, "What may be done with paths.", {
  verbs: needed(list(text), "What may be done."),
  nonResourceURLs: optional(list(text), "The paths."),
});

const rulesStatus = struct(`${AUTHORIZATION}.SubjectRulesReviewStatus`, "What is allowed.", {
  resourceRules: needed(list(of(resourceRule)), "What is allowed with resources."),
  nonResourceRules: needed(list(of(nonResourceRule)), "What is allowed with paths."),
  incomplete: needed(boolean, "Whether there may be more."),
  evaluationError: optional(text, "What went wrong while finding out."),
});

const rulesSpec = struct(`${AUTHORIZATION}.SelfSubjectRulesReviewSpec`, "Where.", {
  namespace: optional(text, "The namespace."),
});

type Own = Pick<KindDefinition, "kind" | "about" | "fields" | "behaviour"> & { namespaced?: boolean };

function review({ kind, about, fields, behaviour, namespaced = false }: Own): ResourceType {
  return builtIn({
    group: "authorization.k8s.io",
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced,
    verbs: ["create"],
    definitions: AUTHORIZATION,
    about,
    fields,
    isVirtual: true,
    behaviour,
  });
}

const accessFields = { status: shown(of(accessStatus), "The answer.") };

/** May I do this? */
export const selfSubjectAccessReviews = review({
  kind: "SelfSubjectAccessReview",
  about: "The question whether you may do something, with its answer.",
  fields: { spec: needed(of(selfSpec), "What you want to do."), ...accessFields },
  behaviour: { validate: (object) => [...requestProblems(object), ...metadataProblems(object, "must be empty")] },
});

/** May somebody do this? */
export const subjectAccessReviews = review({
  kind: "SubjectAccessReview",
  about: "The question whether somebody may do something, with its answer.",
  fields: { spec: needed(of(subjectSpec), "Who wants to do what."), ...accessFields },
  behaviour: {
    validate: (object) => [...requestProblems(object, true), ...metadataProblems(object, "must be empty")],
  },
});

/** May somebody do this in a namespace? */
export const localSubjectAccessReviews = review({
  kind: "LocalSubjectAccessReview",
  about: "The question whether somebody may do something in this namespace, with its answer.",
  namespaced: true,
  fields: { spec: needed(of(subjectSpec), "Who wants to do what."), ...accessFields },
  behaviour: { validate: localProblems },
});

/** What may I do in a namespace? */
export const selfSubjectRulesReviews = review({
  kind: "SelfSubjectRulesReview",
  about: "The question what you may do in a namespace, with its answer.",
  fields: { spec: needed(of(rulesSpec), "Where."), status: shown(of(rulesStatus), "The answer.") },
  behaviour: {},
});

function requestProblems(object: KubeObject, needsUser = false): Problem[] {
  const problems: Problem[] = [];
  const resource = valueAt(object, "spec", "resourceAttributes");
  const path = valueAt(object, "spec", "nonResourceAttributes");
  if (resource !== undefined && path !== undefined)
    problems.push(
      invalid(
        at(field("spec", "nonResourceAttributes")),
        insidePath(path),
        "cannot be specified in combination with resourceAttributes",
      ),
    );
  if (resource === undefined && path === undefined)
    problems.push(
      invalid(
        at(field("spec", "resourceAttributes")),
        null,
        "exactly one of nonResourceAttributes or resourceAttributes must be specified",
      ),
    );
  if (needsUser && textAt(object, "spec", "user") === "" && listAt(object, "spec", "groups").length === 0)
    problems.push(invalid(at(field("spec", "user")), "", "at least one of user or group must be specified"));
  for (const name of ["fieldSelector", "labelSelector"])
    problems.push(...selectorProblems(valueAt(resource, name), child(field("spec.resourceAttributes"), name)));
  return problems;
}

function insidePath(path: Json): Json {
  return { Path: textAt(path, "path"), Verb: textAt(path, "verb") };
}

function selectorProblems(selector: Json | undefined, place: Place): Problem[] {
  if (selector === undefined) return [];
  const raw = textAt(selector, "rawSelector");
  const requirements = listAt(selector, "requirements");
  const problems: Problem[] = [];
  if (raw !== "" && requirements.length > 0)
    problems.push(invalid(at(child(place, "rawSelector")), raw, "may not specified at the same time as requirements"));
  if (raw === "" && requirements.length === 0) {
    const words = `when ${fieldOf(place)} is specified, requirements or rawSelector is required`;
    problems.push(required(at(child(place, "requirements")), words));
  }
  for (const [position, requirement] of requirements.entries())
    problems.push(
      ...requirementProblems(requirement, index(child(place, "requirements"), position), {
        allowsUnknownOperator: true,
      }),
    );
  return problems;
}

/** Reviews have no names and no labels: nothing is kept of them. */
function metadataProblems({ metadata }: KubeObject, words: string, allowed: readonly string[] = []): Problem[] {
  const ignored = ["managedFields", ...allowed];
  const isEmpty = Object.keys(metadata).every((name) => ignored.includes(name));
  return isEmpty ? [] : [invalid(at(field("metadata")), valueAt({ metadata }, "metadata"), words)];
}

function localProblems(object: KubeObject): Problem[] {
  const problems = [
    ...requestProblems(object, true),
    ...metadataProblems(object, "must be empty except for namespace", ["namespace"]),
  ];
  const resource = valueAt(object, "spec", "resourceAttributes");
  const namespace = textAt(resource, "namespace");
  if (resource !== undefined && namespace !== (object.metadata.namespace ?? ""))
    problems.push(invalid(at(field("spec.resourceAttributes.namespace")), namespace, "must match metadata.namespace"));
  const path = valueAt(object, "spec", "nonResourceAttributes");
  if (path !== undefined)
    problems.push(
      invalid(at(field("spec.nonResourceAttributes")), insidePath(path), "disallowed on this kind of request"),
    );
  return problems;
}
