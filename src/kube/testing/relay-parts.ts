// SPDX-License-Identifier: Apache-2.0
import type { ServerResponse } from "node:http";
import type { Dispatcher } from "undici";
import type { Clock } from "../types.ts";
import type { ChaosRequest, ChaosScript, EventFault, RequestFault, ResponseFault } from "./chaos-script.ts";
import type { Overtaking } from "./overtaking.ts";

/** What all requests of a proxy share. */
export interface Relay {
  readonly script: ChaosScript;
  readonly clock: Clock;
  readonly server: Dispatcher;
  readonly origin: string;
  /** The path below which the server's API lies; empty for most. */
  readonly prefix: string;
  readonly requests: Overtaking;
  readonly responses: Overtaking;
  /** Counts one fault, such as `request cut`. */
  count(what: string): void;
}

/** What relaying an answer takes. */
export interface Answering {
  readonly request: ChaosRequest;
  readonly outgoing: ServerResponse;
  readonly shared: Relay;
  cut(): void;
}

/** Headers that belong to a connection and not to what it carries. */
export const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
  "te",
  "trailer",
  "host",
  "expect",
]);

/** How a fault is called in the statistics. */
export function nameOf(fault: RequestFault | ResponseFault | EventFault): string {
  if (typeof fault === "string") return fault;
  return "status" in fault ? String(fault.status) : "delay";
}

/** The server's headers but those that belong to its connection. */
export function passedHeaders(headers: Dispatcher.ResponseData["headers"]): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !HOP_BY_HOP.has(name) && name !== "content-length") kept[name] = value;
  return kept;
}

/** Waits on the proxy's clock, or until the client is gone. */
export function pause(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      // A stream pauses many times with one signal, and what has no more to say must not go on listening.
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(delayMs, done);
    signal?.addEventListener("abort", done);
  });
}
