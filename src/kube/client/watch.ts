// SPDX-License-Identifier: Apache-2.0
import { isUnauthorized } from "../errors.ts";
import type { KindDescriptor, KubeObject, WatchEvent } from "../types.ts";
import { type Asked, badAnswer, toApiError, toEvent } from "./answers.ts";
import {
  type Call,
  patiently,
  report,
  type Surroundings,
  timeLimit,
  toConnectionError,
  toWireRequest,
} from "./attempt.ts";
import type { Identity } from "./credentials.ts";
import { createLineSplitter } from "./json-lines.ts";
import { collectionPath, query } from "./paths.ts";
import type { WatchOptions } from "./types.ts";
import type { AnswerHeaders } from "./wire.ts";

/** How much text may wait for a slow reader before the server is made to wait too. */
const WAITING_CHARACTERS = 1024 * 1024;

/** A refusal is a Status of a few lines. */
const LONGEST_REFUSAL = 1024 * 1024;

const START_MS = 30_000;

/** Watches a kind; see `Client.watch`. */
export async function* watch<T extends KubeObject>(
  kind: KindDescriptor<T>,
  options: WatchOptions,
  surroundings: Surroundings,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const { clock, credentials, nextId } = surroundings;
  const { signal, startMs = START_MS } = options;
  const call = watchCall(kind, options);
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    const asked = { what: call.subject.what, requestId: nextId() };
    const identity = await patiently(Promise.resolve(credentials.current()), {
      ms: startMs,
      signal,
      clock,
      tooLate: () => timeLimit(asked, { wasSent: false, afterMs: startMs }),
    });
    const stream = openStream(call, { asked, attempt, identity, options, surroundings });
    let hasBegun = false;
    try {
      for (let lines = await stream.next(); lines !== undefined; lines = await stream.next()) {
        hasBegun = true;
        for (const line of lines) {
          signal?.throwIfAborted();
          yield toEvent(kind, line, asked);
        }
      }
      return;
    } catch (error) {
      // Only here, and only once: all else is for the caller to judge, who knows from where to go on.
      if (hasBegun || attempt > 1 || !isUnauthorized(error) || !(await credentials.renew(identity))) throw error;
    } finally {
      stream.close();
    }
  }
}

function watchCall(kind: KindDescriptor, options: WatchOptions): Call {
  const { namespace, allowWatchBookmarks = true, sendInitialEvents } = options;
  const { group, plural } = kind;
  return {
    subject: { verb: "watch", group, resource: plural, subresource: "", what: describe(plural, namespace) },
    method: "GET",
    path:
      collectionPath(kind, namespace) +
      query({
        watch: true,
        labelSelector: options.labelSelector,
        fieldSelector: options.fieldSelector,
        resourceVersion: options.resourceVersion,
        // Servers ask for this one beside the other.
        resourceVersionMatch: options.resourceVersionMatch ?? (sendInitialEvents ? "NotOlderThan" : undefined),
        sendInitialEvents,
        allowWatchBookmarks: allowWatchBookmarks || undefined,
        timeoutSeconds: options.timeoutSeconds,
      }),
    accept: "application/json",
    isRepeatable: true,
  };
}

function describe(plural: string, namespace: string | undefined): string {
  return `watch ${plural}${namespace === undefined ? "" : ` in "${namespace}"`}`;
}

/** The lines of one watch. */
interface LineStream {
  /** All lines that came since the last call, at least one; undefined when the server has ended the stream. Throws when it broke. */
  next(): Promise<readonly string[] | undefined>;
  /** Closes the connection. May be repeated. */
  close(): void;
}

interface Opening {
  readonly asked: Asked;
  readonly attempt: number;
  readonly identity: Identity;
  readonly options: WatchOptions;
  readonly surroundings: Surroundings;
}

function openStream(call: Call, { asked, attempt, identity, options, surroundings }: Opening): LineStream {
  const { wire, clock } = surroundings;
  const { signal, startMs = START_MS } = options;
  const startedAt = clock.monotonic();
  let lines: string[] = [];
  let waiting = 0;
  let end: { readonly error: unknown } | "clean" | undefined;
  let wake = () => {};
  let wasSent = false;
  let status: number | undefined;
  let headers: AnswerHeaders = {};
  let refusal = "";
  let cancelTimer = () => {};
  const splitter = createLineSplitter((line) => {
    lines.push(line);
    waiting += line.length;
  });
  const tell = (failure: string | undefined) => {
    cancelTimer();
    report({ call, asked, attempt, status, headers, failure, startedAt }, surroundings);
  };
  const over = (how: { readonly error: unknown } | "clean") => {
    end ??= how;
    signal?.removeEventListener("abort", onAbort);
    wake();
  };
  const giveUp = (error: unknown, failure: string) => {
    if (end !== undefined) return;
    if (status === undefined) tell(failure);
    over({ error });
    request.abort(error);
  };
  const onAbort = () => giveUp(signal?.reason, "ABORTED");
  const request = wire.dispatch(toWireRequest(call, identity, asked), {
    onSend() {
      wasSent = true;
    },
    onAnswer(answered, given) {
      status = answered;
      headers = given;
      tell(undefined);
    },
    onData(chunk) {
      if (status !== 200) {
        if (refusal.length < LONGEST_REFUSAL) refusal += chunk.toString("latin1");
        return;
      }
      splitter.push(chunk);
      if (lines.length === 0) return;
      if (waiting > WAITING_CHARACTERS) request.pause();
      wake();
    },
    onEnd() {
      if (status !== 200) over({ error: toRefusal({ status: status ?? 0, headers, refusal }, asked, clock.now()) });
      else if (splitter.hasRest) over({ error: badAnswer("the stream ended in the middle of an event", asked) });
      else over("clean");
    },
    onError(error) {
      if (end !== undefined) return;
      const problem = toConnectionError(error, asked, wasSent);
      if (status === undefined) tell(problem.code);
      over({ error: problem });
    },
  });
  if (end === undefined) {
    cancelTimer = clock.after(startMs, () => giveUp(timeLimit(asked, { wasSent, afterMs: startMs }), "TIMEOUT"));
    signal?.addEventListener("abort", onAbort, { once: true });
  }
  return {
    async next() {
      while (lines.length === 0) {
        if (end === "clean") return undefined;
        if (end !== undefined) throw end.error;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const taken = lines;
      lines = [];
      const isPaused = waiting > WAITING_CHARACTERS;
      waiting = 0;
      // More may come before this returns.
      if (isPaused) request.resume();
      return taken;
    },
    close() {
      giveUp(new Error("the watch was left"), "ABORTED");
    },
  };
}

interface RawRefusal {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** One character per byte. */
  readonly refusal: string;
}

function toRefusal({ status, headers, refusal }: RawRefusal, asked: Asked, nowMs: number) {
  const text = Buffer.from(refusal, "latin1").toString("utf8");
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {}
  return toApiError({ status, headers, body }, asked, nowMs);
}
