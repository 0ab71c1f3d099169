// SPDX-License-Identifier: Apache-2.0
import { keyText } from "../kube/index.ts";
import type { CredentialsReader } from "./credentials.ts";
import { quotedKey } from "./provider-config-use.ts";
import type { UsedConfig } from "./used-config.ts";

/** Why nothing new is made through a ProviderConfig, though what was made can still be deleted. */
export interface Closed {
  readonly reason: string;
  readonly message: string;
}

/** Whether the ProviderConfig, or its Secret, is on its way out. */
export function closedBecause(
  { key, isDeleting, credentials: place }: UsedConfig,
  credentials: Pick<CredentialsReader, "known">,
): Closed | undefined {
  const end = "is being deleted: no machines are made through it";
  if (isDeleting) return { reason: "ProviderConfigDeleting", message: `ProviderConfig ${quotedKey(key)} ${end}` };
  if (place?.state !== "named" || credentials.known(place.key)?.isDeleting !== true) return undefined;
  const secret = quotedKey(keyText(place.key));
  return { reason: "CredentialsDeleting", message: `Secret ${secret} of ProviderConfig ${quotedKey(key)} ${end}` };
}
