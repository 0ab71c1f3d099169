// SPDX-License-Identifier: Apache-2.0
import { X509Certificate } from "node:crypto";
import type { ClusterConfig } from "../../kube/index.ts";

/** How long credentials last, as far as they say so themselves. */
export interface TokenLife {
  readonly what: "token" | "client certificate";
  readonly endsAtMs: number;
}

/** Reads when the token, or the client certificate, ends; undefined where neither says. Nothing is verified. */
export function tokenLife({
  token,
  certificate,
}: NonNullable<ClusterConfig["credentials"]> = {}): TokenLife | undefined {
  const tokenEnd = token === undefined ? undefined : jwtEnd(token);
  if (tokenEnd !== undefined) return { what: "token", endsAtMs: tokenEnd };
  if (certificate === undefined || !("text" in certificate)) return undefined;
  try {
    return { what: "client certificate", endsAtMs: Date.parse(new X509Certificate(certificate.text).validTo) };
  } catch {
    return undefined;
  }
}

function jwtEnd(token: string): number | undefined {
  const [, payload, signature] = token.split(".");
  if (payload === undefined || signature === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
    if (typeof claims !== "object" || claims === null || !("exp" in claims)) return undefined;
    return typeof claims.exp === "number" ? claims.exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}
