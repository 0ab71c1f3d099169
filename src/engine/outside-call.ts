// SPDX-License-Identifier: Apache-2.0
import { ApiError, type Clock, ConnectionError, LostLeadershipError } from "../kube/index.ts";
import type { Call, OutsideCall } from "./call.ts";
import { ProviderError } from "./provider-error.ts";

/** One verb of a provider that is to be called. */
export interface VerbCall {
  /** For messages: `create machine "web-1"`. */
  readonly what: string;
  /** The machine's name, for the audit. */
  readonly machine?: string;
  readonly signal: AbortSignal;
  /**
   * After so long by the clock nothing of it is sent any more, the signal of the call is aborted, and `run` rejects as
   * `unavailable`, whatever the verb does.
   */
  readonly limitMs: number;
}

/** How the verbs of one ProviderConfig's provider are called. */
export interface Calls {
  /**
   * Calls one verb. While the infrastructure has asked to slow down nothing is sent, and it rejects as `throttled` at once. What the
   * verb throws is thrown on.
   */
  run<T>(call: VerbCall, verb: (call: Call) => Promise<T>): Promise<T>;
  /** A call without a time limit, for a watch. */
  open(signal: AbortSignal): Call;
  /** Calls of `run` that are under way. */
  readonly inFlight: number;
  /** Resolves as soon as none is. */
  idle(): Promise<void>;
}

/** What calls need. */
export interface CallsOptions {
  readonly clock: Clock;
  /** Throws where this process may no longer act. Called right before each request. */
  readonly gate: () => void;
  /** Told of every request when it is over. What it throws is ignored. */
  readonly audit: (call: OutsideCall) => void;
}

/** The infrastructure did not say for how long. */
const SLOW_DOWN_MS = 60_000;

/** Makes the calls of one ProviderConfig. Nothing is sent. */
export function createCalls({ clock, gate, audit }: CallsOptions): Calls {
  let inFlight = 0;
  const waiting: (() => void)[] = [];
  let slowUntil = Number.NEGATIVE_INFINITY;
  let slowBecause: ProviderError | undefined;
  const toCall = (machine: string, { signal, mayGo }: { readonly signal: AbortSignal; mayGo(): void }): Call => ({
    signal,
    gate: mayGo,
    async outside(verb, send) {
      mayGo();
      signal.throwIfAborted();
      const startedAt = clock.monotonic();
      const tell = (outcome: Outcome) => {
        try {
          audit({ verb, machine, durationMs: clock.monotonic() - startedAt, ...outcome });
        } catch {}
      };
      try {
        const answer = await send();
        tell({ result: "ok", code: undefined, requestId: requestIdOf(answer) });
        return answer;
      } catch (error) {
        tell(outcomeOf(error));
        throw error;
      }
    },
  });
  const refuseWhileSlow = (what: string) => {
    const leftMs = slowUntil - clock.monotonic();
    if (slowBecause === undefined || leftMs <= 0) return;
    const { reason, message, code, requestId } = slowBecause;
    throw new ProviderError({
      kind: "throttled",
      reason,
      message: `${what}: not tried, the infrastructure asked to slow down: ${message}`,
      code,
      requestId,
      retryAfterMs: leftMs,
    });
  };
  const noteSlowness = (error: unknown) => {
    if (!(error instanceof ProviderError) || error.kind !== "throttled") return;
    slowBecause = error;
    slowUntil = Math.max(slowUntil, clock.monotonic() + (error.retryAfterMs ?? SLOW_DOWN_MS));
  };
  return {
    async run(verbCall, verb) {
      const { what, machine = "", signal, limitMs } = verbCall;
      signal.throwIfAborted();
      refuseWhileSlow(what);
      inFlight += 1;
      try {
        const endsAt = clock.monotonic() + limitMs;
        const mayGo = () => {
          gate();
          // A process that stood still wakes up to this before its timers.
          if (clock.monotonic() >= endsAt) throw tooSlow(what, limitMs);
        };
        return await limited({ what, signal, limitMs, clock }, (own) => verb(toCall(machine, { signal: own, mayGo })));
      } catch (error) {
        noteSlowness(error);
        throw error;
      } finally {
        inFlight -= 1;
        if (inFlight === 0) for (const wake of waiting.splice(0)) wake();
      }
    },
    open: (signal) => toCall("", { signal, mayGo: gate }),
    get inFlight() {
      return inFlight;
    },
    idle() {
      return inFlight === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve));
    },
  };
}

type Outcome = Pick<OutsideCall, "result" | "code" | "requestId">;

interface Limit {
  readonly what: string;
  readonly signal: AbortSignal;
  readonly limitMs: number;
  readonly clock: Clock;
}

/** Ends with the verb, with the signal, or when the time is up, whichever comes first. */
function limited<T>({ what, signal, limitMs, clock }: Limit, verb: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const own = new AbortController();
    const end = (reason: unknown) => {
      own.abort(reason);
      reject(reason);
    };
    const onAbort = () => end(signal.reason);
    const cancel = clock.after(limitMs, () => end(tooSlow(what, limitMs)));
    signal.addEventListener("abort", onAbort, { once: true });
    verb(own.signal)
      .then(resolve, reject)
      .finally(() => {
        cancel();
        signal.removeEventListener("abort", onAbort);
      });
  });
}

function tooSlow(what: string, limitMs: number): ProviderError {
  return new ProviderError({
    kind: "unavailable",
    reason: "NoAnswer",
    message: `${what}: the infrastructure has not answered within ${Math.round(limitMs / 1000)} s; it is tried again`,
    code: "TIMEOUT",
  });
}

/** A client's own errors count too: a verb maps them only after its request is over. */
function outcomeOf(error: unknown): Outcome {
  if (error instanceof ProviderError) return { result: error.kind, code: error.code, requestId: error.requestId };
  if (error instanceof ApiError)
    return { result: kindOfStatus(error.status), code: String(error.status), requestId: error.requestId };
  if (error instanceof ConnectionError) return { result: "unavailable", code: error.code, requestId: error.requestId };
  if (error instanceof LostLeadershipError) return { result: "not-sent", code: undefined, requestId: undefined };
  const isAborted = error instanceof Error && error.name === "AbortError";
  return { result: isAborted ? "aborted" : "internal", code: undefined, requestId: undefined };
}

function kindOfStatus(status: number): string {
  if (status === 401 || status === 403) return "denied";
  if (status === 404) return "absent";
  if (status === 429) return "throttled";
  return status >= 500 || status === 409 ? "unavailable" : "invalid";
}

function requestIdOf(answer: unknown): string | undefined {
  const hasOne = typeof answer === "object" && answer !== null && "requestId" in answer;
  return hasOne && typeof answer.requestId === "string" ? answer.requestId : undefined;
}
