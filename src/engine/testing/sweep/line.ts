// SPDX-License-Identifier: Apache-2.0
import {
  type Clock,
  type HandlerRequest,
  type HandlerResponse,
  type HandlerTransport,
  sleep,
} from "../../../kube/index.ts";
import { connectionCut, type Fault } from "./fault.ts";
import { type Disturbance, faultAt, type Side, type Traffic } from "./traffic.ts";
import type { Vitality } from "./vitality.ts";

/** A server at the end of a line. */
export interface Server {
  readonly serve: HandlerTransport;
  /** What it would have answered so many milliseconds ago, where that is known. */
  readonly old?: (request: HandlerRequest, ageMs: number) => HandlerResponse | undefined;
  /** Answers with this status in the server's own words, and does nothing. */
  refuse(
    request: HandlerRequest,
    refusal: Pick<Fault & { type: "refuse" }, "status" | "retryAfterSeconds">,
  ): Promise<HandlerResponse>;
}

/** What a line is made of. */
export interface LineOptions {
  readonly side: Side;
  readonly server: Server;
  /** The manager whose line it is. */
  readonly vitality: Vitality;
  readonly traffic: Traffic;
  /** The servers' clock. */
  readonly clock: Clock;
  /** Told of a request that waits for its sender to give up. */
  readonly onPark?: (request: HandlerRequest) => void;
}

/** More than a life has. */
const REQUESTS_PER_TURN = 256;

/**
 * The way of one manager to one server. Every request is numbered, and meets what was set for it. What a dead manager would send is
 * not sent, and no answer reaches it; a sleeping one's requests leave and its answers arrive when it wakes.
 */
export function createLine(options: LineOptions): HandlerTransport {
  const { side, vitality, traffic } = options;
  return async (request) => {
    await vitality.awake();
    const leave = traffic.enter();
    const point = traffic.number(side, request);
    const disturbance = traffic.take(point);
    // Where nothing takes time requests could follow each other for ever within one turn of the event loop, and nobody would notice.
    if (point.number % REQUESTS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    const park = () => {
      leave();
      options.onPark?.(request);
    };
    const arrive = async <T>(answer: () => T): Promise<T> => {
      leave();
      disturbance?.onOver?.(point);
      await vitality.awake();
      return answer();
    };
    try {
      const { answer, ...troubles } = await disturbed(request, { ...options, disturbance, park, point });
      const body = typeof answer.body === "string" ? answer.body : carried(answer.body, { ...options, ...troubles });
      return await arrive(() => ({ ...answer, body }));
    } catch (error) {
      return await arrive(() => {
        throw error;
      });
    }
  };
}

interface Disturbed extends LineOptions {
  readonly disturbance: Disturbance | undefined;
  readonly point: Parameters<Traffic["take"]>[0];
  /** Called when it is parked: from then on nobody waits for it. */
  readonly park: () => void;
}

interface Carried {
  readonly answer: HandlerResponse;
  readonly lagMs?: number;
  readonly breaksAfterMs?: number;
}

async function disturbed(request: HandlerRequest, options: Disturbed): Promise<Carried> {
  const { disturbance, point, vitality } = options;
  const own = { ...request, signal: point.isWatch ? endsWith(vitality, request.signal) : request.signal };
  if (disturbance === undefined) return { answer: await options.server.serve(own) };
  await disturbance.before?.(point);
  const fault = faultAt(disturbance, point);
  try {
    return fault === undefined ? { answer: await options.server.serve(own) } : await faulty(own, fault, options);
  } finally {
    await disturbance.after?.(point);
  }
}

async function faulty(request: HandlerRequest, fault: Fault, options: Disturbed): Promise<Carried> {
  const { vitality, server, clock, traffic, park } = options;
  const orphaned = { ...request, signal: new AbortController().signal };
  switch (fault.type) {
    case "kill-before":
      vitality.die();
      throw connectionCut();
    case "kill-after":
      vitality.die();
      await server.serve(orphaned);
      throw connectionCut();
    case "cut":
      throw connectionCut();
    case "lose-answer":
      await server.serve(orphaned);
      throw connectionCut();
    case "twice":
      await server.serve(orphaned);
      return { answer: await server.serve(request) };
    case "hang":
      park();
      await aborted(request.signal);
      throw connectionCut();
    case "refuse":
      if (fault.isServed) await server.serve(orphaned);
      return { answer: await server.refuse(request, fault) };
    case "late":
      clock.after(fault.byMs, () => {
        const arrive = traffic.enter();
        server.serve(orphaned).then(arrive, arrive);
      });
      park();
      if (fault.sees === "hang") await aborted(request.signal);
      throw connectionCut();
    case "lag":
      return { answer: server.old?.(request, fault.byMs) ?? (await server.serve(request)), lagMs: fault.byMs };
    case "break":
      return { answer: await server.serve(request), breaksAfterMs: fault.afterMs };
  }
}

/** A watch is given up with its sender; whatever else was sent is served. */
function endsWith(vitality: Vitality, signal: AbortSignal): AbortSignal {
  const gone = new AbortController();
  const cancel = vitality.onDeath(() => gone.abort());
  const onAbort = () => {
    cancel();
    gone.abort(signal.reason);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return gone.signal;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

type Troubles = LineOptions & Pick<Carried, "lagMs" | "breaksAfterMs">;

/** The pieces of a stream, as the sender gets them. */
async function* carried(body: AsyncIterable<string>, options: Troubles): AsyncGenerator<string> {
  const { vitality, traffic, clock, lagMs = 0, breaksAfterMs } = options;
  const late = lagMs === 0 ? body : delayed(body, { clock, lagMs });
  for await (const piece of breaksAfterMs === undefined ? late : broken(late, { clock, afterMs: breaksAfterMs })) {
    traffic.stir();
    await vitality.awake();
    yield piece;
  }
  // That it has ended is news too.
  await vitality.awake();
}

/** Everything comes so much later than it happens, in the order it happened. */
async function* delayed(
  body: AsyncIterable<string>,
  { clock, lagMs }: { readonly clock: Clock; readonly lagMs: number },
): AsyncGenerator<string> {
  const waiting: { readonly piece: string; readonly at: number }[] = [];
  let wake = () => {};
  let isOver = false;
  const pump = async () => {
    try {
      for await (const piece of body) {
        waiting.push({ piece, at: clock.monotonic() });
        wake();
      }
    } finally {
      isOver = true;
      wake();
    }
  };
  const pumping = pump();
  for (;;) {
    const next = waiting.shift();
    if (next !== undefined) {
      await sleep(clock, Math.max(0, next.at + lagMs - clock.monotonic()));
      yield next.piece;
    } else if (isOver) break;
    else
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
  await pumping;
}

/** The same, until the connection breaks. */
async function* broken(
  body: AsyncIterable<string>,
  { clock, afterMs }: { readonly clock: Clock; readonly afterMs: number },
): AsyncGenerator<string> {
  const pieces = body[Symbol.asyncIterator]();
  const breaking = sleep(clock, afterMs).then(() => {
    throw connectionCut();
  });
  // Where nobody reads any more nobody hears of it.
  breaking.catch(() => {});
  for (;;) {
    const next = await Promise.race([pieces.next(), breaking]);
    if (next.done === true) return;
    yield next.value;
  }
}
