// SPDX-License-Identifier: Apache-2.0
import { FAULTS, type FaultName } from "../sweep/fault.ts";
import type { Point, Traffic } from "../sweep/traffic.ts";

/** How much goes wrong: nothing, one request in a hundred, one in twelve, or the infrastructure throttles every second one. */
export type Sky = "clear" | "showers" | "storm" | "throttling";

/** What goes wrong by chance with the requests of managers. */
export interface Weather {
  sky: Sky;
  /** How often each fault was met. */
  readonly faults: ReadonlyMap<string, number>;
}

const SHARES: Readonly<Record<Sky, number>> = { clear: 0, showers: 0.01, storm: 0.08, throttling: 0.5 };

const CALL_FAULTS: readonly FaultName[] = [
  "lose-answer",
  "twice",
  "429",
  "429-retry-after",
  "500",
  "500-served",
  "503",
  "hang",
  "cut",
  "late-cut",
  "late-hang",
];
const WATCH_FAULTS: readonly FaultName[] = ["lag", "silent", "break", "hang", "cut", "429-retry-after", "503"];
const THROTTLES: readonly FaultName[] = ["429", "429-retry-after"];

/** The weather of a world; clear at first. Leases are left alone: who leads is changed by other means. */
export function createWeather(traffic: Pick<Traffic, "disturb">, random: () => number): Weather {
  const faults = new Map<string, number>();
  let last: { readonly point: Point; readonly fault: FaultName | undefined } | undefined;
  const weather: Weather = { sky: "clear", faults };
  const draw = (point: Point): FaultName | undefined => {
    if (weather.sky === "clear" || point.path.includes("/leases")) return undefined;
    const isThrottled = weather.sky === "throttling";
    if (isThrottled && point.side !== "infrastructure") return undefined;
    if (random() >= SHARES[weather.sky]) return undefined;
    const fitting = isThrottled ? THROTTLES : point.isWatch ? WATCH_FAULTS : CALL_FAULTS;
    return fitting[Math.floor(random() * fitting.length)];
  };
  const faultAt = (point: Point) => {
    if (last?.point !== point) last = { point, fault: draw(point) };
    return last.fault;
  };
  for (const name of new Set([...CALL_FAULTS, ...WATCH_FAULTS]))
    traffic.disturb({
      on: (point) => faultAt(point) === name,
      times: Number.POSITIVE_INFINITY,
      fault: FAULTS[name],
      before: ({ side }) => void faults.set(`${side} ${name}`, (faults.get(`${side} ${name}`) ?? 0) + 1),
    });
  return weather;
}
