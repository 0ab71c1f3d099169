// SPDX-License-Identifier: Apache-2.0

/** Names in lower case and values in turn; a name may come several times. */
export type FlatHeaders = readonly string[];

/** Headers by their names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What a TLS connection is made with. While nothing changed it is the same object, and connections are kept. */
export interface TlsMaterial {
  readonly ca: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

/** One try. */
export interface WireRequest {
  readonly method: string;
  /** Path and query, below the server's address. */
  readonly path: string;
  /** This request's own; whoever sends it may keep it. */
  readonly headers: string[];
  readonly body: string | undefined;
  readonly tls: TlsMaterial;
  /** Watches have connections of their own: they would take them from everybody else. */
  readonly isWatch: boolean;
}

/** Told what becomes of a request. `onEnd` or `onError` comes exactly once and last. */
export interface WireHandler {
  /** Nothing has left yet, and it leaves right after. Where this throws nothing is sent, and `onError` is given what it threw. */
  onSend(): void;
  onAnswer(status: number, headers: AnswerHeaders): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  onError(error: unknown): void;
}

/** A request under way. */
export interface WireCall {
  /** Ends it at once: `onError` is called with the reason before this returns. Without effect when it is over. */
  abort(reason: unknown): void;
  /** Takes no more data until `resume`. */
  pause(): void;
  resume(): void;
}

/** Carries requests to a server and knows nothing of Kubernetes. */
export interface Wire {
  dispatch(request: WireRequest, handler: WireHandler): WireCall;
  /** Lets requests finish, ends watches. May be repeated. */
  close(): Promise<void>;
}
