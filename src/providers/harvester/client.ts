// SPDX-License-Identifier: Apache-2.0
import type { Call } from "../../engine/call.ts";
import type { ConnectInput } from "../../engine/provider.ts";
import { ProviderError, type ProviderErrorParts } from "../../engine/provider-error.ts";
import {
  type Client,
  type ClusterConfig,
  ConfigError,
  createClient,
  type Draft,
  isConflict,
  isNotFound,
  type KindDescriptor,
  type KubeObject,
  loadKubeconfig,
  type MergePatch,
  type ObjectKey,
  type ObjectList,
  selfSubjectAccessReview,
  selfSubjectRulesReview,
  type WatchEvent,
  type WatchOptions,
} from "../../kube/index.ts";
import { type GrantedRules, grantedRules } from "./granted-rules.ts";
import { toProviderError } from "./refusal.ts";
import type { ReviewAttributes } from "./rights.ts";

const USUAL_KEY = "kubeconfig";

/** Reads the kubeconfig of a credentials Secret. Throws a `ProviderError` that says which key is wrong, without its value. */
export function readCredentials(input: Pick<ConnectInput<unknown>, "secret" | "secretKey">): ClusterConfig {
  const key = input.secretKey ?? USUAL_KEY;
  const text = input.secret[key];
  if (text === undefined || text.trim() === "")
    throw unusable(`the credentials Secret has no key "${key}" with a kubeconfig of Harvester in it`);
  const config = load(text, key);
  if (!hasCredentials(config))
    throw unusable(
      `key "${key}" of the credentials Secret: the kubeconfig has no credentials, neither a token nor a client certificate; put one of Harvester's own kubeconfigs there`,
    );
  return config;
}

function load(text: string, key: string): ClusterConfig {
  try {
    return loadKubeconfig({ text, trusted: false });
  } catch (error) {
    if (error instanceof ConfigError) throw unusable(`key "${key}" of the credentials Secret: ${error.message}`);
    throw error;
  }
}

/** Whether the kubeconfig says who is calling. Without that Harvester would speak of rights that are missing. */
function hasCredentials({ credentials: { token, username, certificate } = {} }: ClusterConfig): boolean {
  return Boolean(token?.trim()) || Boolean(username) || certificate !== undefined;
}

function unusable(message: string): ProviderError {
  return new ProviderError({ kind: "invalid", reason: "InvalidKubeconfig", message });
}

/** Opens a client for Harvester. Nothing is sent. It repeats nothing: reads are repeated below, writes by the engine at its own pace. */
export function openClient(
  config: ClusterConfig,
  { clock, random, transport }: Pick<ConnectInput<unknown>, "clock" | "random" | "transport">,
): Client {
  return createClient(config, {
    clock,
    random,
    userAgent: "butler-provider-harvester",
    tries: 1,
    ...(transport === undefined ? {} : { transport }),
  });
}

