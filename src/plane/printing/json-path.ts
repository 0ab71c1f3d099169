// SPDX-License-Identifier: Apache-2.0

/** One step of a path. */
export type Step =
  | { readonly is: "field"; readonly name: string }
  | { readonly is: "wildcard" }
  | { readonly is: "descend" }
  | { readonly is: "slice"; readonly slice: Slice }
  | { readonly is: "union"; readonly paths: readonly JsonPath[] }
  | { readonly is: "filter"; readonly left: JsonPath; readonly operator: string; readonly right: JsonPath }
  | { readonly is: "literal"; readonly value: string | boolean | bigint | number }
  /** A word such as `range`, which has no meaning in a column. */
  | { readonly is: "word"; readonly word: string };

/** Steps from an object to what a column shows. */
export type JsonPath = readonly Step[];

/** `[start:end:step]`; an index is a slice of one, whose end follows from its start. */
export interface Slice {
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly step: number | undefined;
  readonly isIndex: boolean;
}

/** The path cannot be read. */
class JsonPathError extends Error {}

/**
 * Reads a path in Kubernetes' own dialect of JSONPath: `.spec.cpu`, `.items[0]`, `.list[?(@.type=="Ready")].status`,
 * `['a','b']`, `..name`. Undefined where Kubernetes would not read it.
 */
export function parseJsonPath(text: string): JsonPath | undefined {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof JsonPathError) return undefined;
    throw error;
  }
}

interface Cursor {
  readonly text: string;
  at: number;
}

function parse(text: string): JsonPath {
  const cursor: Cursor = { text, at: 0 };
  const steps: Step[] = [];
  while (cursor.at < text.length) steps.push(...parseStep(cursor, steps.at(-1)));
  return steps;
}

function parseStep(cursor: Cursor, last: Step | undefined): readonly Step[] {
  const { text, at } = cursor;
  if (text.startsWith("[?(", at)) return [parseFilter(cursor)];
  if (text.startsWith("..", at)) return parseDescent(cursor, last);
  const character = text[at] ?? "";
  if (character === " " || character === "@" || character === "$") {
    cursor.at += 1;
    return [];
  }
  if (character === "[") return parseBrackets(cursor);
  if (character === '"' || character === "'") return [parseQuoted(cursor, character)];
  if (character === ".") {
    cursor.at += 1;
    return [parseField(cursor)];
  }
  if (/[-+\p{Nd}]/u.test(character)) return [parseNumber(cursor)];
  if (/[_\p{L}]/u.test(character)) return [parseWord(cursor)];
  throw new JsonPathError(`unexpected ${character}`);
}

const TERMINATORS = new Set([..." \t\r\n.,[]$@{}"]);

/** A name up to the next character that ends one, unless a backslash stands before it. */
function parseField(cursor: Cursor): Step {
  const start = cursor.at;
  while (cursor.at < cursor.text.length && !TERMINATORS.has(cursor.text[cursor.at] ?? ""))
    cursor.at += cursor.text[cursor.at] === "\\" ? 2 : 1;
  const name = cursor.text.slice(start, cursor.at);
  return name === "*" ? { is: "wildcard" } : { is: "field", name: name.replaceAll("\\", "") };
}

function parseDescent(cursor: Cursor, last: Step | undefined): readonly Step[] {
  if (last?.is === "descend") throw new JsonPathError("descends twice");
  cursor.at += 2;
  const isField = /^[_\p{L}\p{Nd}]/u.test(cursor.text.slice(cursor.at));
  return isField ? [{ is: "descend" }, parseField(cursor)] : [{ is: "descend" }];
}

function parseNumber(cursor: Cursor): Step {
  const [number = ""] = /^[-+]?[.\p{Nd}]*/u.exec(cursor.text.slice(cursor.at)) ?? [];
  cursor.at += number.length;
  if (/^[-+]?[0-9]+$/.test(number)) return { is: "literal", value: BigInt(number.replace("+", "")) };
  if (!/^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)$/.test(number)) throw new JsonPathError(`no number: ${number}`);
  return { is: "literal", value: Number(number) };
}

function parseWord(cursor: Cursor): Step {
  const start = cursor.at;
  while (cursor.at < cursor.text.length && !TERMINATORS.has(cursor.text[cursor.at] ?? "")) cursor.at += 1;
  const word = cursor.text.slice(start, cursor.at);
  return word === "true" || word === "false" ? { is: "literal", value: word === "true" } : { is: "word", word };
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", '"': '"', "'": "'", "\\": "\\" };

function parseQuoted(cursor: Cursor, quote: string): Step {
  let end = cursor.at + 1;
  while (end < cursor.text.length && !(cursor.text[end] === quote && cursor.text[end - 1] !== "\\")) end += 1;
  if (end >= cursor.text.length) throw new JsonPathError("a quote is not closed");
  const value = cursor.text.slice(cursor.at + 1, end).replace(/\\(.)/g, (_, character: string) => {
    const meant = ESCAPES[character];
    if (meant === undefined) throw new JsonPathError(`\\${character} is not known`);
    return meant;
  });
  cursor.at = end + 1;
  return { is: "literal", value };
}

function parseBrackets(cursor: Cursor): readonly Step[] {
  const end = cursor.text.indexOf("]", cursor.at);
  if (end < 0) throw new JsonPathError("a bracket is not closed");
  const inside = cursor.text.slice(cursor.at + 1, end);
  cursor.at = end + 1;
  const parts = inside.split(",");
  if (parts.length > 1) return [{ is: "union", paths: parts.map((part) => parse(`[${part.trim()}]`)) }];
  const key = /^'([^']*)'$/.exec(inside)?.[1];
  if (key !== undefined) return parse(`.${key}`);
  return [{ is: "slice", slice: parseSlice(inside === "*" ? ":" : inside) }];
}

function parseSlice(text: string): Slice {
  const match = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text);
  if (match === null) throw new JsonPathError(`no index: ${text}`);
  const [, start = "", end, step] = match;
  const isIndex = end === undefined;
  const first = numberOf(start);
  return {
    start: first,
    end: isIndex ? (first ?? 0) + 1 : numberOf(end.slice(1)),
    step: numberOf(step?.slice(1) ?? ""),
    isIndex,
  };
}

function numberOf(text: string): number | undefined {
  if (text === "") return undefined;
  if (text === "-") throw new JsonPathError("a minus alone is no number");
  return Number(text);
}

function parseFilter(cursor: Cursor): Step {
  cursor.at += 3;
  const end = endOfFilter(cursor);
  const inside = cursor.text.slice(cursor.at, end);
  cursor.at = end + 2;
  const match = /^([^!<>=]+)([!<>=]+)(.+?)$/.exec(inside);
  if (match === null) return { is: "filter", left: parse(inside), operator: "exists", right: [] };
  const [, left = "", operator = "", right = ""] = match;
  return { is: "filter", left: parse(left), operator, right: parse(right) };
}

/** The closing parenthesis, which counts outside of quotes only; one pair of quotes is all that is looked for. */
function endOfFilter({ text, at }: Cursor): number {
  let quote: string | undefined;
  let isClosed = false;
  for (let index = at; index < text.length; index += 1) {
    const character = text[index] ?? "";
    if (character === '"' || character === "'") {
      if (quote === undefined) quote = character;
      else if (character === quote && text[index - 1] !== "\\") isClosed = true;
    } else if (character === ")" && (quote !== undefined) === isClosed) {
      if (text[index + 1] !== "]") break;
      return index;
    }
  }
  throw new JsonPathError("a filter is not closed");
}
