// SPDX-License-Identifier: Apache-2.0
import type { Literal } from "./ast.ts";
import { CompileError, type Issue } from "./issues.ts";

/** A piece of source. Operators and keywords have their text as kind. */
export interface Token {
  readonly kind: string;
  readonly text: string;
  readonly at: number;
  readonly value?: Literal;
}

const SPACE = /(?:[\t \r\n\f]+|\/\/[^\n]*)+/y;
const NUMBER = /0x[0-9a-fA-F]+[uU]?|(?:\d+\.\d+|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+[uU]?/y;
const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/y;
const ESCAPED_IDENTIFIER = /`[A-Za-z0-9_.\-/ ]+`/y;
const ESCAPE = String.raw`\\(?:[abfnrtv"'\\?${"`"}]|[0-3][0-7]{2}|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})`;
const STRING = new RegExp(
  String.raw`(?:[bB]?[rR]|[rR][bB])(?:"""[^]*?"""|'''[^]*?'''|"[^"\n\r]*"|'[^'\n\r]*')|` +
    String.raw`[bB]?(?:"""(?:${ESCAPE}|[^\\])*?"""|'''(?:${ESCAPE}|[^\\])*?'''|` +
    String.raw`"(?:${ESCAPE}|[^\\"\n\r])*"|'(?:${ESCAPE}|[^\\'\n\r])*')`,
  "y",
);
const OPERATOR = /==|!=|<=|>=|&&|\|\||[[\]{}().,\-!?:+*/%<>]/y;
const KEYWORDS = new Set(["in", "true", "false", "null"]);

/** Cuts an expression into tokens, the last of kind `<EOF>`. Text that is none is left out and listed. */
export function tokenize(source: string): { tokens: Token[]; issues: Issue[] } {
  const tokens: Token[] = [];
  const issues: Issue[] = [];
  let at = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  while (at < source.length) {
    const space = match(SPACE);
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    const token = nextToken(source, at, match);
    if (token !== undefined) tokens.push(token);
    const text = token?.text ?? match(/["'].*|./suy) ?? "";
    if (token === undefined) issues.push({ at, message: `Syntax error: token recognition error at: '${text}'` });
    at += text.length;
  }
  tokens.push({ kind: "<EOF>", text: "<EOF>", at: source.length });
  return { tokens, issues };
}

function nextToken(source: string, at: number, match: (pattern: RegExp) => string | undefined): Token | undefined {
  const string = match(STRING);
  if (string !== undefined) return stringToken(string, at, source);
  const number = match(NUMBER);
  if (number !== undefined) return numberToken(number, at, source);
  const word = match(IDENTIFIER);
  if (word !== undefined) return { kind: KEYWORDS.has(word) ? word : "IDENTIFIER", text: word, at };
  const escaped = match(ESCAPED_IDENTIFIER);
  if (escaped !== undefined) return { kind: "ESC_IDENTIFIER", text: escaped, at };
  const operator = match(OPERATOR);
  return operator === undefined ? undefined : { kind: operator, text: operator, at };
}

function numberToken(text: string, at: number, source: string): Token {
  const fail = (kind: string) => new CompileError(source, [{ at, message: `invalid ${kind} literal` }]);
  if (/[.]|^\d+[eE]/.test(text)) {
    const value = Number(text);
    if (!Number.isFinite(value)) throw fail("double");
    return { kind: "NUM_FLOAT", text, at, value };
  }
  if (/[uU]$/.test(text)) {
    const value = BigInt(text.slice(0, -1));
    if (value >= 2n ** 64n) throw fail("uint");
    return { kind: "NUM_UINT", text, at, value: { uint: value } };
  }
  return { kind: "NUM_INT", text, at, value: BigInt(text) };
}

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

function stringToken(text: string, at: number, source: string): Token {
  const prefix = /^[bBrR]*/.exec(text)?.[0] ?? "";
  const isBytes = /[bB]/.test(prefix);
  const isRaw = /[rR]/.test(prefix);
  const quoted = text.slice(prefix.length).replace(/\r\n?/g, "\n");
  const size = /^("""|''')/.test(quoted) && quoted.length >= 6 ? 3 : 1;
  const inner = quoted.slice(size, -size);
  if (isBytes) return { kind: "BYTES", text, at, value: isRaw ? Buffer.from(inner) : unescapeBytes(inner, at, source) };
  return { kind: "STRING", text, at, value: isRaw ? inner : unescapeText(inner, at, source) };
}

const ESCAPES = new RegExp(`${ESCAPE}|[^\\\\]+`, "gy");

function codeOf(sequence: string): number {
  const body = sequence.slice(1);
  return /^[0-3]/.test(body) ? Number.parseInt(body, 8) : Number.parseInt(body.slice(1), 16);
}

function unescapeText(inner: string, at: number, source: string): string {
  return inner.replace(ESCAPES, (part) => {
    if (!part.startsWith("\\")) return part;
    const letter = part[1] ?? "";
    if (!/[xXuU0-3]/.test(letter)) return SIMPLE_ESCAPES[letter] ?? letter;
    const code = codeOf(part);
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
      throw new CompileError(source, [{ at, message: "invalid unicode code point" }]);
    return String.fromCodePoint(code);
  });
}

function unescapeBytes(inner: string, at: number, source: string): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const [part] of inner.matchAll(ESCAPES)) {
    const letter = part[1] ?? "";
    if (!part.startsWith("\\")) parts.push(Buffer.from(part));
    else if (/[uU]/.test(letter)) throw new CompileError(source, [{ at, message: "unable to unescape string" }]);
    else if (/[xX0-3]/.test(letter)) parts.push(Uint8Array.of(codeOf(part) & 0xff));
    else parts.push(Buffer.from(SIMPLE_ESCAPES[letter] ?? letter));
  }
  return Buffer.concat(parts);
}
