// SPDX-License-Identifier: Apache-2.0

/** Something wrong with an expression, found before it runs. */
export interface Issue {
  /** Offset in the source. */
  readonly at: number;
  readonly message: string;
}

/** Thrown for expressions that do not compile; the message shows all issues with their place in the source. */
export class CompileError extends Error {
  constructor(source: string, issues: readonly Issue[]) {
    super(issuesText(source, issues));
    this.name = "CompileError";
  }
}

const MAX_SHOWN = 100;

function issuesText(source: string, issues: readonly Issue[]): string {
  const sorted = issues.toSorted((left, right) => left.at - right.at);
  const shown = sorted.slice(0, MAX_SHOWN).map((issue) => issueText(source, issue));
  if (sorted.length > MAX_SHOWN) shown.push(`${sorted.length - MAX_SHOWN} more errors were truncated`);
  return shown.join("\n");
}

function issueText(source: string, { at, message }: Issue): string {
  const before = source.slice(0, at).split("\n");
  const column = [...(before.at(-1) ?? "")];
  const line = (source.split("\n")[before.length - 1] ?? "").replaceAll("\t", " ");
  const isWide = (character: string | undefined) => character !== undefined && (character.codePointAt(0) ?? 0) > 0x7f;
  const dots = column.map((character) => (isWide(character) ? "\uff0e" : ".")).join("");
  const marker = isWide([...line][column.length]) ? "\uff3e" : "^";
  return `ERROR: <input>:${before.length}:${column.length + 1}: ${message}\n | ${line}\n | ${dots}${marker}`;
}
