// SPDX-License-Identifier: Apache-2.0
import { isList, isObject } from "../../schema/go-text.ts";
import { parseLabelSelector } from "../rest/label-selector.ts";
import { badRequest } from "../status-error.ts";
import type { KubeObject, User } from "../types.ts";
import type { Authenticator } from "./authenticate.ts";
import { type Decision, decide } from "./authorizer.ts";
import type { Policy } from "./policy.ts";
import type { Attributes } from "./policy-rule.ts";
import { secondText } from "./token-request.ts";
import { TokenError } from "./token-signer.ts";

/** What answering reviews needs. */
export interface ReviewSource {
  readonly policy: Policy;
  readonly authenticator: Authenticator;
  readonly audience: string;
  now(): number;
}

type Review = (source: ReviewSource, object: KubeObject, user: User) => KubeObject;

/** The kinds that are questions, by kind. */
const REVIEWS: Readonly<Record<string, Review>> = {
  SelfSubjectAccessReview: (source, object, user) => accessReview(source, object, user),
  SubjectAccessReview: (source, object) => accessReview(source, object, subjectOf(object)),
  LocalSubjectAccessReview: (source, object) => accessReview(source, object, subjectOf(object)),
  SelfSubjectRulesReview: rulesReview,
  SelfSubjectReview: selfReview,
  TokenReview: tokenReview,
};

/** Answers a question that was read and validated by its type. Undefined where the kind is no question. */
export function answerReview(source: ReviewSource, object: KubeObject, user: User): KubeObject | undefined {
  return REVIEWS[object.kind]?.(source, object, user);
}

function accessReview({ policy }: ReviewSource, object: KubeObject, user: User): KubeObject {
  const spec = fieldsOf(object.spec);
  const decision = decide(policy, user, attributesOf(spec));
  return { ...object, status: { ...accessStatus(decision), ...selectorError(fieldsOf(spec.resourceAttributes)) } };
}

function accessStatus({ allowed, reason }: Decision) {
  return { allowed, ...(reason === "" ? {} : { reason }) };
}

/** Selectors do not matter to roles, but those that cannot be read are told. */
function selectorError(attributes: Fields): { evaluationError?: string } {
  const { rawSelector } = fieldsOf(attributes.labelSelector);
  if (typeof rawSelector !== "string" || rawSelector === "") return {};
  try {
    parseLabelSelector(rawSelector);
    return {};
  } catch {
    return { evaluationError: "spec.resourceAttributes.labelSelector ignored due to parse error" };
  }
}

function attributesOf(spec: Fields): Attributes {
  const resource = fieldsOf(spec.resourceAttributes);
  const path = fieldsOf(spec.nonResourceAttributes);
  const isResource = spec.resourceAttributes !== undefined;
  return {
    isResource,
    verb: textOf((isResource ? resource : path).verb),
    path: textOf(path.path),
    group: textOf(resource.group),
    namespace: textOf(resource.namespace),
    plural: textOf(resource.resource),
    subresource: textOf(resource.subresource),
    name: textOf(resource.name),
  };
}

function subjectOf(object: KubeObject): User {
  const { user, groups } = fieldsOf(object.spec);
  return { name: textOf(user), groups: textsOf(groups) };
}

function rulesReview({ policy }: ReviewSource, object: KubeObject, user: User): KubeObject {
  const namespace = textOf(fieldsOf(object.spec).namespace);
  if (namespace === "") throw badRequest("no namespace on request");
  const { rules, errors } = policy.grants(user, namespace);
  const granted = rules.map(({ rule }) => rule);
  const resourceRules = granted
    .filter(({ resources }) => resources.length > 0)
    .map(({ verbs, apiGroups, resources, resourceNames }) => ({
      verbs,
      apiGroups,
      resources,
      ...(resourceNames.length === 0 ? {} : { resourceNames }),
    }));
  const nonResourceRules = granted
    .filter(({ nonResourceURLs }) => nonResourceURLs.length > 0)
    .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs }));
  const evaluationError = errors.length === 1 ? errors[0] : `[${errors.join(", ")}]`;
  return {
    kind: object.kind,
    apiVersion: object.apiVersion,
    metadata: {},
    spec: {},
    status: { resourceRules, nonResourceRules, incomplete: false, ...(errors.length === 0 ? {} : { evaluationError }) },
  };
}

function selfReview({ now }: ReviewSource, object: KubeObject, user: User): KubeObject {
  return {
    kind: object.kind,
    apiVersion: object.apiVersion,
    metadata: { creationTimestamp: secondText(now()) },
    status: { userInfo: userInfo(user) },
  };
}

function tokenReview({ authenticator, audience }: ReviewSource, object: KubeObject): KubeObject {
  const { token, audiences } = fieldsOf(object.spec);
  const text = textOf(token);
  if (text === "") throw badRequest("token is required for TokenReview in authentication");
  const wanted = textsOf(audiences);
  try {
    const found = authenticator.bearer(text, wanted.length === 0 ? [audience] : wanted);
    return { ...object, status: { authenticated: true, user: userInfo(found.user), audiences: found.audiences } };
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
    return { ...object, status: { user: {}, error: error.message } };
  }
}

function userInfo({ name, uid, groups, extra }: User) {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra === undefined ? {} : { extra }),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function textsOf(value: unknown): string[] {
  return isList(value) ? value.filter((item) => typeof item === "string") : [];
}
