// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from "node:crypto";
import { isObject, quote } from "../../schema/go-text.ts";
import { notFound } from "../status-error.ts";
import type { Clock, KubeObject, Store, User } from "../types.ts";
import { type Claims, TokenError, type TokenSigner } from "./token-signer.ts";

/** Who a token is for and how long. */
export interface TokenWish {
  readonly serviceAccount: KubeObject;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  /** The Secret without which the token is void. */
  readonly secret?: KubeObject;
}

/** A token that was believed. */
export interface TokenBearer {
  readonly user: User;
  /** Those of the audiences asked for that the token is meant for. */
  readonly audiences: readonly string[];
}

/** Tokens of service accounts. A token ends with its time, its service account and the object it is bound to. */
export interface ServiceAccountTokens {
  issue(wish: TokenWish): string;
  /** Undefined where the token is none of ours; throws a `TokenError` where it is, but is void. */
  check(token: string, audiences: readonly string[]): TokenBearer | undefined;
}

const LEEWAY_SECONDS = 60;

/** How tokens are made and checked. */
export interface TokenOptions {
  readonly store: Pick<Store, "get">;
  readonly clock: Pick<Clock, "now">;
  readonly signer: TokenSigner;
  /** Makes ids of tokens. */
  readonly newId?: () => string;
}

/** Tokens that are checked against the objects as they are now. */
export function serviceAccountTokens({ store, clock, signer, newId = randomUUID }: TokenOptions): ServiceAccountTokens {
  const seconds = () => Math.floor(clock.now() / 1000);
  return {
    issue({ serviceAccount, audiences, expirationSeconds, secret }) {
      const { namespace = "", name = "", uid = "" } = serviceAccount.metadata;
      const now = seconds();
      return signer.sign({
        aud: audiences,
        exp: now + expirationSeconds,
        iat: now,
        jti: newId(),
        "kubernetes.io": {
          namespace,
          ...(secret === undefined ? {} : { secret: { name: secret.metadata.name, uid: secret.metadata.uid } }),
          serviceaccount: { name, uid },
        },
        nbf: now,
        sub: `system:serviceaccount:${namespace}:${name}`,
      });
    },
    check(token, wanted) {
      const claims = signer.read(token);
      if (claims === undefined) return undefined;
      const audiences = commonAudiences(claims, wanted);
      checkTimes(claims, seconds());
      const user = livingUser(claims, store, clock.now());
      return { user, audiences };
    },
  };
}

function commonAudiences(claims: Claims, wanted: readonly string[]): readonly string[] {
  const given = claims.aud;
  const audiences = Array.isArray(given) ? given.map(String) : [];
  const common = audiences.filter((audience) => wanted.includes(audience));
  if (common.length > 0) return common;
  const list = (names: readonly string[]) => `[${names.map(quote).join(" ")}]`;
  throw new TokenError(`token audiences ${list(audiences)} is invalid for the target audiences ${list(wanted)}`);
}

function checkTimes(claims: Claims, now: number): void {
  const second = (name: string) => Number(claims[name]);
  if (!(now + LEEWAY_SECONDS >= second("nbf"))) throw new TokenError("service account token is not valid yet");
  if (!(now - LEEWAY_SECONDS <= second("exp"))) throw new TokenError("service account token has expired");
  if (!(now + LEEWAY_SECONDS >= second("iat"))) throw new TokenError("service account token is issued in the future");
}

/** The user, if service account and bound object are still the same ones. */
function livingUser(claims: Claims, store: Pick<Store, "get">, nowMs: number): User {
  const own = recordOf(claims["kubernetes.io"]);
  const namespace = textOf(own.namespace);
  const { name, uid } = referenceOf(own.serviceaccount);
  const account = store.get(`/serviceaccounts/${namespace}/${name}`)?.object.metadata;
  if (account === undefined) throw new TokenError(notFound({ group: "", plural: "serviceaccounts" }, name).message);
  if (account.uid !== uid) throw new TokenError(`service account UID (${account.uid}) does not match claim (${uid})`);
  if (isDeleted(account, nowMs)) throw new TokenError(`service account ${namespace}/${name} has been deleted`);
  if (own.secret !== undefined) {
    const bound = referenceOf(own.secret);
    const secret = store.get(`/secrets/${namespace}/${bound.name}`)?.object.metadata;
    if (secret === undefined || isDeleted(secret, nowMs))
      throw new TokenError("service account token has been invalidated");
    if (secret.uid !== bound.uid)
      throw new TokenError(`secret UID (${secret.uid}) does not match service account secret ref claim (${bound.uid})`);
  }
  const id = textOf(claims.jti);
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    uid,
    groups: serviceAccountGroups(namespace),
    ...(id === "" ? {} : { extra: { "authentication.kubernetes.io/credential-id": [`JTI=${id}`] } }),
  };
}

/** The groups that every service account of a namespace is in. */
export function serviceAccountGroups(namespace: string): string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}

function isDeleted({ deletionTimestamp }: KubeObject["metadata"], nowMs: number): boolean {
  return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < nowMs - LEEWAY_SECONDS * 1000;
}

function referenceOf(value: unknown): { name: string; uid: string } {
  const { name, uid } = recordOf(value);
  return { name: textOf(name), uid: textOf(uid) };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
