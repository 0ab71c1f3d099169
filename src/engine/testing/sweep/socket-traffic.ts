// SPDX-License-Identifier: Apache-2.0
import { channel } from "node:diagnostics_channel";
import type { Traffic } from "./traffic.ts";

/** What is under way over sockets, as this process's HTTP clients tell it. */
export interface SocketTraffic {
  /** A request of this kind waits for its sender to give up: from now on nobody waits for it. */
  park(request: { readonly method: string; readonly path: string }): void;
  /** Nobody waits for anything that is under way now. */
  parkAll(): void;
  stop(): void;
}

/** What undici publishes of a request. */
interface Published {
  readonly request: { readonly origin: unknown; readonly method: string; readonly path: string };
}

/** Counts requests to these origins from when they are made until they are answered; watches until they have begun. */
export function followSockets(traffic: Traffic, isFollowed: (origin: string) => boolean): SocketTraffic {
  const underWay = new Map<Published["request"], () => void>();
  const over = ({ request }: Published) => {
    underWay.get(request)?.();
    underWay.delete(request);
  };
  const listeners: Readonly<Record<string, (published: Published) => void>> = {
    create({ request }) {
      if (isFollowed(String(request.origin))) underWay.set(request, traffic.enter());
    },
    headers(published) {
      if (/[?&]watch=(1|true)\b/.test(published.request.path)) over(published);
    },
    trailers: over,
    error: over,
    bodyChunkReceived: () => traffic.stir(),
  };
  // What undici publishes has this shape; there are no types for it.
  const subscribed = Object.entries(listeners).map(([name, listen]) => {
    const listener = (message: unknown) => {
      if (isPublished(message)) listen(message);
    };
    const source = channel(`undici:request:${name}`);
    source.subscribe(listener);
    return () => source.unsubscribe(listener);
  });
  return {
    park({ method, path }) {
      for (const request of underWay.keys())
        if (request.method === method && request.path.endsWith(path)) return over({ request });
    },
    parkAll() {
      for (const request of [...underWay.keys()]) over({ request });
    },
    stop() {
      for (const unsubscribe of subscribed) unsubscribe();
    },
  };
}

function isPublished(message: unknown): message is Published {
  return typeof message === "object" && message !== null && "request" in message;
}
