// SPDX-License-Identifier: Apache-2.0
import type { FaultName } from "./fault.ts";
import type { LifeStory } from "./life.ts";
import type { Incident, LifePlan } from "./life-plan.ts";
import type { Planning } from "./plan-lives.ts";
import type { Point } from "./traffic.ts";

const LATE: readonly FaultName[] = ["late-cut", "latest-cut", "latest-hang"];
/** So many requests later a deletion meets whatever the manager does about a call that it has not heard of. */
const LATER = 8;

/**
 * A call that makes something takes effect late, at the latest moment there is too: alone and with a restart; with the request deleted
 * there, or at one of the next requests; and where the launch that is written down before it has hung.
 */
export function planLateEffects(model: LifeStory, { usesSockets = false }: Planning): readonly LifePlan[] {
  // Simulators that are reached over sockets do no more than be late by a minute.
  if (usesSockets) return [];
  const { asked, running } = model.moments;
  const points = model.points.slice(asked, running);
  return points.flatMap((point, at) => {
    if (point.side !== "infrastructure" || !point.isWrite) return [];
    const launch = points.slice(0, at).findLast(({ side, isWrite }) => side === "kubernetes" && isWrite);
    return LATE.flatMap((what) => lateAt(point, { what, launch }));
  });
}

interface Lateness {
  readonly what: FaultName;
  /** The write to Kubernetes before it. */
  readonly launch: Point | undefined;
}

function lateAt(point: Point, { what, launch }: Lateness): readonly LifePlan[] {
  const incident = ({ side, number }: Pick<Point, "side" | "number">, its: Incident["what"]): Incident => ({
    side,
    number,
    what: its,
    restarts: false,
  });
  const late = incident(point, what);
  const here = (["delete-before", "delete-after"] as const).map((deletion) => incident(point, deletion));
  const next = (from: Pick<Point, "side" | "number">) =>
    Array.from({ length: LATER }, (_, at) =>
      incident({ side: from.side, number: from.number + at + 1 }, "delete-after"),
    );
  const later = [...next(point), ...(launch === undefined ? [] : next(launch))];
  // By a minute, alone and with a deletion there, it is late among the usual faults.
  const alone: readonly LifePlan[] =
    what === "late-cut" ? [] : [[late], [{ ...late, restarts: true }], ...here.map((deletion) => [late, deletion])];
  return [
    ...alone,
    ...later.map((deletion): LifePlan => [late, deletion]),
    ...(launch === undefined ? [] : here.map((deletion): LifePlan => [incident(launch, "hang"), late, deletion])),
  ];
}
