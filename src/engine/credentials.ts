// SPDX-License-Identifier: Apache-2.0
import { createHash } from "node:crypto";
import {
  type Cache,
  type Caches,
  type Client,
  isForbidden,
  isNotFound,
  type KubeObject,
  type ObjectKey,
  type Secret,
  secret as secretKind,
} from "../kube/index.ts";
import { CREDENTIALS_OF_ANNOTATION } from "./names.ts";

/** The namespaces whose Secrets may be watched. */
export type SecretNamespaces = "all" | readonly string[];

/** A Secret that was read. */
export interface Credentials {
  readonly uid: string;
  /** Of the data alone: labels, finalizers and the like make no difference. */
  readonly digest: string;
  readonly isDeleting: boolean;
  /** Decoded. */
  readonly data: Readonly<Record<string, string>>;
}

/** A Secret as the watch knows it: nothing of its data but whether it is still the same. */
export interface KnownSecret {
  readonly uid: string;
  readonly digest: string;
  readonly isDeleting: boolean;
  readonly finalizers: readonly string[];
  /** The ProviderConfigs that have needed it, as `namespace/name`, as far as it says so. */
  readonly neededBy: readonly string[];
}

/** Reads Secrets, and remembers none of them. */
export interface CredentialsReader {
  /** Whether changes of Secrets in this namespace are heard of by themselves. */
  isWatched(namespace: string): boolean;
  /** What the watch knows of it; undefined where it is not there, or its namespace is not watched. */
  known(key: ObjectKey): KnownSecret | undefined;
  /** Reads it from the server, where the watch does not know already that it is not there. */
  read(key: ObjectKey, options: { readonly signal: AbortSignal }): Promise<Credentials | "absent" | "forbidden">;
  /** The watches, for those who want to hear of changes. Their objects have no data. */
  readonly caches: readonly Cache<Secret>[];
}

/** What a reader needs. */
export interface CredentialsOptions {
  readonly client: Client;
  readonly caches: Caches;
  readonly namespaces: SecretNamespaces;
}

const DIGEST = "digest";

/** Makes a reader that watches the given namespaces. No Secret's data stays in memory. */
export function createCredentials({ client, caches, namespaces }: CredentialsOptions): CredentialsReader {
  const scopes = namespaces === "all" ? [undefined] : [...new Set(namespaces)];
  const watched = new Map(
    scopes.map((namespace) => [
      namespace,
      caches.of(secretKind, { ...(namespace === undefined ? {} : { namespace }), transform: withoutData }),
    ]),
  );
  const cacheFor = (namespace = "") => watched.get(undefined) ?? watched.get(namespace);
  return {
    isWatched: (namespace) => cacheFor(namespace) !== undefined,
    known(key) {
      const cache = cacheFor(key.namespace);
      const object = cache?.get(key);
      if (object === undefined) return undefined;
      const { deletionTimestamp, finalizers = [] } = object.metadata;
      return {
        uid: cache?.uid(key) ?? "",
        digest: digestOf(object),
        isDeleting: deletionTimestamp !== undefined,
        finalizers,
        neededBy: neededBy(object),
      };
    },
    async read(key, { signal }) {
      const cache = cacheFor(key.namespace);
      if (cache?.isSynced && cache.get(key) === undefined) return "absent";
      try {
        const { metadata, data = {} } = await client.get(secretKind, key, { signal });
        return {
          uid: metadata.uid ?? "",
          digest: digest(data),
          isDeleting: metadata.deletionTimestamp !== undefined,
          data: Object.fromEntries(
            Object.entries(data).map(([name, value]) => [name, Buffer.from(value, "base64").toString("utf8")]),
          ),
        };
      } catch (error) {
        if (isNotFound(error)) return "absent";
        if (isForbidden(error)) return "forbidden";
        throw error;
      }
    },
    caches: [...watched.values()],
  };
}

/** The digest of a Secret's data, as its watch keeps it. */
export function digestOf({ metadata }: KubeObject): string {
  return metadata.annotations?.[DIGEST] ?? "";
}

/** The ProviderConfigs that a Secret says have needed it, as `namespace/name`. */
export function neededBy({ metadata }: KubeObject): readonly string[] {
  return (metadata.annotations?.[CREDENTIALS_OF_ANNOTATION] ?? "").split(",").filter((each) => each !== "");
}

/** Annotations of others go too: what was applied last is often kept in one. */
function withoutData({ apiVersion, kind, metadata, data = {} }: Secret): Secret {
  const { name, namespace, uid, resourceVersion, deletionTimestamp, finalizers } = metadata;
  const configs = metadata.annotations?.[CREDENTIALS_OF_ANNOTATION];
  return {
    apiVersion,
    kind,
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      ...(finalizers === undefined ? {} : { finalizers }),
      annotations: {
        [DIGEST]: digest(data),
        ...(configs === undefined ? {} : { [CREDENTIALS_OF_ANNOTATION]: configs }),
      },
    },
  };
}

function digest(data: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(data).sort(([left], [right]) => (left < right ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(sorted)).digest("base64");
}
