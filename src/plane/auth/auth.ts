// SPDX-License-Identifier: Apache-2.0
import { apiVersionOf, decodeObject } from "../rest/admit.ts";
import type { AdmissionFunction } from "../rest/machinery.ts";
import { badRequest, invalid } from "../status-error.ts";
import type { Clock, KubeObject, PlaneRequest, RequestInfo, ResourceType, Store, User } from "../types.ts";
import { createAuthenticator } from "./authenticate.ts";
import type { Authority } from "./authority.ts";
import { type Decision, decide, denial } from "./authorizer.ts";
import { escalationProblem } from "./escalation.ts";
import { createImpersonation } from "./impersonation.ts";
import { createPolicy } from "./policy.ts";
import type { Attributes } from "./policy-rule.ts";
import { answerReview } from "./reviews.ts";
import { serviceAccountTokens } from "./service-account-tokens.ts";
import { answerTokenRequest } from "./token-request.ts";
import { tokenRequestType } from "./token-request-type.ts";
import { tokenSigner } from "./token-signer.ts";

/** What authentication and authorization go by. */
export interface AuthOptions {
  readonly store: Pick<Store, "get" | "list">;
  readonly clock: Pick<Clock, "now">;
  readonly authority: Authority;
  /** Who signs tokens, and whom they are for unless they say otherwise. */
  readonly issuer?: string;
  /** Makes ids of tokens. */
  readonly newId?: () => string;
}

/** A create of something that is answered, not stored. */
export interface ReviewRequest {
  readonly type: ResourceType;
  readonly info: Attributes;
  readonly object: KubeObject;
  readonly user: User;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict" | undefined;
  readonly strictErrors?: readonly string[];
  /** Writes into the object who set which of its fields. */
  readonly track?: (type: ResourceType, object: KubeObject) => KubeObject;
  /** Takes texts for Warning headers. */
  readonly warn?: (text: string) => void;
}

/** Who may do what. Everything is decided by the objects as they are at that moment. */
export interface Auth {
  /** Who sent the request; undefined where its credentials are wrong, which is 401. Nobody in particular is anonymous. */
  authenticate(request: Pick<PlaneRequest, "headers" | "certificate" | "user">): User | undefined;
  /** The user as whom the request acts: another one where it impersonates. Throws where it may not. */
  effectiveUser(user: User, headers: PlaneRequest["headers"], info: RequestInfo): User;
  authorize(user: User, info: Attributes): Decision;
  /** Throws the server's 403 where the user may not do it. */
  check(user: User, info: Attributes): void;
  /** Refuses roles and bindings that give away more than the user has. One of the server's admission functions. */
  readonly admission: AdmissionFunction;
  /** Answers reviews and token requests; undefined for any other type or subresource. */
  review(request: ReviewRequest): KubeObject | undefined;
}

const ISSUER = "https://127.0.0.1";

/** Makes it. Costs nothing until the first request; keys are made when the first token is. */
export function createAuth({ store, clock, authority, issuer = ISSUER, newId }: AuthOptions): Auth {
  const policy = createPolicy(store);
  const signer = tokenSigner(issuer, () => authority.tokenKey);
  const tokens = serviceAccountTokens({ store, clock, signer, ...(newId === undefined ? {} : { newId }) });
  const authenticator = createAuthenticator({ adminToken: () => authority.adminToken, tokens, audience: issuer });
  const authorize = (user: User, info: Attributes) => decide(policy, user, info);
  const impersonation = createImpersonation(authorize);
  const reviews = { policy, authenticator, audience: issuer, now: () => clock.now() };

  return {
    authenticate: authenticator.authenticate,
    effectiveUser: impersonation.effectiveUser,
    authorize,
    check(user, info) {
      const { allowed, reason } = authorize(user, info);
      if (!allowed) throw denial(user, info, reason);
    },
    admission({ operation, type, namespace, name, subresource, object, old, user }) {
      if (operation === "DELETE" || object === undefined) return undefined;
      const { group, plural } = type;
      // A create's path has no name, so a right to named roles is none to new ones.
      const named = operation === "CREATE" ? "" : name;
      const info = { isResource: true, verb: "", path: "", group, namespace, plural, subresource, name: named };
      const problem = escalationProblem(policy, { user, info, object, old });
      if (problem !== undefined) throw problem;
      return undefined;
    },
    review(request) {
      const { type, info, user } = request;
      if (type.group === "" && type.plural === "serviceaccounts" && info.subresource === "token") {
        const { namespace, name } = info;
        const ask = { namespace, name, request: readReview({ ...request, type: tokenRequestType }) };
        return answerTokenRequest({ store, clock, tokens, audience: issuer }, ask);
      }
      return type.isVirtual === true ? answerReview(reviews, readReview(request), user) : undefined;
    },
  };
}

/** The question, read by its type and found to be in order. */
function readReview(request: ReviewRequest): KubeObject {
  const { type, info, object, fieldValidation, strictErrors = [], track, warn } = request;
  const apiVersion = object.apiVersion === "" ? apiVersionOf(type) : object.apiVersion;
  const kind = object.kind === "" ? type.kind : object.kind;
  if (kind !== type.kind || apiVersion !== apiVersionOf(type))
    throw badRequest(
      `${kind} in version ${JSON.stringify(apiVersion.split("/").at(-1))} cannot be handled as a ${type.kind}: no kind ` +
        `${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  const draft = decodeObject(type, { ...object, apiVersion, kind }, { strictErrors, fieldValidation });
  if (type.namespaced) draft.object = inNamespace(draft.object, info.namespace);
  draft.object = track?.(type, draft.object) ?? draft.object;
  const problems = type.behaviour?.validate?.(draft.object, undefined) ?? [];
  // The real server does not know a review's kind any more when it refuses it.
  if (problems.length > 0) throw invalid({ group: type.group, kind: "" }, "", problems);
  for (const warning of draft.warnings) warn?.(warning);
  return draft.object;
}

/** The object in the namespace of its path; it may name that one itself, but no other. */
function inNamespace(object: KubeObject, namespace: string): KubeObject {
  const { namespace: given = "" } = object.metadata;
  if (given !== "" && given !== namespace)
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  return { ...object, metadata: { ...object.metadata, namespace } };
}
