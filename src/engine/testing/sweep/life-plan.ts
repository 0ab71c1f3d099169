// SPDX-License-Identifier: Apache-2.0
import { type FaultName, isFaultName } from "./fault.ts";
import type { Side } from "./traffic.ts";

/**
 * What may happen at a request besides a fault of its own. `delete-before`, `delete-after`: somebody deletes the MachineRequest just
 * before it is sent, or just before its answer comes. `outage`: from here on nothing reaches that side for a while. `storm`: from here on
 * requests to both sides go wrong by chance for a while.
 */
const DEEDS = ["delete-before", "delete-after", "outage", "storm"] as const;
type Deed = (typeof DEEDS)[number];

/** What happens at one request of a life. */
export interface Incident {
  readonly side: Side;
  readonly number: number;
  readonly what: FaultName | Deed;
  /** Whether the manager is killed, and another started, once the fault had its effect on it. */
  readonly restarts: boolean;
  /** Whether the next manager is first shown the infrastructure as it was a minute ago, where it shows what may be old. */
  readonly lags?: boolean;
}

/** All that happens in one life. */
export type LifePlan = readonly Incident[];

/** For people, and to repeat a life: `infrastructure#7 lose-answer restart + kubernetes#12 kill-after lag`. */
export function planText(plan: LifePlan): string {
  if (plan.length === 0) return "undisturbed";
  return plan
    .map(({ side, number, what, restarts, lags }) =>
      [`${side}#${number}`, what, ...(restarts ? ["restart"] : []), ...(lags ? ["lag"] : [])].join(" "),
    )
    .join(" + ");
}

const INCIDENT = /^\s*(kubernetes|infrastructure)#(\d+)\s+([\w-]+)(\s+restart)?(\s+lag)?\s*$/;

/** Reads what `planText` has written. Throws where it is something else. */
export function parsePlan(text: string): LifePlan {
  if (text.trim() === "undisturbed") return [];
  return text.split("+").map((part): Incident => {
    const [, side, number, what = "", restart, lag] = INCIDENT.exec(part) ?? [];
    if ((side !== "kubernetes" && side !== "infrastructure") || (!isFaultName(what) && !isDeed(what)))
      throw new Error(`"${part.trim()}" is no incident such as "infrastructure#7 lose-answer restart"`);
    const incident: Incident = { side, number: Number(number), what, restarts: restart !== undefined };
    return lag === undefined ? incident : { ...incident, lags: true };
  });
}

/** Whether it is something that happens besides faults of one request. */
export function isDeed(what: string): what is Deed {
  return DEEDS.some((deed) => deed === what);
}
