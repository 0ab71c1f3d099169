// SPDX-License-Identifier: Apache-2.0
import { compilePattern, type Pattern } from "../../patterns.ts";
import { declare, type FunctionDeclaration, global, type Implementation, method } from "../declare.ts";
import { BOOL, DYN, INT, listOf, STRING } from "../types.ts";
import { CelError, type CelValue, isCelList, itemsOf, listValue, NO_OVERLOAD } from "../values.ts";
import { intOf, reading, textOf } from "./arguments.ts";
import { formatText } from "./format-text.ts";

const outOfRange = (at: bigint): CelError => new CelError(`index out of range: ${at}`);

const onText =
  (operation: (text: string, ...rest: CelValue[]) => CelValue): Implementation =>
  (first, ...rest) =>
    operation(textOf(first), ...rest);

const stringList = (items: readonly string[]): CelValue => listValue([...items]);

const charAt = onText((text, position) => {
  const characters = [...text];
  const at = intOf(position);
  if (at < 0n || at > characters.length) throw outOfRange(at);
  return characters[Number(at)] ?? "";
});

/** Where a row of characters stands in another, at or after a position. */
function findForward(characters: readonly string[], wanted: readonly string[], from: number): number {
  for (let at = from; at <= characters.length - wanted.length; at++)
    if (wanted.every((character, offset) => characters[at + offset] === character)) return at;
  return -1;
}

const indexOf = onText((text, part, offset = 0n) => {
  const wanted = [...textOf(part)];
  const from = intOf(offset);
  if (wanted.length === 0) return from;
  if (from < 0n) throw outOfRange(from);
  const characters = [...text];
  return from >= characters.length ? -1n : BigInt(findForward(characters, wanted, Number(from)));
});

const lastIndexOf = onText((text, part, offset) => {
  const characters = [...text];
  const wanted = [...textOf(part)];
  const from = offset === undefined ? BigInt(characters.length - 1) : intOf(offset);
  if (wanted.length === 0) return offset === undefined ? BigInt(characters.length) : from;
  if (offset === undefined && characters.length < wanted.length) return -1n;
  if (from < 0n) throw outOfRange(from);
  if (from >= characters.length) return -1n;
  for (let at = Math.min(Number(from), characters.length - wanted.length); at >= 0; at--)
    if (wanted.every((character, step) => characters[at + step] === character)) return BigInt(at);
  return -1n;
});

const replace = onText((text, from, to, limit = -1n) => {
  const old = textOf(from);
  const fresh = textOf(to);
  const most = intOf(limit);
  if (old !== "") return splitLimited(text, old, most < 0n ? -1n : most + 1n).join(fresh);
  const gaps = ["", ...text];
  return gaps.map((character, at) => character + (most < 0n || at < most ? fresh : "")).join("");
});

/** Splits into at most `limit` parts; a negative limit means no limit. */
function splitLimited(text: string, separator: string, limit: bigint): string[] {
  if (limit === 0n) return [];
  const parts = separator === "" ? [...text] : text.split(separator);
  if (limit < 0n || parts.length <= limit) return parts;
  const kept = parts.slice(0, Number(limit) - 1);
  return [...kept, parts.slice(kept.length).join(separator)];
}

const substring = onText((text, first, last) => {
  const characters = [...text];
  const start = intOf(first);
  const end = last === undefined ? BigInt(characters.length) : intOf(last);
  if (last !== undefined && start > end) throw new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  for (const at of [start, end]) if (at < 0n || at > characters.length) throw outOfRange(at);
  return characters.slice(Number(start), Number(end)).join("");
});

const join: Implementation = (list = null, separator = "") => {
  if (!isCelList(list)) throw new CelError(NO_OVERLOAD);
  return itemsOf(list)
    .map((item) => {
      if (typeof item !== "string") throw new CelError(`join: invalid input: ${String(item)}`);
      return item;
    })
    .join(textOf(separator));
};

const QUOTED: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

