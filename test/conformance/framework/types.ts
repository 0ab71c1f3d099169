// SPDX-License-Identifier: Apache-2.0

/** A JSON object of any shape: a Kubernetes object, a Status, a discovery document. */
export interface JsonObject {
  readonly [field: string]: unknown;
}

/** A certificate and its private key, both PEM. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

/** A running API server, fresh and of this run alone. All that the suite needs to know about it. */
export interface Endpoint {
  readonly url: string;
  /** The server's authority, PEM. */
  readonly ca: string;
  /** A user in group system:masters. */
  readonly admin: Identity;
  /** A client certificate of another user. */
  issueClient(user: string, groups: readonly string[]): Promise<Identity>;
  /** Forgets the history of all that was written before: a watch from then on that starts earlier is too old. */
  compact(): Promise<void>;
  /** Starts what empties namespaces and collects garbage, where the server does not do that anyway. May be repeated. */
  startControllers?(): Promise<void>;
}

/** Who sends a request: the admin unless told otherwise. */
export type Caller =
  | "anonymous"
  | { readonly user: string; readonly groups?: readonly string[] }
  | { readonly name: string; readonly token: string };

/** What a request can carry besides its body. */
export interface RequestOptions {
  /** `application/json` unless told otherwise. */
  readonly contentType?: string;
  /** `application/json` unless told otherwise. */
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Which part of the answer's body goes into the transcript; all of it unless told otherwise. */
  readonly show?: (body: JsonObject) => unknown;
  /** Keeps a refusal's words alone: where a real server calls the request's fault its own (500), nobody has to follow it. */
  readonly wordsAlone?: boolean;
  /** False leaves a refusal's words out of the transcript, where they are some parser's own and promise nothing. */
  readonly words?: false;
}

/** An answer as it came, before anything is made stable. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly warnings: readonly string[];
  /** The parsed body; empty where it is not JSON. */
  readonly body: JsonObject;
  readonly text: string;
}

/** One entry of a transcript: a request and its answer, or an event of a watch. */
export interface Exchange {
  /** Method, path, what is special about the request, and the caller where it is not the admin. */
  readonly request?: string;
  /** An event's type, or "END" where the server ended the stream. */
  readonly event?: string;
  /** Which watch an event belongs to, in cases that have several. */
  readonly watch?: string;
  readonly status?: number;
  /** Of a refusal. */
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly details?: unknown;
  readonly causes?: readonly JsonObject[];
  readonly warnings?: readonly string[];
  readonly headers?: JsonObject;
  readonly object?: unknown;
  /** The body where it is not JSON. */
  readonly text?: string;
}

/** What happened in a case, in order, with everything that differs from run to run replaced by stable names. */
export type Transcript = readonly Exchange[];

/** An event of a watch, as it came. */
export interface WatchEvent {
  readonly type: string;
  readonly object: JsonObject;
}

/** An open watch. Every event that is taken goes into the transcript; waiting is bounded. */
export interface Watch {
  readonly status: number;
  /** The next event. Throws where none comes in time, or the stream has ended. */
  next(): Promise<WatchEvent>;
  /** Takes this many events. */
  take(count: number): Promise<readonly WatchEvent[]>;
  /** Takes events up to and including the first that the check accepts. */
  until(check: (event: WatchEvent) => boolean): Promise<readonly WatchEvent[]>;
  /** Waits for the server to end the stream; events before that are taken. */
  ended(): Promise<void>;
  /** Hangs up. */
  close(): void;
}

/** What a watch can be told besides what any request can. */
export interface WatchOptions extends RequestOptions {
  /** Tells its events from those of other watches. */
  readonly name?: string;
  /** Keeps events out of the transcript, for a case that looks at them itself. */
  readonly quiet?: boolean;
}

/** Sends requests as one caller and writes them into the case's transcript. */
export interface Requester {
  request(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
  watch(path: string, options?: WatchOptions): Promise<Watch>;
  /** Repeats a GET until the check accepts the answer, then writes that answer alone into the transcript. */
  eventually(path: string, check: (answer: Answer) => boolean, options?: RequestOptions): Promise<Answer>;
  /** Sends what only prepares the case: not in the transcript, and throws unless it succeeds. */
  prepare(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<JsonObject>;
}

/** What a case runs on: a server, a fresh namespace, and the category's CRDs. */
export interface Target extends Requester {
  /** The case's own namespace; `{namespace}` in the transcript. */
  readonly namespace: string;
  /** A group for CRDs that the case installs itself; `{group}` in the transcript. */
  readonly group: string;
  /** Path of core objects in the case's namespace: `core("configmaps", "a")`. */
  core(plural: string, name?: string): string;
  /** Path of objects of the category's CRDs, version v1, in the case's namespace. */
  custom(plural: string, name?: string): string;
  /** The same case as another caller. */
  as(caller: Caller): Requester;
  /** Repeats anything until it holds; bounded. Nothing goes into the transcript but what the check itself sends. */
  until(check: () => Promise<boolean>, what: string): Promise<void>;
  /** Installs CRDs and waits until they are served. Slow on a real server: prefer the category's `crds`. */
  installCrds(crds: readonly JsonObject[]): Promise<void>;
  /** Forgets history: see `Endpoint.compact`. */
  compact(): Promise<void>;
}

/** One promise of Kubernetes. */
export interface Case {
  /** The promise, in plain English. */
  readonly name: string;
  /** The codes of all recorded answers, in order: what the name says, as opposed to what some server once answered. */
  readonly answers?: readonly number[];
  run(target: Target): Promise<void>;
}

/** The cases of one category. They run one after the other and share the CRDs. */
export interface Suite {
  readonly category: string;
  /** How many cases the category has at least. */
  readonly minimum: number;
  /** The group of the category's CRDs. */
  readonly group: string;
  /** Installed once, all at the same time, before the first case. */
  readonly crds: readonly JsonObject[];
  /** Whether transcripts keep `metadata.managedFields`. */
  readonly managedFields?: boolean;
  /** Whether cases need namespaces to be emptied and garbage to be collected. */
  readonly controllers?: boolean;
  /** How many cases run at the same time: for those that mostly wait. One unless told otherwise. */
  readonly atOnce?: number;
  readonly cases: readonly Case[];
}
