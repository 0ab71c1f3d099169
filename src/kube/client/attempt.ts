// SPDX-License-Identifier: Apache-2.0
import { ConnectionError } from "../errors.ts";
import type { Clock, Random } from "../types.ts";
import { type Asked, warningsOf } from "./answers.ts";
import type { Credentials, Identity } from "./credentials.ts";
import type { RequestRecord } from "./types.ts";
import type { AnswerHeaders, Wire, WireRequest } from "./wire.ts";

/** What a request is about; told to `onRequest`. */
export interface Subject {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** For messages: `get secrets "team-a/token"`. */
  readonly what: string;
}

/** One request, however often it is tried. */
export interface Call {
  readonly subject: Subject;
  readonly method: string;
  /** Path and query, below the server's address. */
  readonly path: string;
  readonly body?: string | undefined;
  /** Set where there is a body. */
  readonly contentType?: string | undefined;
  readonly accept: string;
  /** Whether a second execution does no more than the first. */
  readonly isRepeatable: boolean;
}

/** What all requests of a client share. */
export interface Surroundings {
  readonly wire: Wire;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly random: Random;
  readonly host: string;
  readonly nextId: () => string;
  readonly onRequest: ((record: RequestRecord) => void) | undefined;
  /** Called before each write leaves. */
  readonly gates: readonly (() => void)[];
  readonly limits: Limits;
}

/** How long and how often to try unless a call says otherwise. */
export interface Limits {
  readonly readTryMs: number;
  readonly writeTryMs: number;
  readonly totalMs: number;
  readonly tries: number;
}

/** Whether the request can change something. */
export function isWrite({ method }: Call): boolean {
  return method !== "GET" && method !== "HEAD";
}

/** The request of a try. The headers that are always the same come ready-made with the identity. */
export function toWireRequest(call: Call, { headers, tls }: Identity, asked: Asked): WireRequest {
  const own = ["accept", call.accept, "audit-id", asked.requestId];
  if (call.contentType !== undefined) own.push("content-type", call.contentType);
  return {
    method: call.method,
    path: call.path,
    headers: headers.concat(own),
    body: call.body,
    tls,
    isWatch: call.subject.verb === "watch",
  };
}

/** How a try went. */
export interface Outcome {
  readonly call: Call;
  readonly asked: Asked;
  readonly attempt: number;
  readonly status: number | undefined;
  readonly headers: AnswerHeaders;
  readonly failure: string | undefined;
  readonly startedAt: number;
}

/** Tells `onRequest` about a try. A listener that throws has only itself to blame. */
export function report(outcome: Outcome, { onRequest, host, clock }: Surroundings): void {
  if (onRequest === undefined) return;
  const { verb, group, resource, subresource } = outcome.call.subject;
  try {
    onRequest({
      id: outcome.asked.requestId,
      verb,
      method: outcome.call.method,
      host,
      group,
      resource,
      subresource,
      attempt: outcome.attempt,
      status: outcome.status,
      failure: outcome.failure,
      durationMs: clock.monotonic() - outcome.startedAt,
      warnings: warningsOf(outcome.headers),
    });
  } catch {}
}

/** A broken connection in our words. */
export function toConnectionError(error: unknown, { what, requestId }: Asked, wasSent: boolean): ConnectionError {
  const { code, message } = describe(error);
  return new ConnectionError({ message: `${what}: ${message}`, wasSent, code, requestId, cause: withoutAnswer(error) });
}

/** The error of a parser carries what it could not read: the body of an answer, a Secret's too. */
function withoutAnswer(error: unknown): unknown {
  if (!(error instanceof Error) || !("data" in error || "body" in error)) return error;
  const { name, message, stack, cause } = error;
  const plain = new Error(message, cause === undefined ? undefined : { cause });
  return Object.assign(plain, { name, stack, code: describe(error).code });
}

/** A try that took too long. */
export function timeLimit({ what, requestId }: Asked, { wasSent, afterMs }: { wasSent: boolean; afterMs: number }) {
  const message = `${what}: no complete answer within ${Math.round(afterMs)} ms`;
  return new ConnectionError({ message, wasSent, code: "TIMEOUT", requestId });
}

/** Several addresses of one host fail together, and the error of all has no message of its own. */
function describe(error: unknown): { code: string; message: string } {
  if (error instanceof AggregateError && error.errors.length > 0) return describe(error.errors[0]);
  if (!(error instanceof Error)) return { code: "UNKNOWN", message: "the connection failed" };
  const code = "code" in error && typeof error.code === "string" ? error.code : "UNKNOWN";
  return { code, message: error.message || code };
}

/** How long to wait for something that is not a request. */
export interface Patience {
  readonly ms: number;
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
  /** What to reject with when time is up. */
  readonly tooLate: () => unknown;
}

/** The promise's outcome, unless the signal or the time limit comes first. */
export function patiently<T>(promise: Promise<T>, { ms, signal, clock, tooLate }: Patience): Promise<T> {
  return new Promise((resolve, reject) => {
    const over = () => {
      cancel();
      signal?.removeEventListener("abort", onAbort);
    };
    const onAbort = () => {
      over();
      reject(signal?.reason);
    };
    const cancel = clock.after(ms, () => {
      over();
      reject(tooLate());
    });
    signal?.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(over);
  });
}
