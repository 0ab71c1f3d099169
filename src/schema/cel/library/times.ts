// SPDX-License-Identifier: Apache-2.0
import { floorDivide } from "../../time.ts";
import { declare, type FunctionDeclaration, type Implementation, method } from "../declare.ts";
import { DURATION, INT, STRING, TIMESTAMP } from "../types.ts";
import { CelError, type CelValue, NO_OVERLOAD, tagged } from "../values.ts";

const MILLISECOND = 1_000_000n;

/** A time of a wall clock, shifted so that the UTC getters of Date show it. */
function wallClock(value: CelValue | undefined, zone: CelValue | undefined): Date {
  const nanoseconds = value === undefined ? undefined : tagged(value, "timestamp")?.nanoseconds;
  if (nanoseconds === undefined) throw new CelError(NO_OVERLOAD);
  const milliseconds = Number(floorDivide(nanoseconds, MILLISECOND));
  return new Date(milliseconds + (typeof zone === "string" ? offsetMs(zone, milliseconds) : 0));
}

/** How far a zone is from UTC at a time: `+02:00`, `-08:00` or a name such as `Europe/Berlin`. */
function offsetMs(zone: string, milliseconds: number): number {
  const fixed = /^([+-]?)(\d{1,2}):(\d{2})$/.exec(zone);
  if (fixed !== null) {
    const [, sign, hours, minutes] = fixed;
    return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  }
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone === "" ? "UTC" : zone,
      timeZoneName: "longOffset",
    });
    const name = format.formatToParts(milliseconds).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours, minutes, seconds] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? [];
    const total = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
    return (sign === "-" ? -1000 : 1000) * total;
  } catch {
    throw new CelError(`unknown time zone ${zone}`);
  }
}

function getter(name: string, read: (date: Date) => number, fromDuration?: bigint): FunctionDeclaration {
  const call: Implementation = (value, zone) => BigInt(read(wallClock(value, zone)));
  const overloads = [method([TIMESTAMP], INT, call), method([TIMESTAMP, STRING], INT, call)];
  if (fromDuration === undefined) return declare(name, overloads);
  const whole: Implementation = (value = null) => (tagged(value, "duration")?.nanoseconds ?? 0n) / fromDuration;
  return declare(name, [...overloads, method([DURATION], INT, whole)]);
}

function dayOfYear(date: Date): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000);
}

/** The parts of times and durations. */
export const times: readonly FunctionDeclaration[] = [
  getter("getFullYear", (date) => date.getUTCFullYear()),
  getter("getMonth", (date) => date.getUTCMonth()),
  getter("getDayOfYear", dayOfYear),
  getter("getDayOfMonth", (date) => date.getUTCDate() - 1),
  getter("getDate", (date) => date.getUTCDate()),
  getter("getDayOfWeek", (date) => date.getUTCDay()),
  getter("getHours", (date) => date.getUTCHours(), 3_600_000_000_000n),
  getter("getMinutes", (date) => date.getUTCMinutes(), 60_000_000_000n),
  getter("getSeconds", (date) => date.getUTCSeconds(), 1_000_000_000n),
  getter("getMilliseconds", (date) => date.getUTCMilliseconds(), MILLISECOND),
];
