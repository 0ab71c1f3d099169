// SPDX-License-Identifier: Apache-2.0
import { hasMoreTokens, parseYaml, type YamlProblem } from "../../lib/yaml.ts";
import { tooLarge } from "../status-error.ts";
import { BodyError, type BodyValue } from "./body.ts";
import { NO_LOST_NUMBERS } from "./json-numbers.ts";
import { parseScanned, scanJson, TOO_DEEP } from "./json-scan.ts";

/**
 * YAML of more pieces than these is not read: each takes microseconds, and everybody waits. A definition of a megabyte has
 * fewer, and a text of three is one piece. JSON has no such limit, and is what kubectl sends, also where it says YAML.
 */
const MAX_TOKENS = 300_000;
const MAX_DEPTH = 10_000;

/** Reads YAML, or throws a `BodyError`. Most of what is sent as YAML is JSON, which is read a hundred times faster. */
export function readYaml(text: string, summary = ""): BodyValue {
  if (/^[ \n\r]*[{[]/.test(text)) {
    const scan = scanJson(text);
    const { error, duplicates, lostNumbers } = scan;
    if (error === undefined && duplicates.length === 0 && lostNumbers.tooLarge === undefined)
      return { value: parseScanned(text, scan), strictErrors: [], lostNumbers };
    if (error === TOO_DEEP) throw new BodyError(error, summary);
  }
  const tabLine = leadingTab(text);
  if (tabLine !== undefined) throw new BodyError(atLine(tabLine, NO_TOKEN), summary);
  if (bracketDepth(text) > MAX_DEPTH) throw new BodyError(`yaml: ${TOO_DEEP} of ${MAX_DEPTH}`, summary);
  if (hasMoreTokens(text, MAX_TOKENS)) throw tooLarge(`limit for YAML is ${MAX_TOKENS} tokens`);
  const [document] = parseYaml(text).filter(({ isEmpty }) => !isEmpty);
  if (document === undefined) return { value: null, strictErrors: [], lostNumbers: NO_LOST_NUMBERS };
  if (document.value === undefined) throw new BodyError(parserWords(text, document.problems[0]), summary);
  const strictErrors = document.problems.map(({ line, message }) => `line ${line}: ${duplicateKeyWords(message)}`);
  const rounded = document.rounded.map(({ key, text: written }) => ({ field: key, text: written }));
  return { value: document.value, strictErrors, lostNumbers: { tooLarge: undefined, rounded } };
}

/** How deep brackets go, at most: those in texts are counted too. */
function bracketDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, ++depth);
    else if ((code === 0x5d || code === 0x7d) && depth > 0) depth--;
  }
  return deepest;
}

/** The line of a tab that stands before anything else; the real server's parser takes it for the beginning of something. */
function leadingTab(text: string): number | undefined {
  let line = 1;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "\t") return line;
    if (character === "#") at = (text.indexOf("\n", at) + 1 || text.length + 1) - 2;
    else if (character === "\n") line++;
    else if (character !== " " && character !== "\r") return undefined;
  }
  return undefined;
}

const NO_TOKEN = "found character that cannot start any token";

/** The words of the real server's parser for mistakes that are told apart here as there. */
const SERVER_WORDS: readonly (readonly [ours: RegExp, theirs: string])[] = [
  [/^there is no anchor "(.*)" above$/, "unknown anchor '$1' referenced"],
  [/a merge key takes/, "map merge requires map or sequence of maps as the value"],
  [/tabs cannot indent/, "found a tab character that violates indentation"],
  [/must be quoted/, NO_TOKEN],
  [/alias or anchor name/, "did not find expected alphabetic or numeric character"],
  [/closing quote is missing/, "found unexpected end of stream"],
  [/a mapping cannot start here/, "mapping values are not allowed in this context"],
  [/unknown escape/, "found unknown escape character"],
  [/control characters/, "control characters are not allowed"],
];

function parserWords(text: string, { line, message }: YamlProblem = { line: 1, column: 1, message: "" }): string {
  const [ours, theirs = message] = SERVER_WORDS.find(([pattern]) => pattern.test(message)) ?? [];
  const words = ours === undefined ? message : (ours.exec(message)?.[0] ?? "").replace(ours, theirs);
  if (message.includes("closing quote")) return atLine(text.split("\n").length, words);
  if (message.includes("closing")) return `yaml: line ${line}: ${bracketWords(text)}`;
  return atLine(line, words);
}

/** The server's parser counts from 0 and leaves out what is 0. */
function atLine(line: number, words: string): string {
  return line === 1 ? `yaml: ${words}` : `yaml: line ${line}: ${words}`;
}

/** A bracket that is not closed: by what follows it. */
function bracketWords(text: string): string {
  const open = /[[{][^[\]{}]*$/.exec(text.trimEnd())?.[0] ?? "[";
  if (open.length === 1) return "did not find expected node content";
  return `did not find expected ',' or '${open.startsWith("[") ? "]" : "}"}'`;
}

function duplicateKeyWords(message: string): string {
  const key = /"([^"]*)"/.exec(message)?.[1];
  return key === undefined ? message : `key "${key}" already set in map`;
}
