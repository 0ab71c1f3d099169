// SPDX-License-Identifier: Apache-2.0
import { isList, isObject } from "../../schema/go-text.ts";
import type { Json } from "../../schema/index.ts";
import { invalid as invalidValue } from "../../schema/problems.ts";
import { badRequest, conflict, invalid, notFound } from "../status-error.ts";
import type { Clock, KubeObject, Store } from "../types.ts";
import type { ServiceAccountTokens } from "./service-account-tokens.ts";

/** A TokenRequest, read by its type, for a service account. */
export interface TokenAsk {
  readonly namespace: string;
  readonly name: string;
  readonly request: KubeObject;
}

/** What answering needs. */
export interface TokenSource {
  readonly store: Pick<Store, "get">;
  readonly clock: Pick<Clock, "now">;
  readonly tokens: ServiceAccountTokens;
  /** What tokens are for that ask for no audience. */
  readonly audience: string;
}

const KIND = { group: "authentication.k8s.io", kind: "TokenRequest" };
const MIN_SECONDS = 10 * 60;
const MAX_SECONDS = 2 ** 32;

/** Answers a TokenRequest with a token, or throws in the server's words why there is none. */
export function answerTokenRequest(source: TokenSource, { namespace, name, request }: TokenAsk): KubeObject {
  const { store, clock, tokens, audience } = source;
  const { metadata } = request;
  checkName(metadata.name, name);
  const account = store.get(`/serviceaccounts/${namespace}/${name}`)?.object;
  if (account === undefined) throw notFound({ group: "", plural: "serviceaccounts" }, name);
  const { uid } = account.metadata;
  if (metadata.uid !== undefined && metadata.uid !== "" && metadata.uid !== uid)
    throw conflict(
      { group: KIND.group, plural: KIND.kind },
      name,
      `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`,
    );
  const spec = specOf(request, audience);
  checkSeconds(spec.expirationSeconds);
  const secret = boundSecret(store, namespace, spec.boundObjectRef);
  const now = clock.now();
  const token = tokens.issue({
    serviceAccount: account,
    audiences: spec.audiences,
    expirationSeconds: spec.expirationSeconds,
    ...(secret === undefined ? {} : { secret }),
  });
  return {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: {
      name,
      namespace,
      ...(uid === undefined ? {} : { uid }),
      creationTimestamp: secondText(now),
      ...(metadata.managedFields === undefined ? {} : { managedFields: metadata.managedFields }),
    },
    spec,
    status: { token, expirationTimestamp: secondText(now + spec.expirationSeconds * 1000) },
  };
}

function checkName(given: string | undefined, wanted: string): void {
  if (given === undefined || given === "" || given === wanted) return;
  const place = { path: ["metadata", "name"], field: "metadata.name" };
  throw invalid(KIND, wanted, [invalidValue(place, given, "must match the service account name if specified")]);
}

interface Spec {
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  readonly boundObjectRef: { readonly [name: string]: Json | undefined } | null;
}

function specOf(request: KubeObject, audience: string): Spec {
  const spec = isObject(request.spec) ? request.spec : {};
  const { audiences, expirationSeconds, boundObjectRef } = spec;
  const asked = isList(audiences) ? audiences.filter((one) => typeof one === "string") : [];
  return {
    audiences: asked.length === 0 ? [audience] : asked,
    expirationSeconds: typeof expirationSeconds === "number" ? expirationSeconds : 0,
    boundObjectRef: isObject(boundObjectRef) ? boundObjectRef : null,
  };
}

function checkSeconds(seconds: number): void {
  const place = { path: ["spec", "expirationSeconds"], field: "spec.expirationSeconds" };
  const refuse = (why: string) => invalid(KIND, "", [invalidValue(place, seconds, why)]);
  if (seconds < MIN_SECONDS) throw refuse("may not specify a duration less than 10 minutes");
  if (seconds > MAX_SECONDS) throw refuse("may not specify a duration larger than 2^32 seconds");
}

/** The Secret a token is bound to. Pods and Nodes, to which the real server binds too, are not served here. */
function boundSecret(
  store: Pick<Store, "get">,
  namespace: string,
  reference: Spec["boundObjectRef"],
): KubeObject | undefined {
  if (reference === null) return undefined;
  const text = (name: string) => {
    const value = reference[name];
    return typeof value === "string" ? value : "";
  };
  const [kind, apiVersion, name, uid] = [text("kind"), text("apiVersion"), text("name"), text("uid")];
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  if (group !== "" || !["Pod", "Node", "Secret"].includes(kind))
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  const secret = kind === "Secret" ? store.get(`/secrets/${namespace}/${name}`)?.object : undefined;
  if (secret === undefined) throw notFound({ group: "", plural: `${kind.toLowerCase()}s` }, name);
  if (uid !== "" && uid !== secret.metadata.uid)
    throw conflict(
      { group, plural: kind },
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. ` +
        "The object might have been deleted and then recreated",
    );
  return secret;
}

/** A time as Kubernetes writes it: whole seconds, UTC. */
export function secondText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
