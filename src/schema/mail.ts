// SPDX-License-Identifier: Apache-2.0
import { isIP } from "node:net";

const ATOM = /^[!#-'*+\-./0-9=?A-Z^_`a-z{|}~\u{80}-\u{10ffff}]+/u;
const QUOTED = /^"(?:[\t !#-[\]-~\u{80}-\u{10ffff}]|\\[\t -~\u{80}-\u{10ffff}])*"/u;

/** Whether a text is one mail address as Go's net/mail reads it: `a@b.c`, or `Some Name <a@b.c>`. */
export function isMailAddress(text: string): boolean {
  const trimmed = skipSpace(text);
  const plain = afterAddress(trimmed);
  if (plain !== undefined) return skipComments(plain) === "";
  let rest = trimmed;
  for (let word = afterWord(rest); word !== undefined; word = afterWord(rest)) rest = word;
  rest = skipSpace(rest);
  if (!rest.startsWith("<")) return false;
  const behind = afterAddress(rest.slice(1));
  return behind?.startsWith(">") === true && skipComments(behind.slice(1)) === "";
}

function skipSpace(text: string): string {
  return text.replace(/^[ \t]+/, "");
}

function skipComments(text: string): string | undefined {
  let rest = skipSpace(text);
  while (rest.startsWith("(")) {
    let depth = 0;
    let at = 0;
    do {
      if (at >= rest.length) return undefined;
      if (rest[at] === "\\") at++;
      else if (rest[at] === "(") depth++;
      else if (rest[at] === ")") depth--;
      at++;
    } while (depth > 0);
    rest = skipSpace(rest.slice(at));
  }
  return rest;
}

function afterWord(text: string): string | undefined {
  const start = skipComments(text);
  if (start === undefined || start === "") return undefined;
  const match = QUOTED.exec(start) ?? ATOM.exec(start);
  return match === null ? undefined : start.slice(match[0].length);
}

/** What follows an addr-spec at the start of the text; undefined when there is none. */
function afterAddress(text: string): string | undefined {
  const start = skipSpace(text);
  const quoted = QUOTED.exec(start);
  const local = quoted !== null ? (quoted[0] === '""' ? undefined : quoted[0]) : dotAtom(start);
  if (local === undefined || start[local.length] !== "@") return undefined;
  const rest = skipSpace(start.slice(local.length + 1));
  if (rest.startsWith("[")) {
    const close = rest.indexOf("]");
    return close > 0 && isIP(rest.slice(1, close)) !== 0 ? rest.slice(close + 1) : undefined;
  }
  const domain = dotAtom(rest);
  return domain === undefined ? undefined : rest.slice(domain.length);
}

function dotAtom(text: string): string | undefined {
  const atom = ATOM.exec(text)?.[0];
  if (atom === undefined || atom.startsWith(".") || atom.endsWith(".") || atom.includes("..")) return undefined;
  return atom;
}
