// SPDX-License-Identifier: Apache-2.0

/** What may happen to a connection when it is opened: closed at once, accepted and never read, or kept waiting first. */
export type ConnectionFault = "cut" | "hold" | { readonly delayMs: number };

/**
 * What may happen to a request before the server sees it. `cut` closes the connection and `hold` keeps it silent, the server
 * sees nothing in either case; `duplicate` sends it twice; `reorder` lets the next request go first; a status is answered
 * without asking the server.
 */
export type RequestFault =
  | "cut"
  | "hold"
  | "duplicate"
  | "reorder"
  | { readonly delayMs: number }
  | { readonly status: number; readonly retryAfterSeconds?: number };

/**
 * What may happen to an answer after the server did its work: lost with its connection, lost in silence, cut half way, sent
 * after the next one, or late.
 */
export type ResponseFault = "cut" | "hold" | "truncate" | "reorder" | { readonly delayMs: number };

/**
 * What may happen to an event of a watch. `cut` closes before it and `truncate` in the middle of it, `hold` makes the stream
 * silent from it on, `expire` puts an ERROR with 410 in its place and ends the stream. A server over TCP never does `drop`,
 * `duplicate` or `reorder`; they are for scripts that want to know what becomes of a client all the same.
 */
export type EventFault =
  | "cut"
  | "hold"
  | "truncate"
  | "expire"
  | "drop"
  | "duplicate"
  | "reorder"
  | { readonly delayMs: number };

/** A request as a script sees it. */
export interface ChaosRequest {
  /** Counts all requests from 0. */
  readonly index: number;
  /** Counts those with the same method and path, without its query, from 0. */
  readonly repeat: number;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly isWatch: boolean;
}

/** An event of a watch as a script sees it. */
export interface ChaosEvent {
  readonly request: ChaosRequest;
  /** Counts the events of this watch from 0. */
  readonly index: number;
  /** The event as JSON. */
  readonly line: string;
}

/** Decides what goes wrong. Whatever is left out, or answers undefined, goes well. */
export interface ChaosScript {
  connection?(index: number): ConnectionFault | undefined;
  request?(request: ChaosRequest): RequestFault | undefined;
  response?(request: ChaosRequest): ResponseFault | undefined;
  event?(event: ChaosEvent): EventFault | undefined;
}

type Rates<Name extends string> = { readonly [Fault in Name]?: number };

/** How often each fault happens, from 0 to 1. At each place the sum should not pass 1. */
export interface ChaosRates {
  readonly connection?: Rates<"cut" | "hold" | "delay">;
  readonly request?: Rates<
    "cut" | "hold" | "duplicate" | "reorder" | "delay" | "tooManyRequests" | "serverError" | "unavailable"
  >;
  readonly response?: Rates<"cut" | "hold" | "truncate" | "reorder" | "delay">;
  readonly event?: Rates<"cut" | "hold" | "truncate" | "expire" | "drop" | "duplicate" | "reorder" | "delay">;
  /** Answers 410 to that part of the watches and lists. */
  readonly gone?: number;
  /** Delays are spread evenly up to this. 1000 unless told otherwise. */
  readonly longestDelayMs?: number;
}

/**
 * A script from a seed. What happens to a request depends on the seed, its method, its path and how often that was asked for,
 * not on what others do at the same time; so a run can be repeated even where requests overlap.
 */
export function seededChaos(seed: number, rates: ChaosRates): ChaosScript {
  const { longestDelayMs = 1000 } = rates;
  const choose = <Name extends string>(of: Rates<Name> | undefined, where: string): Chosen<Name> | undefined => {
    const dice = diceOf(`${seed}/${where}`);
    const fault = pick(of, dice());
    if (fault === "delay") return { delayMs: Math.floor(dice() * longestDelayMs) };
    return fault as Exclude<Name, "delay"> | undefined;
  };
  const nameOf = ({ method, isWatch, path, repeat }: ChaosRequest) =>
    `${method} ${isWatch} ${pathOnly(path)} ${repeat}`;
  return {
    connection: (index) => choose(rates.connection, `connection/${index}`),
    request(request) {
      const where = `request/${nameOf(request)}`;
      const isRead = request.isWatch || (request.method === "GET" && request.path.includes("resourceVersion="));
      if (isRead && diceOf(`${seed}/gone/${where}`)() < (rates.gone ?? 0)) return { status: 410 };
      const fault = choose(rates.request, where);
      if (fault === "tooManyRequests") return { status: 429, retryAfterSeconds: 1 };
      if (fault === "serverError") return { status: 500 };
      if (fault === "unavailable") return { status: 503 };
      return fault;
    },
    response: (request) => choose(rates.response, `response/${nameOf(request)}`),
    event: ({ request, index }) => choose(rates.event, `event/${nameOf(request)}/${index}`),
  };
}

type Chosen<Name extends string> = Exclude<Name, "delay"> | { readonly delayMs: number };

function pick<Name extends string>(rates: Rates<Name> | undefined, dice: number): Name | undefined {
  let sum = 0;
  for (const name in rates) {
    sum += rates[name] ?? 0;
    if (dice < sum) return name;
  }
  return undefined;
}

/** The path without its query. */
export function pathOnly(path: string): string {
  const end = path.indexOf("?");
  return end < 0 ? path : path.slice(0, end);
}

/** Numbers from 0 up to 1 that look random and follow from the text alone. */
function diceOf(text: string): () => number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
