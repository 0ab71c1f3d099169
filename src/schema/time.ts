// SPDX-License-Identifier: Apache-2.0

const SECOND = 1_000_000_000n;

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;
const LOCAL_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?()()()$/;

/** Nanoseconds since 1970 of an RFC 3339 time, as Go parses it; undefined when Go would refuse it. */
export function parseTime(text: string): bigint | undefined {
  return nanosecondsOf(RFC3339.exec(text));
}

/** Like parseTime, but also takes a time without a zone as UTC, as the `date-time` format does for CEL. */
export function parseDateTime(text: string): bigint | undefined {
  if (text === "") return 0n;
  return nanosecondsOf(RFC3339.exec(text) ?? LOCAL_TIME.exec(text));
}

/** Nanoseconds since 1970 of a full date (`2006-01-02`) at midnight UTC. */
export function parseDate(text: string): bigint | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (match === null) return undefined;
  const [, year = "", month = "", day = ""] = match;
  return dayNanoseconds(Number(year), Number(month), Number(day));
}

function nanosecondsOf(match: RegExpExecArray | null): bigint | undefined {
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction, sign, zoneHour, zoneMinute] = match;
  const days = dayNanoseconds(Number(year), Number(month), Number(day));
  if (days === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (sign && (Number(zoneHour) > 24 || Number(zoneMinute) > 60)) return undefined;
  const offset = sign ? BigInt(Number(zoneHour) * 3600 + Number(zoneMinute) * 60) * (sign === "-" ? -1n : 1n) : 0n;
  const seconds = BigInt(Number(hour) * 3600 + Number(minute) * 60 + Number(second)) - offset;
  return days + seconds * SECOND + BigInt((fraction ?? "").slice(0, 9).padEnd(9, "0"));
}

function dayNanoseconds(year: number, month: number, day: number): bigint | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return BigInt(date.getTime()) * 1_000_000n;
}

/** A time in UTC as RFC 3339, with as many digits of the second as needed. */
export function timeText(nanoseconds: bigint): string {
  const seconds = floorDivide(nanoseconds, SECOND);
  const fraction = (nanoseconds - seconds * SECOND).toString().padStart(9, "0").replace(/0+$/, "");
  const whole = new Date(Number(seconds) * 1000).toISOString().replace(/\.\d+Z$/, "");
  return `${whole}${fraction === "" ? "" : `.${fraction}`}Z`;
}

/** Division that rounds down, for times before 1970. */
export function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by !== 0n && value < 0n !== by < 0n ? quotient - 1n : quotient;
}

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: SECOND,
  m: 60n * SECOND,
  h: 3600n * SECOND,
};

const MAX_DURATION = 2n ** 63n - 1n;

/** Nanoseconds of a duration such as `1h30m` or `1.5s`, as Go parses it; undefined when Go would refuse it. */
export function parseGoDuration(text: string): bigint | undefined {
  const match = /^([+-]?)(.*)$/s.exec(text);
  const [, sign = "", rest = ""] = match ?? [];
  if (rest === "0") return 0n;
  if (!/^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(rest)) return undefined;
  let total = 0n;
  for (const [, whole = "", fraction = "", unit = ""] of rest.matchAll(/(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g)) {
    const scale = UNITS[unit] ?? 0n;
    const digits = fraction.slice(0, 18);
    total += BigInt(whole || "0") * scale;
    if (digits !== "") total += (BigInt(digits) * scale) / 10n ** BigInt(digits.length);
    if (total > MAX_DURATION + (sign === "-" ? 1n : 0n)) return undefined;
  }
  return sign === "-" ? -total : total;
}

const LOOSE_UNITS: readonly (readonly [readonly string[], bigint])[] = [
  [["ns", "nano"], 1n],
  [["us", "µs", "micro"], 1_000n],
  [["ms", "milli"], 1_000_000n],
  [["s", "sec"], SECOND],
  [["m", "min"], 60n * SECOND],
  [["h", "hr", "hour"], 3600n * SECOND],
  [["d", "day"], 86_400n * SECOND],
  [["w", "wk", "week"], 7n * 86_400n * SECOND],
];

/**
 * Nanoseconds of a value with format `duration`: a Go duration, or numbers with unit words anywhere in the text
 * (`3 days`), which the server's format takes too.
 */
export function parseLooseDuration(text: string): bigint | undefined {
  const strict = parseGoDuration(text);
  if (strict !== undefined) return strict;
  let total: bigint | undefined;
  for (const [, number = "", word = ""] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    const factor = BigInt(number);
    if (factor > MAX_DURATION) return undefined;
    const unit = word.toLowerCase();
    for (const [names, scale] of LOOSE_UNITS) {
      const hits = names.filter((name, at) => name === unit || (at === names.length - 1 && unit.startsWith(name)));
      for (let hit = 0; hit < hits.length; hit++) total = BigInt.asIntN(64, (total ?? 0n) + factor * scale);
    }
  }
  return total;
}

/** A duration as CEL prints it: seconds with a fraction as short as possible, and an `s`. */
export function durationText(nanoseconds: bigint): string {
  const sign = nanoseconds < 0n ? "-" : "";
  const positive = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const fraction = (positive % SECOND).toString().padStart(9, "0").replace(/0+$/, "");
  return `${sign}${positive / SECOND}${fraction === "" ? "" : `.${fraction}`}s`;
}
