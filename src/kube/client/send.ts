// SPDX-License-Identifier: Apache-2.0
import { sleep } from "../clock.ts";
import { ApiError, ConnectionError } from "../errors.ts";
import { type Asked, parseJson, toApiError } from "./answers.ts";
import {
  type Call,
  isWrite,
  patiently,
  report,
  type Surroundings,
  timeLimit,
  toConnectionError,
  toWireRequest,
} from "./attempt.ts";
import type { Identity } from "./credentials.ts";
import { pauseBeforeRetry } from "./retry.ts";
import type { CallOptions, DoubtOptions } from "./types.ts";
import type { AnswerHeaders } from "./wire.ts";

/** A successful answer. `value` is parsed JSON, or the text where it is something else. */
export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly value: unknown;
  readonly asked: Asked;
}

/** Sends a request until it is answered, refused for good, or out of time; see `Client` for what is repeated. */
export async function send(
  call: Call,
  options: CallOptions & DoubtOptions,
  surroundings: Surroundings,
): Promise<Answer> {
  const { clock, credentials, random, limits, nextId } = surroundings;
  const { signal, tries = limits.tries, totalMs = limits.totalMs } = options;
  const deadline = clock.monotonic() + totalMs;
  const { what } = call.subject;
  const id = nextId();
  let isRenewed = false;
  /** A try has left and nobody knows what became of it. What happens to later ones does not change that. */
  let isInDoubt = false;
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    const asked = { what, requestId: attempt === 1 ? id : `${id}-${attempt}` };
    const patience = () => {
      const ms = deadline - clock.monotonic();
      return { ms, signal, clock, tooLate: () => timeLimit(asked, { wasSent: isInDoubt, afterMs: totalMs }) };
    };
    const found = credentials.current();
    const identity = found instanceof Promise ? await patiently(found, patience()) : found;
    let wasSent = false;
    const onSent = () => {
      wasSent = true;
    };
    try {
      const leftMs = deadline - clock.monotonic();
      return await tryOnce(call, { asked, attempt, identity, leftMs, options, surroundings, onSent });
    } catch (error) {
      if (wasSent && leavesDoubt(error)) {
        isInDoubt = true;
        options.onDoubt?.();
      }
      // A token may have been replaced before we noticed. The server has done nothing yet.
      if (error instanceof ApiError && error.status === 401 && !isRenewed) {
        isRenewed = true;
        if (await patiently(credentials.renew(identity), patience())) continue;
      }
      const pauseMs = pauseBeforeRetry({ error, attempt, tries, isRepeatable: call.isRepeatable }, random);
      if (pauseMs === undefined || clock.monotonic() + pauseMs >= deadline) throw inAll(error, isInDoubt);
      await sleep(clock, pauseMs, signal);
    }
  }
}

interface Try {
  readonly asked: Asked;
  readonly attempt: number;
  readonly identity: Identity;
  /** What is left of the whole call's time. */
  readonly leftMs: number;
  readonly options: CallOptions;
  readonly surroundings: Surroundings;
  /** Called when the request leaves. */
  onSent(): void;
}

/** Whether what was sent may have had an effect. A refusal says that it had none, unless the server failed on the way. */
function leavesDoubt(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status >= 500;
}

/** The error of a whole call, of which this was the last try. */
function inAll(error: unknown, isInDoubt: boolean): unknown {
  if (!isInDoubt || !(error instanceof ConnectionError) || error.wasSent) return error;
  const { message, code, requestId, cause } = error;
  return new ConnectionError({ message, wasSent: true, code, requestId, cause });
}

function tryOnce(call: Call, { asked, attempt, identity, leftMs, onSent, ...rest }: Try): Promise<Answer> {
  const { options, surroundings } = rest;
  const { wire, clock, gates, limits } = surroundings;
  const { signal } = options;
  const tryMs = Math.min(options.tryMs ?? (isWrite(call) ? limits.writeTryMs : limits.readTryMs), leftMs);
  const startedAt = clock.monotonic();
  return new Promise((resolve, reject) => {
    let wasSent = false;
    let isOver = false;
    /** Why we ended it ourselves. */
    let own: { readonly error: unknown; readonly failure: string } | undefined;
    let status: number | undefined;
    let headers: AnswerHeaders = {};
    const chunks: Buffer[] = [];
    let cancelTimer = () => {};
    const giveUp = (error: unknown, failure: string) => {
      own = { error, failure };
      request.abort(error);
    };
    const onAbort = () => giveUp(signal?.reason, "ABORTED");
    const over = (failure: string | undefined) => {
      isOver = true;
      cancelTimer();
      signal?.removeEventListener("abort", onAbort);
      report({ call, asked, attempt, status, headers, failure, startedAt }, surroundings);
    };
    const request = wire.dispatch(toWireRequest(call, identity, asked), {
      onSend() {
        try {
          if (isWrite(call)) for (const gate of gates) gate();
        } catch (error) {
          own = { error, failure: "NOT_SENT" };
          throw error;
        }
        wasSent = true;
        onSent();
      },
      onAnswer(answered, given) {
        status = answered;
        headers = given;
      },
      onData: (chunk) => void chunks.push(chunk),
      onEnd() {
        over(undefined);
        try {
          resolve(toAnswer({ status: status ?? 0, headers, text: toText(chunks) }, asked, clock.now()));
        } catch (error) {
          reject(error);
        }
      },
      onError(error) {
        const problem = own ?? failed(toConnectionError(error, asked, wasSent));
        over(problem.failure);
        reject(problem.error);
      },
    });
    // It may have failed at once.
    if (isOver) return;
    cancelTimer = clock.after(tryMs, () => giveUp(timeLimit(asked, { wasSent, afterMs: tryMs }), "TIMEOUT"));
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

function failed(error: { readonly code: string }) {
  return { error, failure: error.code };
}

function toText(chunks: readonly Buffer[]): string {
  const [first] = chunks;
  if (first === undefined) return "";
  return (chunks.length === 1 ? first : Buffer.concat(chunks)).toString("utf8");
}

interface WholeAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly text: string;
}

function toAnswer({ status, headers, text }: WholeAnswer, asked: Asked, nowMs: number): Answer {
  const isJson = String(headers["content-type"]).startsWith("application/json");
  if (status < 300) return { status, headers, value: isJson ? parseJson(text, asked) : text, asked };
  let body: unknown = text;
  try {
    // A refusal that cannot be read is a refusal all the same.
    if (isJson) body = parseJson(text, asked);
  } catch {}
  throw toApiError({ status, headers, body }, asked, nowMs);
}
