// SPDX-License-Identifier: Apache-2.0
import { quote } from "../../schema/go-text.ts";
import { parseTime, timeText } from "../../schema/time.ts";

const SECONDS_LAYOUT = "2006-01-02T15:04:05Z07:00";
const MICROSECONDS_LAYOUT = "2006-01-02T15:04:05.000000Z07:00";
const ZERO_TIME = "0001-01-01T00:00:00";

/** What came of reading a time: its text as Go writes it (empty for the zero time), or the words of the refusal. */
export type ReadTime = { readonly text: string } | { readonly words: string };

/** Reads a time as `metav1.Time` or, with exactly six digits of the second, `metav1.MicroTime` does. */
export function readTime(text: string, isMicro: boolean): ReadTime {
  const layout = isMicro ? MICROSECONDS_LAYOUT : SECONDS_LAYOUT;
  const nanoseconds = isMicro && !/:\d\d[.,]\d{6}(?:Z|[+-])/.test(text) ? undefined : parseTime(text);
  if (nanoseconds === undefined) return { words: faultOf(text, layout) };
  const whole = timeText(nanoseconds - (((nanoseconds % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n)).slice(
    0,
    -1,
  );
  const micros = (((nanoseconds % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n) / 1000n;
  if (whole === ZERO_TIME && (!isMicro || micros === 0n)) return { text: "" };
  return { text: isMicro ? `${whole}.${String(micros).padStart(6, "0")}Z` : `${whole}Z` };
}

/** The pieces of a layout, in order: what must match, under which name Go reports it, and what range it has. */
interface Piece {
  readonly layout: string;
  readonly pattern: RegExp;
  readonly range?: readonly [low: number, high: number, what: string];
}

const DATE_AND_TIME: readonly Piece[] = [
  { layout: "2006", pattern: /^\d{4}/ },
  { layout: "-", pattern: /^-/ },
  { layout: "01", pattern: /^\d\d/, range: [1, 12, "month"] },
  { layout: "-", pattern: /^-/ },
  { layout: "02", pattern: /^\d\d/, range: [0, 99, "day"] },
  { layout: "T", pattern: /^T/ },
  { layout: "15", pattern: /^\d\d?/, range: [0, 23, "hour"] },
  { layout: ":", pattern: /^:/ },
  { layout: "04", pattern: /^\d\d/, range: [0, 59, "minute"] },
  { layout: ":", pattern: /^:/ },
  { layout: "05", pattern: /^\d\d/, range: [0, 59, "second"] },
];
const ZONE: Piece = { layout: "Z07:00", pattern: /^(?:Z|[+-]\d\d:\d\d)/ };

/** Go's words for a time that does not follow the layout. */
function faultOf(text: string, layout: string): string {
  const isMicro = layout === MICROSECONDS_LAYOUT;
  const fraction: Piece = isMicro
    ? { layout: ".000000", pattern: /^[.,]\d{6}/ }
    : { layout: "", pattern: /^(?:[.,]\d+)?/ };
  let rest = text;
  for (const { layout: element, pattern, range } of [...DATE_AND_TIME, fraction, ZONE]) {
    const found = pattern.exec(rest)?.[0];
    if (found === undefined)
      return `parsing time ${quote(text)} as ${quote(layout)}: cannot parse ${quote(rest)} as ${quote(element)}`;
    if (range !== undefined && (Number(found) < range[0] || Number(found) > range[1]))
      return `parsing time ${quote(text)}: ${range[2]} out of range`;
    rest = rest.slice(found.length);
  }
  if (rest !== "") return `parsing time ${quote(text)}: extra text: ${quote(rest)}`;
  return `parsing time ${quote(text)}: day out of range`;
}
