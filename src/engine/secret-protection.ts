// SPDX-License-Identifier: Apache-2.0
import {
  addFinalizer,
  type Client,
  type Clock,
  type EventRecorder,
  hasFinalizer,
  isForbidden,
  isNotFound,
  keyOf,
  keyText,
  type ObjectKey,
  removeFinalizer,
  secret as secretKind,
} from "../kube/index.ts";
import type { CredentialsReader, KnownSecret } from "./credentials.ts";
import { CREDENTIALS_FINALIZER } from "./names.ts";

/** Who writes. */
export interface Writing {
  readonly client: Client;
  readonly signal: AbortSignal;
}

/** Keeps Secrets while machines need them. */
export interface SecretProtection {
  /** Puts the finalizer in place. Costs nothing where it is there. */
  protect(key: ObjectKey, writing: Writing): Promise<void>;
  /** Takes it away. Costs nothing where the watch knows that it is not there. */
  release(key: ObjectKey, writing: Writing): Promise<void>;
  /** What the watch knows of it; `unknown` where its namespace is not watched. */
  stateOf(key: ObjectKey): "there" | "deleting" | "absent" | "unknown";
  /** The Secrets that have the finalizer, as far as they are watched. */
  kept(): readonly ObjectKey[];
  /** Says, once, why a Secret that somebody deletes does not go. */
  tellBlocked(key: ObjectKey, why: string): void;
}

/** What is needed for it. */
export interface SecretProtectionOptions {
  readonly credentials: CredentialsReader;
  readonly events: EventRecorder;
  readonly clock: Clock;
}

/** A Secret that is not watched is taken to have its finalizer for so long. */
const TRUST_MS = 60_000;

/** Makes the protection of Secrets. */
export function createSecretProtection({ credentials, events, clock }: SecretProtectionOptions): SecretProtection {
  /** By Secret that is not watched, when its finalizer was last seen. */
  const trusted = new Map<string, number>();
  const told = new Set<string>();
  const isWatched = ({ namespace = "" }: ObjectKey) => credentials.isWatched(namespace);
  const isTrusted = (key: ObjectKey) =>
    clock.monotonic() - (trusted.get(keyText(key)) ?? Number.NEGATIVE_INFINITY) < TRUST_MS;
  return {
    async protect(key, { client, signal }) {
      if (isWatched(key) ? isKept(credentials.known(key)) : isTrusted(key)) return;
      const found = await client.get(secretKind, key, { signal });
      await addFinalizer(found, CREDENTIALS_FINALIZER, { client, kind: secretKind, signal });
      if (!isWatched(key)) trusted.set(keyText(key), clock.monotonic());
    },
    async release(key, { client, signal }) {
      trusted.delete(keyText(key));
      if (isWatched(key) && !isKept(credentials.known(key))) return;
      try {
        const found = await client.get(secretKind, key, { signal });
        await removeFinalizer(found, CREDENTIALS_FINALIZER, { client, kind: secretKind, signal });
      } catch (error) {
        // What may not be read was never protected.
        if (!isNotFound(error) && !isForbidden(error)) throw error;
      }
    },
    stateOf(key) {
      if (!isWatched(key)) return "unknown";
      const known = credentials.known(key);
      if (known === undefined) return "absent";
      return known.isDeleting ? "deleting" : "there";
    },
    kept: () =>
      credentials.caches
        .flatMap((cache) => cache.list())
        .filter((secret) => hasFinalizer(secret, CREDENTIALS_FINALIZER))
        .map(keyOf),
    tellBlocked(key, why) {
      const known = credentials.known(key);
      if (known?.isDeleting !== true || told.has(known.uid)) return;
      told.add(known.uid);
      const secret = { apiVersion: "v1", kind: "Secret", metadata: { ...key, uid: known.uid } };
      events.record(secret, { type: "Warning", reason: "SecretInUse", note: why });
    },
  };
}

function isKept(secret: KnownSecret | undefined): boolean {
  return secret?.finalizers.includes(CREDENTIALS_FINALIZER) === true;
}
