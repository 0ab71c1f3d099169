// SPDX-License-Identifier: Apache-2.0
import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { isObject } from "../../schema/go-text.ts";

/** What a token says; JSON. */
export type Claims = Readonly<Record<string, unknown>>;

/** A token that is not to be believed, in the server's words. They never contain the token. */
export class TokenError extends Error {}

/** Signs and checks JSON Web Tokens of one issuer with one key (ES256). */
export interface TokenSigner {
  sign(claims: Claims): string;
  /** The claims of a token of this issuer whose signature is right. Undefined for what is no token of this issuer. */
  read(token: string): Claims | undefined;
}

/** Tokens whose signature was checked already: clients send the same one with every request. */
const KEPT_TOKENS = 1000;

/** The key is asked for when the first token is signed or read. */
export function tokenSigner(issuer: string, key: () => KeyObject): TokenSigner {
  const checked = new Map<string, Claims>();
  let keys: { readonly secret: KeyObject; readonly open: KeyObject; readonly id: string } | undefined;
  const loaded = () => {
    keys ??= loadKeys(key());
    return keys;
  };
  return {
    sign(claims) {
      const { secret, id } = loaded();
      const text = `${encode({ alg: "ES256", kid: id })}.${encode({ ...claims, iss: issuer })}`;
      const signature = sign("sha256", Buffer.from(text), { key: secret, dsaEncoding: "ieee-p1363" });
      return `${text}.${signature.toString("base64url")}`;
    },
    read(token) {
      const known = checked.get(token);
      if (known !== undefined) return known;
      const [header = "", payload = "", signature = "", ...more] = token.split(".");
      const claims = decode(payload);
      if (signature === "" || more.length > 0 || claims?.iss !== issuer) return undefined;
      const { open, id } = loaded();
      const head = decode(header);
      if (head === undefined) return undefined;
      if (head.kid !== undefined && head.kid !== id) throw new TokenError("invalid signature, no keys found");
      const options = { key: open, dsaEncoding: "ieee-p1363" } as const;
      const isRight =
        head.alg === "ES256" &&
        verify("sha256", Buffer.from(`${header}.${payload}`), options, Buffer.from(signature, "base64url"));
      if (!isRight) throw new TokenError("go-jose/go-jose: error in cryptographic primitive");
      if (checked.size >= KEPT_TOKENS) checked.clear();
      checked.set(token, claims);
      return claims;
    },
  };
}

function loadKeys(secret: KeyObject) {
  const open = createPublicKey(secret);
  const id = createHash("sha256")
    .update(open.export({ type: "spki", format: "der" }))
    .digest("base64url");
  return { secret, open, id };
}

function encode(value: Claims): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function decode(text: string): Claims | undefined {
  if (!/^[-_A-Za-z0-9]+$/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
