// SPDX-License-Identifier: Apache-2.0
import { FAULTS, type FaultName } from "./fault.ts";
import { type Incident, isDeed, type LifePlan } from "./life-plan.ts";
import { breakOut } from "./long-trouble.ts";
import type { Point } from "./traffic.ts";
import type { World } from "./world.ts";

/** What incidents do beyond faults. */
export interface Arrangement {
  readonly world: World;
  /** Somebody deletes the MachineRequest. */
  readonly remove: () => Promise<void>;
  /** Told of the request at which incidents happen, just before they do. */
  readonly onMet: (point: Point, incidents: LifePlan) => void;
  /** Reads of the infrastructure whose answers may be old. */
  readonly oldPaths?: readonly string[];
  /** The requests of the life that nothing disturbs, from which the plan was made. */
  readonly recorded?: readonly Point[] | undefined;
  /** Whether somebody else starts a manager in a moment, and none may run until then. */
  readonly isHeld?: () => boolean;
}

/** Has incidents happen when their requests come. */
export function arrange(plan: LifePlan, arrangement: Arrangement): void {
  const { world, oldPaths = [] } = arrangement;
  const lags = plan.some(({ what, lags: lagsToo }) => lagsToo || what === "lag");
  if (lags) world.past.follow(oldPaths);
  for (const incidents of Map.groupBy(plan, ({ side, number }) => `${side}#${number}`).values()) {
    const [{ side, number } = { side: "", number: 0 }] = incidents;
    const isIt = (point: Point) => point.side === side && point.number === number;
    // Noting the past takes its moments, in which requests that are sent at the same time may come in another order; and where
    // something has hung what is sent every now and then comes in between.
    const hangs = plan.some((each) => each.what === "hang" && !incidents.includes(each));
    const model = lags || hangs ? arrangement.recorded?.find(isIt) : undefined;
    const on = model === undefined ? isIt : (point: Point) => isSame(point, model, arrangement);
    arrangeAt(incidents, { ...arrangement, on });
  }
}

/** Whether a request is that of the undisturbed life, and as many like it came before. */
function isSame(point: Point, model: Point, { world, recorded = [] }: Arrangement): boolean {
  const isLike = (each: Point) => likenessOf(each) === likenessOf(model);
  if (!isLike(point)) return false;
  const before = world.traffic.points.filter((each) => each.number < point.number && isLike(each)).length;
  return before === recorded.filter((each) => each.number < model.number && isLike(each)).length;
}

/** Without the version that a watch goes on from, which differs with what was written. */
function likenessOf({ side, method, path }: Point): string {
  return `${side} ${method} ${path.replace(/resourceVersion=[^&]*/, "")}`;
}

interface Arranged extends Arrangement {
  /** Which request it is. */
  readonly on: (point: Point) => boolean;
}

/** All incidents of one request. */
function arrangeAt(incidents: LifePlan, arranged: Arranged): void {
  const { world, remove, onMet, on, oldPaths = [] } = arranged;
  const has = (what: Incident["what"]) => incidents.some((incident) => incident.what === what);
  const fault = incidents.map(faultOf).find((each) => each !== undefined);
  const restarts = incidents.some((incident) => incident.restarts);
  const lags = incidents.some((incident) => incident.lags);
  world.disturb({
    on,
    ...(fault === undefined ? {} : { fault: FAULTS[fault] }),
    async before(point) {
      onMet(point, incidents);
      if (has("outage")) breakOut("outage", point, world);
      if (has("storm")) breakOut("storm", point, world);
      if (has("delete-before")) await remove();
    },
    async after() {
      if (has("delete-after")) await remove();
    },
    onOver() {
      if (lags) showOld(world, oldPaths);
      if (has("kill-before") || has("kill-after")) revive(arranged);
      else if (restarts) atNextRest(world, () => void world.restart());
    },
  });
}

/** Of requests that were on their way together several may kill their sender: one manager follows it. */
function revive({ world, isHeld = () => false }: Arrangement): void {
  if (!isHeld() && !world.managers.some(({ isAlive }) => isAlive)) world.startManager();
}

function faultOf({ what }: Incident): FaultName | undefined {
  return isDeed(what) ? undefined : what;
}

/** Each of these reads is answered with what was so a minute ago, once. */
function showOld(world: World, paths: readonly string[]): void {
  for (const path of new Set(paths))
    world.disturb({ on: (point) => point.side === "infrastructure" && point.path === path, fault: FAULTS.lag });
}

function atNextRest(world: World, act: () => void): void {
  const cancel = world.onStill(() => {
    cancel();
    act();
  });
}
