// SPDX-License-Identifier: Apache-2.0
import { badRequest, expired, StatusError } from "../status-error.ts";
import { scanJson } from "./json-scan.ts";

/** Where the next page of a list starts. */
export interface ContinueToken {
  /** The revision that the first page showed; -1 means whatever is there now. */
  readonly revision: number;
  /** Below the list's prefix; the first entry at or after it comes next. */
  readonly start: string;
}

/** The token as clients carry it. They must not look into it, but some tests of other people do: it is Kubernetes' own. */
export function encodeContinue({ revision, start }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start })).toString("base64url");
}

/** Reads a token; one that is not ours is a bad request. */
export function decodeContinue(text: string): ContinueToken {
  const refused = (why: string) => badRequest(`invalid continue token: ${why}`);
  if (!/^[\w-]*$/.test(text)) {
    const at = /[^\w-]/.exec(text)?.index ?? 0;
    throw refused(`continue key is not valid: illegal base64 data at input byte ${at}`);
  }
  const json = Buffer.from(text, "base64url").toString("utf8");
  const { error } = scanJson(json);
  if (error !== undefined) throw refused(`continue key is not valid: ${error}`);
  const { v, rv, start } = Object(JSON.parse(json));
  if (v !== "meta.k8s.io/v1")
    throw refused(`continue key is not valid: server does not recognize this encoded version ${v ?? ""}`);
  if (typeof rv !== "number" || rv === 0)
    throw refused("continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  if (typeof start !== "string" || start === "")
    throw refused("continue key is not valid: encoded start key empty (version meta.k8s.io/v1)");
  if (/(^|\/)\.{0,2}(\/|$)/.test(start.replace(/^\//, "").replace(/\/$/, "//")))
    throw refused(`continue key is not valid: ${start}`);
  return { revision: rv, start };
}

/** The first page's revision is compacted: the answer carries a token that goes on with what is there now. */
export function continueExpired({ start }: ContinueToken): StatusError {
  const { status } = expired(
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without " +
      "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
      "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or " +
      "deleted between the time the first chunk was returned and now may show up in the list.",
  );
  return new StatusError({ ...status, metadata: { continue: encodeContinue({ revision: -1, start }) } });
}