/** What a list is limited to. */
export interface Selection {
  readonly namespace: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Requests to Harvester on behalf of one verb. All go through the audit; refusals come as `ProviderError`. */
export interface Requests {
  readonly signal: AbortSignal;
  /** Undefined where it does not exist. */
  get<T extends KubeObject>(kind: KindDescriptor<T>, key: ObjectKey): Promise<T | undefined>;
  /** All pages; the audit has one line for all of them. */
  list<T extends KubeObject>(kind: KindDescriptor<T>, selection: Selection): Promise<ObjectList<T>>;
  create<T extends KubeObject>(kind: KindDescriptor<T>, draft: Draft<T>): Promise<T>;
  /** Undefined where it does not exist. */
  patch<T extends KubeObject>(kind: KindDescriptor<T>, key: ObjectKey, patch: MergePatch<T>): Promise<T | undefined>;
  /** Deletes this very object; success where it is gone, or another has its name by now. */
  delete(kind: KindDescriptor, object: KubeObject): Promise<void>;
  /** One watch; see `Client.watch`. What breaks it comes as `ProviderError`. */
  watch<T extends KubeObject>(
    kind: KindDescriptor<T>,
    options: Selection & Pick<WatchOptions, "resourceVersion" | "signal">,
  ): AsyncIterable<WatchEvent<T>>;
  /** Whether the kubeconfig's user may do this; undefined where the server does not tell. */
  review(attributes: ReviewAttributes): Promise<boolean | undefined>;
  /** All that the kubeconfig's user may do in a namespace; undefined where the server does not tell. */
  rules(namespace: string): Promise<GrantedRules | undefined>;
  /** A refusal of our own, in words that say what all of it was for. */
  refuse(parts: ProviderErrorParts): ProviderError;
}

/** What the requests of one verb share. */
export interface RequestContext {
  readonly client: Client;
  readonly call: Call;
  /** For messages: `create machine "web-1"`. */
  readonly doing: string;
  /** Texts that must not get into a message. */
  readonly secrets: readonly string[];
  /** Told of every refusal for want of a right. */
  readonly onForbidden: () => void;
}

/** Makes the requests of one verb. */
export function createRequests({ client: ungated, call, doing, secrets, onForbidden }: RequestContext): Requests {
  const { signal, gate } = call;
  // A write may wait for a connection for longer than this process may act.
  const client = gate === undefined ? ungated : ungated.withGate(gate);
  const explain = (error: unknown, verb: string, { kind, namespace }: About) => {
    const explained = toProviderError(error, { doing, verb, kind, namespace, secrets });
    if (explained instanceof ProviderError && explained.reason === "PermissionMissing") onForbidden();
    return explained;
  };
  const send = <T>(verb: string, about: About, request: () => Promise<T>) =>
    call.outside(`${verb} ${about.kind.kind}`, async () => {
      try {
        return await request();
      } catch (error) {
        throw explain(error, verb, about);
      }
    });
  /** A read that met a broken connection or a server in trouble is worth another try at once: verbs are made of several. */
  const read = async <T>(verb: string, about: About, request: () => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await send(verb, about, request);
      } catch (error) {
        if (tries >= READ_TRIES || !isBrief(error)) throw error;
      }
    }
  };
  /** Questions are sent like objects. Undefined where this user may not ask. */
  const ask = async <T extends KubeObject>(kind: KindDescriptor<T>, question: Draft<T>): Promise<T | undefined> => {
    try {
      return await read("review", { kind }, () => client.create(kind, question, { signal }));
    } catch (error) {
      if (error instanceof ProviderError && error.reason === "PermissionMissing") return undefined;
      throw error;
    }
  };
  return {
    signal,
    refuse: (parts) => new ProviderError({ mayHaveActed: false, ...parts, message: `${doing}: ${parts.message}` }),
    get: (kind, key) => read("get", { kind, ...key }, () => orUndefined(client.get(kind, key, { signal }))),
    list: (kind, selection) => read("list", { kind, ...selection }, () => client.list(kind, { ...selection, signal })),
    create: (kind, draft) => send("create", aboutOf(kind, draft), () => client.create(kind, draft, { signal })),
    patch: (kind, key, patch) =>
      send("patch", { kind, ...key }, () => orUndefined(client.mergePatch(kind, key, patch, { signal }))),
    async *watch(kind, options) {
      // The audit hears that it was begun; how long it lasts says nothing.
      await call.outside(`watch ${kind.kind}`, async () => {});
      try {
        yield* client.watch(kind, options);
      } catch (error) {
        throw explain(error, "watch", { kind, namespace: options.namespace });
      }
    },
    async review({ kind: { group, plural: resource }, verb, namespace, name }) {
      const where = namespace === undefined ? {} : { namespace };
      const which = name === undefined ? {} : { name };
      const resourceAttributes = { group, resource, verb, ...where, ...which };
      const answer = await ask(selfSubjectAccessReview, { metadata: {}, spec: { resourceAttributes } });
      return answer?.status?.allowed;
    },
    async rules(namespace) {
      const answer = await ask(selfSubjectRulesReview, { metadata: {}, spec: { namespace } });
      return answer === undefined ? undefined : grantedRules(answer.status);
    },
    async delete(kind, object) {
      const { namespace, name = "", uid } = object.metadata;
      const key = { name, ...(namespace === undefined ? {} : { namespace }) };
      const options = uid === undefined ? { signal } : { signal, preconditions: { uid } };
      // Another object has the name by now: this one is gone.
      await send("delete", { kind, ...key }, () =>
        orUndefined(client.delete(kind, key, options)).catch((error: unknown) => {
          if (!isOtherByNow(error)) throw error;
        }),
      );
    },
  };
}

/** Newer webhooks refuse with the same status that is Kubernetes' own for a uid that is another's: that is no end of the object. */
function isOtherByNow(error: unknown): boolean {
  return isConflict(error) && error instanceof Error && /precondition/i.test(error.message);
}

const READ_TRIES = 3;
const BRIEF_REASONS = new Set(["ConnectionFailed", "ServerError"]);

/** Whether an error may be over by the time it is told. */
export function isBrief(error: unknown): boolean {
  return error instanceof ProviderError && BRIEF_REASONS.has(error.reason);
}

interface About {
  readonly kind: KindDescriptor;
  readonly namespace?: string;
}

function aboutOf(kind: KindDescriptor, { metadata: { namespace } }: Pick<KubeObject, "metadata">): About {
  return namespace === undefined ? { kind } : { kind, namespace };
}

/** What is not there is no error; a server that does not know the kind at all is one. */
async function orUndefined<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (isNotFound(error) && !/could not find the requested resource|page not found/.test(error.message))
      return undefined;
    throw error;
  }
}
