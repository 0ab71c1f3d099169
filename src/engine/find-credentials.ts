// SPDX-License-Identifier: Apache-2.0
import { keyText } from "../kube/index.ts";
import type { Credentials, CredentialsReader } from "./credentials.ts";
import { quotedKey } from "./provider-config-use.ts";
import type { ProviderEntry } from "./provider-entry.ts";
import { ProviderError } from "./provider-error.ts";
import { missingKeys } from "./secret-keys.ts";
import type { UsedConfig } from "./used-config.ts";

/** What to look with. */
export interface Looking {
  readonly entry: ProviderEntry;
  readonly credentials: CredentialsReader;
  readonly signal: AbortSignal;
}

/** The Secret where there is one, and what is wrong. One of them is always there. */
export interface FoundCredentials {
  readonly secret: Credentials | undefined;
  readonly problem: ProviderError | undefined;
}

/**
 * The credentials of a ProviderConfig, or what is wrong with them, in words that name keys and never values. Where none are needed
 * they are empty.
 */
export async function findCredentials(
  { credentials: place, key }: UsedConfig,
  { entry, credentials, signal }: Looking,
): Promise<FoundCredentials> {
  if (place === undefined) return { secret: { uid: "", digest: "", isDeleting: false, data: {} }, problem: undefined };
  const [secretName, configName] = [quotedKey(keyText(place.key)), quotedKey(key)];
  const none = (kind: "invalid" | "denied", reason: string, message: string): FoundCredentials => ({
    secret: undefined,
    problem: new ProviderError({ kind, reason, message }),
  });
  if (place.state === "not-allowed")
    return none(
      "invalid",
      "CredentialsNotAllowed",
      `ProviderConfig ${configName}: spec.credentialsRef.namespace: Secret ${secretName} is in another namespace, which only ProviderConfigs in butler-system may use; keep the Secret beside the ProviderConfig`,
    );
  const secret = await credentials.read(place.key, { signal });
  if (secret === "absent")
    return none(
      "denied",
      "SecretNotFound",
      `Secret ${secretName}, which ProviderConfig ${configName} names, does not exist; create it, or correct spec.credentialsRef`,
    );
  if (secret === "forbidden")
    return none(
      "denied",
      "SecretNotReadable",
      `Butler may not read Secret ${secretName}, which ProviderConfig ${configName} names; keep both in butler-system, or install what "butleradm manifests --namespaces ${place.key.namespace}" prints`,
    );
  const missing = missingKeys({ sets: entry.secretKeys, secretKey: place.secretKey, data: secret.data });
  if (missing === undefined) return { secret, problem: undefined };
  const message = `Secret ${secretName}, which ProviderConfig ${configName} names, lacks ${missing}; add it to the Secret's data`;
  return { secret, problem: new ProviderError({ kind: "denied", reason: "SecretKeyMissing", message }) };
}
