// SPDX-License-Identifier: Apache-2.0
import type { HandlerRequest } from "../../../kube/index.ts";
import type { Fault } from "./fault.ts";

/** Whom a manager talks to. */
export type Side = "kubernetes" | "infrastructure";

/** A request that a manager sends, known by its number on its side: the first is 1. */
export interface Point {
  readonly side: Side;
  readonly number: number;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly isWrite: boolean;
  readonly isWatch: boolean;
}

/** For people, and to name a point again: `infrastructure#7 POST /apis/...`. */
export function pointText({ side, number, method, path }: Pick<Point, "side" | "number" | "method" | "path">): string {
  return `${side}#${number} ${method} ${path}`;
}

/** Something that happens at a request. */
export interface Disturbance {
  /** Which request; the first that fits. */
  readonly on: (point: Point) => boolean;
  /** How many of those that fit; one unless told otherwise. */
  readonly times?: number;
  readonly fault?: Fault | ((point: Point) => Fault | undefined);
  /** Done before the request is sent: it waits for that. */
  readonly before?: (point: Point) => Promise<void> | void;
  /** Done when the request was served, before its sender hears of it. */
  readonly after?: (point: Point) => Promise<void> | void;
  /** Told once the sender has its answer, or never will have one. */
  readonly onOver?: (point: Point) => void;
}

/** What goes wrong with this very request. */
export function faultAt({ fault }: Disturbance, point: Point): Fault | undefined {
  return typeof fault === "function" ? fault(point) : fault;
}

/** Counts and numbers what goes back and forth, and knows what is to go wrong. */
export interface Traffic {
  /** Every request of a manager so far, in the order they were sent. */
  readonly points: readonly Point[];
  count(side: Side): number;
  /** How many requests are being served and answered. Streams and what is parked do not count. */
  readonly inFlight: number;
  /** Grows with everything that happens. */
  readonly activity: number;
  /** Something is under way until the function that is returned is called, which may be repeated. */
  enter(): () => void;
  /** Something happened. */
  stir(): void;
  /** Gives a request its number. */
  number(side: Side, request: Pick<HandlerRequest, "method" | "path">): Point;
  /** What happens at this request, which is used up with it. */
  take(point: Point): Disturbance | undefined;
  /** Returns how to take it back. */
  disturb(disturbance: Disturbance): () => void;
  /** Lets go of the points so far; their numbers go on. For worlds that last. */
  forget(): void;
}

/** Nothing was sent yet. */
export function createTraffic(): Traffic {
  const points: Point[] = [];
  const counts = { kubernetes: 0, infrastructure: 0 };
  const disturbances = new Set<{ readonly disturbance: Disturbance; left: number }>();
  let inFlight = 0;
  let activity = 0;
  return {
    points,
    count: (side) => counts[side],
    get inFlight() {
      return inFlight;
    },
    get activity() {
      return activity;
    },
    enter() {
      inFlight += 1;
      activity += 1;
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        inFlight -= 1;
        activity += 1;
      };
    },
    stir() {
      activity += 1;
    },
    number(side, { method, path }) {
      counts[side] += 1;
      const isWrite = method !== "GET" && method !== "HEAD";
      const isWatch = !isWrite && /[?&]watch=(1|true)\b/.test(path);
      const point = { side, number: counts[side], method, path, isWrite, isWatch };
      points.push(point);
      return point;
    },
    take(point) {
      for (const entry of disturbances) {
        if (!entry.disturbance.on(point)) continue;
        entry.left -= 1;
        if (entry.left <= 0) disturbances.delete(entry);
        return entry.disturbance;
      }
      return undefined;
    },
    disturb(disturbance) {
      const entry = { disturbance, left: disturbance.times ?? 1 };
      disturbances.add(entry);
      return () => void disturbances.delete(entry);
    },
    forget() {
      points.length = 0;
    },
  };
}
