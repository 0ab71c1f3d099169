// SPDX-License-Identifier: Apache-2.0
import { createHash, timingSafeEqual } from "node:crypto";
import type { PlaneRequest, User } from "../types.ts";
import { ADMIN } from "./authority.ts";
import type { ServiceAccountTokens, TokenBearer } from "./service-account-tokens.ts";
import { TokenError } from "./token-signer.ts";

/** Whoever does not say who he is. */
export const ANONYMOUS: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };

const AUTHENTICATED = "system:authenticated";

/** Finds out who sent a request. */
export interface Authenticator {
  /** Undefined where the request carries credentials that are wrong: that is 401. Without any it is anonymous. */
  authenticate(request: Pick<PlaneRequest, "headers" | "certificate" | "user">): User | undefined;
  /** Whose token it is. Throws a `TokenError` in the server's words where it is nobody's; never quotes the token. */
  bearer(token: string, audiences: readonly string[]): TokenBearer;
}

/** What is believed. */
export interface AuthenticatorOptions {
  /** The administrator's token; asked for when a request first has a token. */
  readonly adminToken: () => string;
  readonly tokens: ServiceAccountTokens;
  /** Who a token must be for. */
  readonly audience: string;
}

/** An authenticator by client certificates and bearer tokens. */
export function createAuthenticator({ adminToken, tokens, audience }: AuthenticatorOptions): Authenticator {
  let adminDigest: Buffer | undefined;
  const isAdmin = (token: string) => {
    adminDigest ??= digest(adminToken());
    return timingSafeEqual(digest(token), adminDigest);
  };

  const bearer: Authenticator["bearer"] = (token, audiences) => {
    if (isAdmin(token) && audiences.includes(audience))
      return { user: authenticated({ name: ADMIN.name, groups: ADMIN.groups }), audiences: [audience] };
    const found = readToken(tokens, token, audiences);
    if (found === undefined) throw new TokenError("invalid bearer token");
    return { ...found, user: authenticated(found.user) };
  };

  return {
    bearer,
    authenticate({ headers, certificate, user }) {
      if (user !== undefined) return user;
      const known = certificate === undefined ? undefined : certificateUser(certificate);
      if (known !== undefined) return known;
      const token = bearerToken(headers.authorization);
      if (token === undefined) return certificate?.isForeign === true ? undefined : ANONYMOUS;
      try {
        return bearer(token, [audience]).user;
      } catch (error) {
        if (error instanceof TokenError) return undefined;
        throw error;
      }
    },
  };
}

function readToken(tokens: ServiceAccountTokens, token: string, audiences: readonly string[]): TokenBearer | undefined {
  try {
    return tokens.check(token, audiences);
  } catch (error) {
    // The server tries its ways to read a token one after the other, and lists what each of them says.
    if (error instanceof TokenError) throw new TokenError(`[invalid bearer token, ${error.message}]`);
    throw error;
  }
}

function certificateUser(certificate: NonNullable<PlaneRequest["certificate"]>): User | undefined {
  const { commonName, organizations, fingerprint, isForeign = false } = certificate;
  if (isForeign || commonName === "") return undefined;
  const id = fingerprint === undefined ? undefined : `X509SHA256=${fingerprint}`;
  return authenticated({
    name: commonName,
    groups: organizations,
    ...(id === undefined ? {} : { extra: { "authentication.kubernetes.io/credential-id": [id] } }),
  });
}

/** The token of an Authorization header; other schemes count as no credentials at all. */
function bearerToken(header: string | undefined): string | undefined {
  const [scheme = "", token = ""] = (header ?? "").trim().split(" ", 2);
  return scheme.toLowerCase() === "bearer" && token !== "" ? token : undefined;
}

/** Everybody who is known is in a group that says so. */
function authenticated(user: User): User {
  if (user.name === ANONYMOUS.name) return user;
  if (user.groups.includes(AUTHENTICATED) || user.groups.includes("system:unauthenticated")) return user;
  return { ...user, groups: [...user.groups, AUTHENTICATED] };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
