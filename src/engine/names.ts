// SPDX-License-Identifier: Apache-2.0

/** Butler's own namespace. */
export const SYSTEM_NAMESPACE = "butler-system";

/** A request's own id, a UUID. */
export const MACHINE_ID_ANNOTATION = "butler.butlerlabs.dev/machine-id";

/** How often the machine was made, the present one included. */
export const ATTEMPT_ANNOTATION = "butler.butlerlabs.dev/attempt";

/** What is about to be made, or was: written down before the first outside write. */
export const LAUNCH_ANNOTATION = "butler.butlerlabs.dev/launch";

/** Keeps a ProviderConfig while machines need it. */
export const CONFIG_FINALIZER = "butler.butlerlabs.dev/providerconfig";

/** Keeps the Secret of a ProviderConfig while machines need it. */
export const CREDENTIALS_FINALIZER = "butler.butlerlabs.dev/credentials";

/** On such a Secret, the ProviderConfigs that have needed it, as `namespace/name`, separated by commas. */
export const CREDENTIALS_OF_ANNOTATION = "butler.butlerlabs.dev/credentials-of";

/** The ConfigMap in `butler-system` that holds the id of the installation. */
export const INSTALLATION = "butler-installation";

/** The ConfigMap, beside a ProviderConfig, that tells which machines were let go of. */
export const RELEASED = "butler-released";

/** The same and those that are begun when it is full, in this order. Rights are given by name, so there is an end to them. */
export const RELEASED_NAMES: readonly string[] = [RELEASED, ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) => `${RELEASED}-${n}`)];

/** The Lease, in `butler-system`, of the manager that works for a provider. */
export function leaseName(provider: string): string {
  return `butler-provider-${provider}`;
}
