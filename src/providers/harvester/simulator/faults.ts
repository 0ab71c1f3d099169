// SPDX-License-Identifier: Apache-2.0
import type { Fault, FaultEffect, SimulatedRequest } from "../../../engine/testing/simulator.ts";
import type { Clock } from "../../../kube/index.ts";
import { errorResponse } from "../../../plane/handler.ts";
import { failure } from "../../../plane/status-error.ts";
import type { Handler, PlaneRequest, PlaneResponse } from "../../../plane/types.ts";

/** The connection broke: whoever serves a network must hang up without an answer. */
export class ConnectionCut extends Error {
  readonly code = "ECONNRESET";
  constructor() {
    super("socket hang up");
  }
}

/** The faults that are on. */
export interface Faults {
  inject(fault: Fault): () => void;
  /** The effect on this request, which is used up with it; undefined where it goes well. */
  take(request: SimulatedRequest): FaultEffect | undefined;
}

/** Makes faults: of several that fit, the one that was injected first. */
export function createFaults(): Faults {
  const active = new Set<{ readonly fault: Fault; left: number }>();
  return {
    inject(fault) {
      const entry = { fault, left: fault.times ?? Number.POSITIVE_INFINITY };
      active.add(entry);
      return () => void active.delete(entry);
    },
    take(request) {
      for (const entry of active) {
        if (entry.fault.on?.(request) === false) continue;
        entry.left -= 1;
        if (entry.left <= 0) active.delete(entry);
        return entry.fault.effect;
      }
      return undefined;
    },
  };
}

interface Stage {
  readonly clock: Clock;
  readonly next: Handler;
  /** Told while a request only waits for its caller to give up. */
  readonly onHang: () => void;
}

/** Serves a request with an effect on it. */
export async function serveWith(effect: FaultEffect, request: PlaneRequest, stage: Stage): Promise<PlaneResponse> {
  const { clock, next, onHang } = stage;
  switch (effect.type) {
    case "refuse":
      return refusal(effect, request);
    case "cut-before":
      throw new ConnectionCut();
    case "lose-answer":
      await next(orphaned(request));
      throw new ConnectionCut();
    case "hang":
      onHang();
      await aborted(request.signal);
      throw new ConnectionCut();
    case "twice":
      await next(orphaned(request));
      return next(request);
    case "late":
      clock.after(effect.byMs, () => void next(orphaned(request)));
      throw new ConnectionCut();
  }
}

/** The same request, served whether or not its caller is still there. */
function orphaned(request: PlaneRequest): PlaneRequest {
  return { ...request, signal: new AbortController().signal };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

const REASONS: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  410: "Expired",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

const MESSAGES: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  429: "the server has received too many requests and has asked us to try again later",
  500: "Internal error occurred: etcdserver: leader changed",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};

function refusal(effect: FaultEffect & { type: "refuse" }, request: PlaneRequest): PlaneResponse {
  const { status, message = MESSAGES[status] ?? "refused", retryAfterSeconds } = effect;
  const error = failure({
    code: status,
    reason: REASONS[status] ?? "",
    message,
    ...(retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }),
  });
  return errorResponse(error, { onFault: () => {}, accept: request.headers.accept });
}
