// SPDX-License-Identifier: Apache-2.0
import { RE2JS } from "re2js";

/** A compiled pattern: `test` searches anywhere in the text, as Go's MatchString does. */
export interface Pattern {
  test(text: string): boolean;
  /** The first match, empty text when there is none. */
  find(text: string): string;
  /** All matches from left to right; a limit of -1 means no limit. */
  findAll(text: string, limit: number): string[];
}

const MAX_CACHED = 2000;
const cache = new Map<string, Pattern | Error>();

/**
 * Compiles a pattern in Go's RE2 syntax, once per text. Matching takes time linear in the text, whatever the pattern,
 * so neither a hostile CRD nor a hostile value can hang the process. Throws for a pattern Go would refuse.
 */
export function compilePattern(source: string): Pattern {
  let pattern = cache.get(source);
  if (pattern === undefined) {
    pattern = compile(source);
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(source, pattern);
  }
  if (pattern instanceof Error) throw pattern;
  return pattern;
}

function compile(source: string): Pattern | Error {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(source);
  } catch (error) {
    return new Error(goWords(error, source));
  }
  return {
    test: (text) => compiled.test(text),
    find: (text) => {
      const matcher = compiled.matcher(text);
      return matcher.find() ? (matcher.group() ?? "") : "";
    },
    findAll: (text, limit) => findAll(compiled, text, limit),
  };
}

function findAll(compiled: RE2JS, text: string, limit: number): string[] {
  const matches: string[] = [];
  const matcher = compiled.matcher(text);
  let lastEnd = -1;
  while (matches.length !== limit && matcher.find()) {
    // Go leaves out an empty match right behind the match before it.
    const isEmptyNeighbour = matcher.start() === matcher.end() && matcher.end() === lastEnd;
    lastEnd = matcher.end();
    if (!isEmptyNeighbour) matches.push(matcher.group() ?? "");
  }
  return matches;
}

function goWords(error: unknown, source: string): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.startsWith("error parsing regexp") ? text : `error parsing regexp: ${text}: \`${source}\``;
}
