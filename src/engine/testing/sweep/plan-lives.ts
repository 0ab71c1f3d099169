// SPDX-License-Identifier: Apache-2.0
import { FAULT_NAMES, type FaultName } from "./fault.ts";
import type { LifeStory } from "./life.ts";
import type { Incident, LifePlan } from "./life-plan.ts";
import { seededRandom } from "./seeded-random.ts";
import type { Point } from "./traffic.ts";

/** Faults that kill the manager by themselves. */
const KILLS: ReadonlySet<FaultName> = new Set(["kill-before", "kill-after"]);

/** A read that is served and whose answer is lost has had no effect: it is the same as one that is cut. */
const ONLY_FOR_WRITES: ReadonlySet<FaultName> = new Set([
  "lose-answer",
  "twice",
  "500-served",
  "late-cut",
  "late-hang",
]);
const ONLY_FOR_WATCHES: ReadonlySet<FaultName> = new Set(["silent", "break"]);

/** What a simulator cannot be told to do by itself. */
const BEYOND_SIMULATORS: ReadonlySet<FaultName> = new Set(["500-served", "late-hang", "lag", "silent", "break"]);

/** What a plan depends on. */
export interface Planning {
  /** How old an answer of the infrastructure may be; see `Provider`. */
  readonly visibilityLagMs: number;
  /** Whether the answer to this read of the infrastructure may be old all the same, as it is nothing that must be proven. */
  readonly mayBeOld?: ((point: Point) => boolean) | undefined;
  /** Over sockets only those faults happen on the infrastructure that every simulator knows. */
  readonly usesSockets?: boolean | undefined;
}

/** The faults that can happen at a point, by their nature. */
export function faultsAt(point: Point, planning: Planning): readonly FaultName[] {
  const { usesSockets = false } = planning;
  return FAULT_NAMES.filter((fault) => {
    if (usesSockets && point.side === "infrastructure" && BEYOND_SIMULATORS.has(fault)) return false;
    if (fault === "lag") return point.isWatch || isPerhapsOld(point, planning);
    if (ONLY_FOR_WRITES.has(fault)) return point.isWrite;
    return !ONLY_FOR_WATCHES.has(fault) || point.isWatch;
  });
}

/** Whether the infrastructure promises no more than an answer that was true a while ago. */
export function isPerhapsOld(point: Point, { visibilityLagMs, mayBeOld = () => false }: Planning): boolean {
  const isRead = point.side === "infrastructure" && point.method === "GET" && !point.isWatch;
  return isRead && (visibilityLagMs > 0 || mayBeOld(point));
}

/** The points of the whole life of a machine, those of the manager's start included. */
export function pointsOf({ points, moments }: LifeStory): readonly Point[] {
  return points.slice(0, moments.gone);
}

/** One fault at each point, each with and without a restart after it. */
export function planFaults(model: LifeStory, planning: Planning): readonly LifePlan[] {
  return pointsOf(model).flatMap((point) =>
    faultsAt(point, planning)
      .flatMap((fault) => incidentsOf(point, fault))
      .map((one) => [one]),
  );
}

function incidentsOf({ side, number }: Point, what: FaultName): readonly Incident[] {
  const once = { side, number, what, restarts: false };
  return KILLS.has(what) ? [once] : [once, { ...once, restarts: true }];
}

/** With what a deletion is combined. */
const BESIDE_DELETION: readonly FaultName[] = [
  "kill-before",
  "kill-after",
  "lose-answer",
  "500",
  "hang",
  "cut",
  "late-cut",
  "late-hang",
];

/** The request is deleted at each point of its machine's creation: just before it or just after, alone and with a fault there. */
export function planDeletions(model: LifeStory, planning: Planning): readonly LifePlan[] {
  const { asked, running } = model.moments;
  return model.points.slice(asked, running).flatMap((point) => {
    const { side, number } = point;
    const possible = new Set(faultsAt(point, planning));
    const faults = BESIDE_DELETION.filter((fault) => possible.has(fault)).flatMap((fault) => incidentsOf(point, fault));
    return (["delete-before", "delete-after"] as const).flatMap((what): LifePlan[] => {
      const deletion: Incident = { side, number, what, restarts: false };
      return [[deletion], ...faults.map((fault): LifePlan => [deletion, fault])];
    });
  });
}

/** The manager is killed at each write, and the next one is first shown an infrastructure of a minute ago. */
export function planOldViews(model: LifeStory, planning: Planning): readonly LifePlan[] {
  if (planning.usesSockets || !model.points.some((point) => isPerhapsOld(point, planning))) return [];
  return pointsOf(model)
    .filter(({ isWrite }) => isWrite)
    .flatMap(({ side, number }) =>
      (["kill-before", "kill-after"] as const).map(
        (what): LifePlan => [{ side, number, what, restarts: false, lags: true }],
      ),
    );
}

/** Trouble that lasts: an outage that begins at each point where it makes a difference, and so many storms at points spread evenly. */
export function planLongTroubles(model: LifeStory, { storms }: { readonly storms: number }): readonly LifePlan[] {
  const points = pointsOf(model);
  const incident =
    (what: Incident["what"]) =>
    ({ side, number }: Point): LifePlan => [{ side, number, what, restarts: false }];
  // Of requests that are alike and come together one is enough.
  const isFirst = (point: Point, at: number) => {
    const before = points[at - 1];
    return before?.method !== point.method || before.path !== point.path || before.side !== point.side;
  };
  return [
    ...points.filter(isFirst).map(incident("outage")),
    ...evenly(points, { count: storms, seed: model.seed }).map(incident("storm")),
  ];
}

/** So many lives with two or three faults at random points; the same for the same seed. */
export function planChances(
  model: LifeStory,
  { seed, count, ...planning }: Planning & { readonly seed: number; readonly count: number },
): readonly LifePlan[] {
  const random = seededRandom(seed);
  const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(random() * all.length)];
  const points = pointsOf(model);
  // There are many more reads, and more can go wrong with writes.
  const writes = points.filter(({ isWrite }) => isWrite);
  return Array.from({ length: count }, (_, at): LifePlan => {
    const chosen = new Set(Array.from({ length: 2 + (at % 2) }, () => pick(random() < 0.5 ? writes : points)));
    return [...chosen].flatMap((point) => {
      const fault = point === undefined ? undefined : pick(faultsAt(point, planning));
      const incident = point === undefined || fault === undefined ? undefined : pick(incidentsOf(point, fault));
      return incident === undefined ? [] : [incident];
    });
  });
}

/** So many of them, none twice, spread evenly over all; which of neighbours follows from the seed. */
export function evenly<T>(
  all: readonly T[],
  { count, seed }: { readonly count: number; readonly seed: number },
): readonly T[] {
  const random = seededRandom(seed);
  if (all.length <= count) return all;
  // Neighbouring stretches begin and end at whole places, so that they share none.
  const beginOf = (at: number) => Math.floor((at * all.length) / count);
  const chosen = Array.from({ length: count }, (_, at) => {
    const length = beginOf(at + 1) - beginOf(at);
    return all[beginOf(at) + Math.floor(random() * length)];
  });
  return chosen.filter((one) => one !== undefined);
}
