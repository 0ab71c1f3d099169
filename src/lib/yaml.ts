// SPDX-License-Identifier: Apache-2.0
import { type Document, Lexer, parseAllDocuments } from "yaml";
import { type Mark, type RoundedNumber, readNodes, type YamlValue } from "./yaml-nodes.ts";
import { explainSyntaxError } from "./yaml-words.ts";

/** A place in a text; both count from 1, columns in UTF-16 units. */
export interface Position {
  line: number;
  column: number;
}

/** Something wrong with the YAML itself. The message never quotes values: they may be secrets. */
export interface YamlProblem extends Position {
  message: string;
}

/** One document of a YAML stream, read as Kubernetes reads it. */
export interface YamlDocument {
  /** The value as JSON would carry it; undefined when the document is malformed. */
  value: YamlValue | undefined;
  /** Nothing but comments and white space. */
  isEmpty: boolean;
  /** Everything wrong at once, in the order of the text. A key given twice is a problem, yet leaves a value: the last. */
  problems: readonly YamlProblem[];
  /** Integers beyond 2^53 that the value holds with fewer digits than Kubernetes would. */
  rounded: readonly RoundedNumber[];
  /**
   * Where a value stands: its key, or its first character for a list item and for the whole document. For a path
   * that is not in the document, where the nearest parent stands that is. Follows aliases and merge keys.
   */
  positionOf(path: readonly (string | number)[]): Position;
}

/**
 * Parses a YAML or JSON text, possibly of several documents, and never throws: what is wrong is in each document's
 * problems, and one malformed document does not hide the others.
 */
export function parseYaml(text: string): readonly YamlDocument[] {
  const locate = locator(text);
  return splitDocuments(text).flatMap((chunk) => parseChunk(chunk, locate));
}

/**
 * Whether the text is made of more pieces than so many: the time to parse it grows with them, and a long text is only one.
 * Takes a fraction of that time.
 */
export function hasMoreTokens(text: string, most: number): boolean {
  let count = 0;
  for (const _ of new Lexer().lex(text)) if (++count > most) return true;
  return false;
}

interface Chunk {
  text: string;
  /** Where the chunk starts in the whole text. */
  start: number;
}

type Locate = (offset: number) => Position;

function locator(text: string): Locate {
  const lineStarts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lineStarts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = lineStarts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (lineStarts[low] ?? 0) + 1 };
  };
}

/**
 * Cuts at separator lines before parsing, as Kubernetes does: an unclosed quote then ends with its document instead
 * of swallowing the next ones.
 */
function splitDocuments(text: string): Chunk[] {
  const chunks: Chunk[] = [];
  let start = text.startsWith("\uFEFF") ? 1 : 0;
  for (const match of text.matchAll(/^---[ \t]*(?:#.*)?\r?$/gm)) {
    const before = text.slice(start, match.index);
    // Directives belong to the document below their separator.
    if (/^%/m.test(before) && /^(?:[ \t]*(?:#.*)?\r?\n|%.*\n)*$/.test(before)) continue;
    chunks.push({ text: before, start });
    start = match.index + match[0].length;
  }
  chunks.push({ text: text.slice(start), start });
  return chunks;
}

function parseChunk(chunk: Chunk, locate: Locate): YamlDocument[] {
  // What is missing at the end is missing after the last word, not after the blank lines below it.
  const end = chunk.text.trimEnd().length;
  const problemAt = (offset: number, message: string): YamlProblem => ({
    ...locate(chunk.start + Math.min(offset, end)),
    message,
  });
  const forbidden = /[^\t\n\r -~\u0085\u00A0-\uD7FF\uD800-\uFFFD]/.exec(chunk.text);
  if (forbidden !== null) return [malformed([problemAt(forbidden.index, "control characters are not allowed")])];
  let documents: Document.Parsed[];
  // A text can be nothing but mistakes, and where each was found in the parser would take most of the time.
  const { stackTraceLimit } = Error;
  try {
    Error.stackTraceLimit = 0;
    // Plain strings everywhere: which of them are numbers or booleans is decided by Kubernetes' rules, not the library's.
    const parsed = parseAllDocuments(chunk.text, {
      version: "1.1",
      schema: "failsafe",
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: "silent",
    });
    documents = "empty" in parsed ? [] : parsed;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [malformed([problemAt(firstContent(chunk.text), "nested too deeply")])];
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  if (documents.length === 0) return [empty];
  // Nothing but blank lines and comments. Looks at each line once: chunks can be large.
  const isBlank = !/^[^\S\n]*[^\s#]/m.test(chunk.text);
  return documents.map((document) => toYamlDocument(document, { chunk, isBlank, locate, problemAt }));
}

function firstContent(text: string): number {
  return Math.max(0, text.search(/\S/));
}

interface Place {
  chunk: Chunk;
  isBlank: boolean;
  locate: Locate;
  problemAt: (offset: number, message: string) => YamlProblem;
}

function toYamlDocument(document: Document.Parsed, { chunk, isBlank, locate, problemAt }: Place): YamlDocument {
  if (document.errors.length > 0) {
    const problems = document.errors.map((error) => problemAt(error.pos[0], explainSyntaxError(error)));
    return malformed(oneEachLine(problems));
  }
  if (document.contents === null || isBlank) return empty;
  const { value, mark, problems, isUsable, rounded } = readNodes(document.contents);
  return {
    value: isUsable ? value : undefined,
    isEmpty: false,
    problems: problems
      .sort((one, other) => one.offset - other.offset)
      .map(({ offset, message }) => problemAt(offset, message)),
    rounded,
    positionOf: (path) => locate(chunk.start + find(mark, path).offset),
  };
}

function find(mark: Mark, path: readonly (string | number)[]): Mark {
  let current = mark;
  for (const step of path) {
    const next = current.children?.get(String(step));
    if (next === undefined) return current;
    current = next;
  }
  return current;
}

/** The parser stumbles on after a mistake; further problems on the same line are echoes of the first. */
function oneEachLine(problems: readonly YamlProblem[]): YamlProblem[] {
  const first = new Map<number, YamlProblem>();
  for (const problem of problems) if (!first.has(problem.line)) first.set(problem.line, problem);
  return [...first.values()];
}

const empty: YamlDocument = { ...malformed([]), isEmpty: true, value: null };

function malformed(problems: readonly YamlProblem[]): YamlDocument {
  const { line, column } = problems[0] ?? { line: 1, column: 1 };
  return { value: undefined, isEmpty: false, problems, rounded: [], positionOf: () => ({ line, column }) };
}
