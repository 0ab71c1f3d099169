// SPDX-License-Identifier: Apache-2.0
import {
  type Client,
  type Clock,
  type EventRecorder,
  hasFinalizer,
  isConflict,
  isForbidden,
  isNotFound,
  keyOf,
  keyText,
  type ObjectKey,
  type Secret,
  secret as secretKind,
} from "../kube/index.ts";
import { type CredentialsReader, type KnownSecret, neededBy } from "./credentials.ts";
import { CREDENTIALS_FINALIZER, CREDENTIALS_OF_ANNOTATION } from "./names.ts";

/** Who writes. */
export interface Writing {
  readonly client: Client;
  readonly signal: AbortSignal;
}

/** Keeps Secrets while machines need them. */
export interface SecretProtection {
  /** Puts the finalizer in place, for this ProviderConfig (as `namespace/name`). Costs nothing where it is there. */
  protect(key: ObjectKey, config: string, writing: Writing): Promise<void>;
  /** Takes it away. Costs nothing where the watch knows that it is not there. */
  release(key: ObjectKey, writing: Writing): Promise<void>;
  /** What the watch knows of it; `unknown` where its namespace is not watched. */
  stateOf(key: ObjectKey): "there" | "deleting" | "absent" | "unknown";
  /** Whether the watch knows that it has the finalizer. */
  isKept(key: ObjectKey): boolean;
  /** The Secrets that have the finalizer, as far as they are watched. */
  kept(): readonly KeptSecret[];
  /** Says, once, why a Secret that somebody deletes does not go. */
  tellBlocked(key: ObjectKey, why: string): void;
}

/** A Secret that has the finalizer. */
export interface KeptSecret {
  readonly key: ObjectKey;
  /** The ProviderConfigs that have needed it, as `namespace/name`; empty where it does not say. */
  readonly neededBy: readonly string[];
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
  const isTrusted = (text: string) => clock.monotonic() - (trusted.get(text) ?? Number.NEGATIVE_INFINITY) < TRUST_MS;
  return {
    async protect(key, config, writing) {
      const text = `${keyText(key)} ${config}`;
      const known = credentials.known(key);
      if (isWatched(key) ? isKept(known) && known?.neededBy.includes(config) : isTrusted(text)) return;
      await rewrite(key, writing, (secret) => keptMetadata(secret, config));
      if (!isWatched(key)) trusted.set(text, clock.monotonic());
    },
    async release(key, writing) {
      for (const text of trusted.keys()) if (text.startsWith(`${keyText(key)} `)) trusted.delete(text);
      if (isWatched(key) && !isKept(credentials.known(key))) return;
      try {
        await rewrite(key, writing, freeMetadata);
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
    isKept: (key) => isWatched(key) && isKept(credentials.known(key)),
    kept: () =>
      credentials.caches
        .flatMap((cache) => cache.list())
        .filter((secret) => hasFinalizer(secret, CREDENTIALS_FINALIZER))
        .map((secret) => ({ key: keyOf(secret), neededBy: neededBy(secret) })),
    tellBlocked(key, why) {
      const known = credentials.known(key);
      if (known?.isDeleting !== true || told.has(known.uid)) return;
      told.add(known.uid);
      const secret = { apiVersion: "v1", kind: "Secret", metadata: { ...key, uid: known.uid } };
      events.record(secret, { type: "Warning", reason: "SecretInUse", note: why });
    },
  };
}

/** With the finalizer, and the ProviderConfig among those that need it; undefined where nothing is to be changed. */
function keptMetadata(secret: Secret, config: string): MetadataPatch | undefined {
  const { finalizers = [] } = secret.metadata;
  const configs = neededBy(secret);
  const isThere = finalizers.includes(CREDENTIALS_FINALIZER);
  if (isThere && configs.includes(config)) return undefined;
  const annotations = { [CREDENTIALS_OF_ANNOTATION]: [...new Set([...configs, config])].join() };
  return { ...(isThere ? {} : { finalizers: [...finalizers, CREDENTIALS_FINALIZER] }), annotations };
}

/** Without either. */
function freeMetadata({ metadata: { finalizers = [], annotations = {} } }: Secret): MetadataPatch | undefined {
  const others = finalizers.filter((each) => each !== CREDENTIALS_FINALIZER);
  if (others.length === finalizers.length) return undefined;
  const isTold = annotations[CREDENTIALS_OF_ANNOTATION] !== undefined;
  return {
    finalizers: others.length === 0 ? null : others,
    ...(isTold ? { annotations: { [CREDENTIALS_OF_ANNOTATION]: null } } : {}),
  };
}

interface MetadataPatch {
  readonly finalizers?: string[] | null;
  readonly annotations?: Readonly<Record<string, string | null>>;
}

/** How often others may get in between. */
const TRIES = 8;

/** Changes the Secret in one step, bound to the version that was read: what others do at the same time is kept. */
async function rewrite(
  key: ObjectKey,
  { client, signal }: Writing,
  change: (secret: Secret) => MetadataPatch | undefined,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const found = await client.get(secretKind, key, { signal });
    const patch = change(found);
    if (patch === undefined) return;
    const { resourceVersion = "" } = found.metadata;
    try {
      await client.mergePatch(secretKind, key, { metadata: { resourceVersion, ...patch } }, { signal });
      return;
    } catch (error) {
      if (!isConflict(error) || attempt === TRIES) throw error;
    }
  }
}

function isKept(secret: KnownSecret | undefined): boolean {
  return secret?.finalizers.includes(CREDENTIALS_FINALIZER) === true;
}
