// SPDX-License-Identifier: Apache-2.0
import type { Caches, Client, Clock, HandlerTransport, Log, Metrics, Random } from "../kube/index.ts";
import type { SecretNamespaces } from "./credentials.ts";
import type { ProviderEntry } from "./provider-entry.ts";

/** What an engine is made of. Time, network and randomness are the caller's. */
export interface EngineOptions {
  /** The provider whose machines it looks after. One of `entries`, with `load`. */
  readonly provider: string;
  readonly entries: readonly ProviderEntry[];
  readonly client: Client;
  /** Shared by all engines of a process. Somebody must start them; a manager does. */
  readonly caches: Caches;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics?: Metrics;
  /** This process, for those who run several. */
  readonly identity: string;
  /** Where Secrets are watched; `butler-system` unless told otherwise. In other namespaces they are read now and then. */
  readonly secretNamespaces?: SecretNamespaces;
  /** A server in this process that stands for the provider's infrastructure. */
  readonly transport?: HandlerTransport;
  /** How many machines of one ProviderConfig are worked on at a time; 16 unless told otherwise. */
  readonly perConfig?: number;
  /** How many machines altogether; 64 unless told otherwise. */
  readonly concurrency?: number;
}
