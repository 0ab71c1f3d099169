// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from "node:timers/promises";
import type { Client, Response } from "./request.ts";

/** As much of a CustomResourceDefinition as these functions need; the rest is sent as it is. */
export interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
}

/** A Kubernetes object: whatever it is, it may have these. */
export interface KubernetesObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}

/** One cause of a refusal, in the server's words. */
export interface Cause {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

/** What the server made of a CRD it accepted. */
export interface InstalledCrd {
  readonly name: string;
  readonly warnings: readonly string[];
  /** The message of condition NonStructuralSchema, where that is true. */
  readonly nonStructural?: string;
}

/** What the server said to an object. */
export interface Attempt {
  readonly accepted: boolean;
  readonly status: number;
  /** The message of the refusal; empty where there is none. */
  readonly message: string;
  readonly causes: readonly Cause[];
  /** Paths of the fields the schema does not know: refused when strict, only warned about when not. */
  readonly unknownFields: readonly string[];
  readonly warnings: readonly string[];
  /** The object as the server would store it, defaulted and pruned, where accepted. */
  readonly object?: unknown;
}

/** How to create. */
export interface CreateOptions {
  /** On by default: nothing is stored, so the same name can be tried again. */
  readonly dryRun?: boolean;
  /** Whether unknown fields refuse the object. A strict server looks at nothing else once it has found one. */
  readonly strict?: boolean;
}

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const SERVED_WITHIN_MS = 30_000;

/**
 * Creates CRDs, all at once, and waits until each is Established and every version served. Throws where one is refused.
 * A server holds back objects created within two seconds of that: the first create is slow, those beside it wait along.
 */
export async function installCrds(client: Client, crds: readonly Crd[]): Promise<InstalledCrd[]> {
  return Promise.all(crds.map((crd) => installCrd(client, crd)));
}

async function installCrd(client: Client, crd: Crd): Promise<InstalledCrd> {
  const { name } = crd.metadata;
  const created = await client.request("POST", CRDS, crd);
  if (created.status !== 201) throw new Error(`create CRD "${name}": ${refusalOf(created).message}`);

  const deadline = performance.now() + SERVED_WITHIN_MS;
  // One CRD is served within moments; with a hundred at once, asking often only slows the server down.
  for (let pauseMs = 10; performance.now() < deadline; pauseMs = Math.min(2 * pauseMs, 250)) {
    const conditions = conditionsOf(await client.request("GET", `${CRDS}/${name}`));
    const refused = conditions.find(({ type, status }) => type === "NamesAccepted" && status === "False");
    if (refused !== undefined) throw new Error(`CRD "${name}" has its names refused: ${refused.message}`);
    if (isTrue(conditions, "Established") && (await areVersionsServed(client, crd))) {
      const nonStructural = conditions.find(({ type, status }) => type === "NonStructuralSchema" && status === "True");
      return { name, warnings: created.warnings, ...(nonStructural && { nonStructural: nonStructural.message }) };
    }
    await delay(pauseMs);
  }
  throw new Error(`CRD "${name}" was not served within ${SERVED_WITHIN_MS} ms`);
}

async function areVersionsServed(client: Client, { spec }: Crd): Promise<boolean> {
  const served = spec.versions.filter((version) => version.served);
  const answers = await Promise.all(
    served.map(({ name }) => client.request("GET", `/apis/${spec.group}/${name}/${spec.names.plural}?limit=1`)),
  );
  return answers.every(({ status }) => status === 200);
}

/** Creates a namespace; one that is there already is fine. */
export async function createNamespace(client: Client, name: string): Promise<void> {
  const answer = await client.request("POST", "/api/v1/namespaces", { metadata: { name } });
  if (answer.status !== 201 && answer.status !== 409) {
    throw new Error(`create namespace "${name}": ${refusalOf(answer).message}`);
  }
}

/** Creates an object of a CRD's kind in its own namespace, or `default`, and tells what the server said. A refusal is an answer. */
export async function tryCreate(
  client: Client,
  crd: Crd,
  object: KubernetesObject,
  { dryRun = true, strict = false }: CreateOptions = {},
): Promise<Attempt> {
  const query = `?fieldValidation=${strict ? "Strict" : "Warn"}${dryRun ? "&dryRun=All" : ""}`;
  return attemptOf(await client.request("POST", collectionPath(crd, object) + query, object));
}

/** The path objects of this kind and namespace are created at. */
export function collectionPath({ spec }: Crd, { apiVersion, metadata }: KubernetesObject): string {
  const version = apiVersion?.split("/")[1] ?? spec.versions[0]?.name;
  const space = spec.scope === "Namespaced" ? `namespaces/${metadata?.namespace ?? "default"}/` : "";
  return `/apis/${spec.group}/${version}/${space}${spec.names.plural}`;
}

/** Reads the answer to a create, update or patch. */
export function attemptOf(response: Response): Attempt {
  const { status, warnings, body } = response;
  if (status < 300) {
    return {
      accepted: true,
      status,
      message: "",
      causes: [],
      unknownFields: unknownFieldsIn(warnings),
      warnings,
      object: body,
    };
  }
  const { message, causes } = refusalOf(response);
  return { accepted: false, status, message, causes, unknownFields: unknownFieldsIn([message, ...warnings]), warnings };
}

/** The field paths of `unknown field "a.b"`, each once, also where several stand in one text. */
export function unknownFieldsIn(texts: readonly string[]): string[] {
  const pattern = /unknown field "(.*?)"(?=, (?:unknown|duplicate) field "|$)/g;
  return [...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, path = ""]) => path)))];
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message: string;
}

function isTrue(conditions: readonly Condition[], wanted: string): boolean {
  return conditions.some(({ type, status }) => type === wanted && status === "True");
}

function conditionsOf({ body }: Response): readonly Condition[] {
  const crd = body as { status?: { conditions?: Condition[] } };
  return crd.status?.conditions ?? [];
}

function refusalOf({ status, body }: Response): { message: string; causes: Cause[] } {
  if (typeof body === "string") return { message: `${status} ${body}`, causes: [] };
  const answer = body as { message?: string; details?: { causes?: Partial<Cause>[] } };
  const causes = answer.details?.causes ?? [];
  return {
    message: answer.message ?? `status ${status}`,
    causes: causes.map(({ field = "", reason = "", message = "" }) => ({ field, reason, message })),
  };
}
