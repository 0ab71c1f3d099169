// SPDX-License-Identifier: Apache-2.0
import { quote } from "../../schema/go-text.ts";
import { fateOf, type LostNumber, type LostNumbers, mayBeLost } from "./json-numbers.ts";

/** Deeper JSON is refused: what comes after recurses. No real manifest comes near. */
export const MAX_JSON_DEPTH = 500;

export const TOO_DEEP = "exceeded max depth";

/** What is wrong with a JSON text. */
export interface JsonScan {
  /** Why it is no JSON, in the words of Go's decoder; undefined when it is. */
  readonly error: string | undefined;
  /** Keys that stand twice in one object, as `spec.items[0].name`, in the order of the text. */
  readonly duplicates: readonly string[];
  readonly lostNumbers: LostNumbers;
  /** Whether an escape sequence names half a character: two make one, one alone is none. */
  readonly hasHalves: boolean;
}

class SyntaxFault extends Error {}

/**
 * Goes through a JSON text once, for what `JSON.parse` does not tell: keys given twice, nesting that is too deep, numbers
 * that it rounds, and Go's words for what is wrong.
 */
export function scanJson(text: string): JsonScan {
  const scanner = makeScanner(text);
  try {
    scanner.value("", 0);
    scanner.end();
    return { error: undefined, ...scanner.found() };
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error;
    return { error: error.message, ...scanner.found() };
  }
}

/** The value of a text that was scanned without an error. Half characters become replacement characters, as in Go. */
export function parseScanned(text: string, { hasHalves }: JsonScan): unknown {
  const value: unknown = JSON.parse(text);
  return hasHalves ? wellFormed(value) : value;
}

function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]));
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function makeScanner(text: string) {
  let at = 0;
  let hasHalves = false;
  let tooLarge: LostNumber | undefined;
  const rounded: LostNumber[] = [];
  const duplicates: string[] = [];

  const fail = (where: string): never => {
    if (at >= text.length) throw new SyntaxFault("unexpected end of JSON input");
    throw new SyntaxFault(`invalid character ${characterText(text, at)} ${where}`);
  };
  const skip = () => {
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    }
  };

  const string = (): string => {
    const start = at++;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        at++;
        return text.slice(start, at);
      }
      if (code < 0x20) fail("in string literal");
      if (code === BACKSLASH) escapeSequence();
    }
    return fail("");
  };
  const escapeSequence = () => {
    at++;
    const code = text[at] ?? "";
    if (code === "u") {
      if (/^[dD][89a-fA-F]$/.test(text.slice(at + 1, at + 3))) hasHalves = true;
      for (let digit = 0; digit < 4; digit++) {
        at++;
        if (!/^[0-9a-fA-F]$/.test(text[at] ?? "")) fail("in \\u hexadecimal character escape");
      }
    } else if (code === "" || !'"\\/bfnrt'.includes(code)) fail("in string escape code");
  };

  const digits = () => {
    while (isDigit(text.charCodeAt(at))) at++;
  };
  const number = (field: string) => {
    const start = at;
    let hasExponent = false;
    if (text[at] === "-") {
      at++;
      if (!isDigit(text.charCodeAt(at))) fail("in numeric literal");
    }
    if (text[at] === "0") at++;
    else digits();
    if (text[at] === ".") {
      at++;
      if (!isDigit(text.charCodeAt(at))) fail("after decimal point in numeric literal");
      digits();
    }
    if (text[at] === "e" || text[at] === "E") {
      hasExponent = true;
      at++;
      if (text[at] === "+" || text[at] === "-") at++;
      if (!isDigit(text.charCodeAt(at))) fail("in exponent of numeric literal");
      digits();
    }
    if (mayBeLost(at - start, hasExponent)) noteNumber({ field, text: text.slice(start, at) });
  };
  const noteNumber = (found: LostNumber) => {
    const fate = fateOf(found.text);
    if (fate === "too large") tooLarge ??= found;
    else if (fate === "rounded") rounded.push(found);
  };
  const literal = (word: string) => {
    for (const [index, letter] of [...word].entries()) {
      if (text[at] !== letter) fail(index === 0 ? "" : `in literal ${word} (expecting '${letter}')`);
      at++;
    }
  };

  const object = (path: string, depth: number) => {
    at++;
    skip();
    if (text[at] === "}") {
      at++;
      return;
    }
    const keys = new Set<string>();
    while (true) {
      skip();
      if (text.charCodeAt(at) !== QUOTE) fail("looking for beginning of object key string");
      const raw = string();
      const key = raw.includes("\\") ? String(JSON.parse(raw)).toWellFormed() : raw.slice(1, -1);
      const below = path === "" ? key : `${path}.${key}`;
      if (keys.has(key)) duplicates.push(below);
      keys.add(key);
      skip();
      if (text[at] !== ":") fail("after object key");
      at++;
      value(below, depth + 1);
      skip();
      if (text[at] === "}") {
        at++;
        return;
      }
      if (text[at] !== ",") fail("after object key:value pair");
      at++;
    }
  };
  const list = (path: string, depth: number) => {
    at++;
    skip();
    if (text[at] === "]") {
      at++;
      return;
    }
    for (let index = 0; ; index++) {
      value(`${path}[${index}]`, depth + 1);
      skip();
      if (text[at] === "]") {
        at++;
        return;
      }
      if (text[at] !== ",") fail("after array element");
      at++;
    }
  };

  const value = (path: string, depth: number): void => {
    if (depth > MAX_JSON_DEPTH) throw new SyntaxFault(TOO_DEEP);
    skip();
    const first = text[at] ?? "";
    if (first === "{") object(path, depth);
    else if (first === "[") list(path, depth);
    else if (first === '"') string();
    else if (first === "t") literal("true");
    else if (first === "f") literal("false");
    else if (first === "n") literal("null");
    else if (first === "-" || isDigit(first.charCodeAt(0))) number(path);
    else fail("looking for beginning of value");
  };

  const end = () => {
    skip();
    if (at < text.length) fail("after top-level value");
  };
  return { value, end, found: () => ({ duplicates, hasHalves, lostNumbers: { tooLarge, rounded } }) };
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** A character as Go's decoder shows it, which sees bytes and not characters. */
function characterText(text: string, at: number): string {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (character === "'") return "'\\''";
  if (character === '"') return "'\"'";
  const shown = character.codePointAt(0) ?? 0;
  const byte = shown < 0x80 ? character : String.fromCharCode(Buffer.from(character)[0] ?? 0);
  return `'${quote(byte).slice(1, -1)}'`;
}
