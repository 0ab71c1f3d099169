// SPDX-License-Identifier: Apache-2.0
import type { MachineRequest, ProviderConfig } from "../api/index.ts";
import { GROUP, VERSION } from "../api/kind.ts";
import { type KindDescriptor, keyText, type ObjectKey, parseKeyText } from "../kube/index.ts";
import { ANNOTATIONS } from "./identity.ts";
import { SYSTEM_NAMESPACE } from "./names.ts";

/** ProviderConfigs as a client knows them, whatever providers there are. */
export const providerConfigDescriptor: KindDescriptor<ProviderConfig> = {
  group: GROUP,
  version: VERSION,
  kind: "ProviderConfig",
  plural: "providerconfigs",
  scope: "Namespaced",
};

/** What a launch says about where it went. */
export interface LaunchedAt {
  /** As `namespace/name`. */
  readonly providerConfig: string | undefined;
  readonly place: string | undefined;
  /** The MachineRequest, as `namespace/name`, that was launched. */
  readonly owner: string | undefined;
  readonly provider: string | undefined;
}

/** Objects of caches are never changed, so what was read of them once holds. */
const launches = new WeakMap<object, LaunchedAt | "none">();

/** Where the request was launched; undefined where it never was. What cannot be read counts as a launch to an unknown place. */
export function launchedAt(request: MachineRequest): LaunchedAt | undefined {
  const known = launches.get(request);
  if (known !== undefined) return known === "none" ? undefined : known;
  const read = readLaunch(request.metadata.annotations?.[ANNOTATIONS.launch]);
  launches.set(request, read ?? "none");
  return read;
}

function readLaunch(text: string | undefined): LaunchedAt | undefined {
  if (text === undefined) return undefined;
  try {
    const { providerConfig, place, owner, provider }: Record<string, unknown> = Object(JSON.parse(text));
    const where = { providerConfig: textOf(providerConfig), place: textOf(place) };
    return { ...where, owner: textOf(owner), provider: textOf(provider) };
  } catch {
    return { providerConfig: undefined, place: undefined, owner: undefined, provider: undefined };
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * The ProviderConfigs that a request may mean, the likeliest first: the one it was launched through, else the one in the namespace
 * it names, else its own namespace's and then `butler-system`'s. A launch counts only among those: annotations can be copied.
 */
export function configCandidates(request: MachineRequest): readonly string[] {
  const known = candidates.get(request);
  if (known !== undefined) return known;
  const found = findCandidates(request);
  candidates.set(request, found);
  return found;
}

const candidates = new WeakMap<object, readonly string[]>();

function findCandidates(request: MachineRequest): readonly string[] {
  const { name, namespace } = request.spec.providerRef;
  const namespaces = namespace ? [namespace] : [request.metadata.namespace ?? "", SYSTEM_NAMESPACE];
  const named = [...new Set(namespaces.map((each) => keyText({ namespace: each, name })))];
  const launched = launchedAt(request)?.providerConfig;
  return launched !== undefined && named.includes(launched) ? [launched] : named;
}

/** Where the credentials of a ProviderConfig are; `not-allowed` where it may not look there; undefined where it needs none. */
export type CredentialsPlace =
  | { readonly state: "named"; readonly key: ObjectKey; readonly secretKey: string | undefined }
  | { readonly state: "not-allowed"; readonly key: ObjectKey }
  | undefined;

/**
 * The Secret of a ProviderConfig in today's shape. Another namespace's Secret is for ProviderConfigs in `butler-system` alone:
 * anything else would let a tenant borrow any Secret.
 */
export function credentialsPlace({ metadata, spec }: ProviderConfig): CredentialsPlace {
  const { credentialsRef } = spec;
  if (credentialsRef === undefined) return undefined;
  const own = metadata.namespace ?? "";
  const namespace = credentialsRef.namespace || own;
  const key = { namespace, name: credentialsRef.name };
  if (namespace !== own && own !== SYSTEM_NAMESPACE) return { state: "not-allowed", key };
  return { state: "named", key, secretKey: credentialsRef.key || undefined };
}

/** As people read it: `butler-system/harvester`. */
export function quotedKey(text: string): string {
  const { namespace, name } = parseKeyText(text);
  return namespace === undefined ? `"${name}"` : `"${namespace}/${name}"`;
}