const quoteText = onText((text) => `"${[...text].map((character) => QUOTED[character] ?? character).join("")}"`);

/** White space as Go's TrimSpace sees it. */
const trim = onText((text) =>
  text.replace(
    /^[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/g,
    "",
  ),
);

const test = (operation: (text: string, part: string) => boolean): Implementation =>
  onText((text, part) => operation(text, textOf(part)));

/** Compiles a pattern given at run time; its faults are errors of the expression. */
function patternOf(source: CelValue | undefined, prefix: string): Pattern {
  return reading(() => compilePattern(textOf(source)), prefix);
}

const matches: Implementation = (text, pattern) => patternOf(pattern, "").test(textOf(text));

const find = onText((text, pattern) => patternOf(pattern, "Illegal regex: ").find(text));

const findAll = onText((text, pattern, limit = -1n) =>
  stringList(patternOf(pattern, "Illegal regex: ").findAll(text, Number(intOf(limit)))),
);

/** Functions on text: CEL's own, the strings extension as servers have it, and the regular expressions of Kubernetes. */
export const strings: readonly FunctionDeclaration[] = [
  declare(
    "contains",
    [
      method(
        [STRING, STRING],
        BOOL,
        test((text, part) => text.includes(part)),
      ),
    ],
    { isUnguarded: true },
  ),
  declare(
    "startsWith",
    [
      method(
        [STRING, STRING],
        BOOL,
        test((text, part) => text.startsWith(part)),
      ),
    ],
    { isUnguarded: true },
  ),
  declare(
    "endsWith",
    [
      method(
        [STRING, STRING],
        BOOL,
        test((text, part) => text.endsWith(part)),
      ),
    ],
    { isUnguarded: true },
  ),
  declare("matches", [global([STRING, STRING], BOOL), method([STRING, STRING], BOOL)], {
    whole: { accepts: () => true, call: matches },
  }),
  declare("charAt", [method([STRING, INT], STRING, charAt)]),
  declare("lowerAscii", [
    method(
      [STRING],
      STRING,
      onText((text) => text.replace(/[A-Z]+/g, (part) => part.toLowerCase())),
    ),
  ]),
  declare("upperAscii", [
    method(
      [STRING],
      STRING,
      onText((text) => text.replace(/[a-z]+/g, (part) => part.toUpperCase())),
    ),
  ]),
  declare("replace", [
    method([STRING, STRING, STRING], STRING, replace),
    method([STRING, STRING, STRING, INT], STRING, replace),
  ]),
  declare("split", [
    method(
      [STRING, STRING],
      listOf(STRING),
      onText((text, separator) => stringList(splitLimited(text, textOf(separator), -1n))),
    ),
    method(
      [STRING, STRING, INT],
      listOf(STRING),
      onText((text, separator, limit) => stringList(splitLimited(text, textOf(separator), intOf(limit)))),
    ),
  ]),
  declare("substring", [method([STRING, INT], STRING, substring), method([STRING, INT, INT], STRING, substring)]),
  declare("trim", [method([STRING], STRING, trim)]),
  declare("format", [
    method(
      [STRING, listOf(DYN)],
      STRING,
      onText((text, args = null) => formatText(text, isCelList(args) ? itemsOf(args) : [])),
    ),
  ]),
  declare("strings.quote", [global([STRING], STRING, quoteText)]),
  declare("join", [method([listOf(STRING)], STRING, join), method([listOf(STRING), STRING], STRING, join)]),
  declare("find", [method([STRING, STRING], STRING, find)]),
  declare("findAll", [
    method([STRING, STRING], listOf(STRING), findAll),
    method([STRING, STRING, INT], listOf(STRING), findAll),
  ]),
  declare("indexOf", [method([STRING, STRING], INT, indexOf), method([STRING, STRING, INT], INT, indexOf)]),
  declare("lastIndexOf", [method([STRING, STRING], INT, lastIndexOf), method([STRING, STRING, INT], INT, lastIndexOf)]),
];
