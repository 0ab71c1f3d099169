// SPDX-License-Identifier: Apache-2.0
import { isObject } from "../../schema/go-text.ts";
import { badRequest } from "../status-error.ts";
import type { KubeObject, ResourceType } from "../types.ts";

/** One term of a field selector. */
export interface FieldTerm {
  readonly field: string;
  readonly isNegated: boolean;
  readonly value: string;
}

/** A selector by fields: which objects, and whether it asks for one name or namespace only. */
export interface FieldSelector {
  readonly terms: readonly FieldTerm[];
  matches(object: KubeObject): boolean;
  /** The value that the field must have, where the selector says so. */
  exactly(field: string): string | undefined;
}

/** Reads a field selector for a type. Undefined when it selects everything; throws where the type has no such field. */
export function parseFieldSelector(text: string, type: ResourceType): FieldSelector | undefined {
  const terms = splitTerms(text)
    .filter((term) => term !== "")
    .sort()
    .map((term) => parseTerm(term, text));
  for (const { field } of terms) checkField(field, type);
  if (terms.length === 0) return undefined;
  const readers = terms.map(({ field }) => readerOf(field, type));
  return {
    terms,
    matches: (object) => terms.every(({ isNegated, value }, at) => (readers[at]?.(object) === value) !== isNegated),
    exactly: (field) => terms.find((term) => term.field === field && !term.isNegated)?.value,
  };
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let term = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "\\") term += character + (text[++at] ?? "");
    else if (character === ",") {
      terms.push(term);
      term = "";
    } else term += character;
  }
  return [...terms, term];
}

function parseTerm(term: string, whole: string): FieldTerm {
  const match = /!=|==|=/.exec(term);
  if (match === null) throw badRequest(`invalid selector: '${whole}'; can't understand '${term}'`);
  const value = withoutEscapes(term.slice(match.index + match[0].length));
  return { field: term.slice(0, match.index), isNegated: match[0] === "!=", value };
}

function withoutEscapes(text: string): string {
  let value = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === "\\") {
      const next = text[++at] ?? "";
      if (!["\\", ",", "="].includes(next))
        throw badRequest(`invalid field selector: invalid escape sequence: \\${next}`);
      value += next;
    } else if (character === "=")
      throw badRequest(`invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`);
    else value += character;
  }
  return value;
}

function checkField(field: string, type: ResourceType): void {
  if (field === "metadata.name" || (field === "metadata.namespace" && (type.namespaced || !type.isCustom))) return;
  if (type.selectableFields.some((path) => path.replace(/^\./, "") === field)) return;
  throw badRequest(
    type.isCustom || type.selectableFields.length > 0
      ? `field label not supported: ${field}`
      : `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}

/** Reads a simple path; what is missing is empty text, and what is no text is printed as such. */
function readerOf(field: string, { behaviour }: ResourceType): (object: KubeObject) => string {
  const steps = field.replace(/^\./, "").split(".");
  return (object) => {
    const special = behaviour?.selectableValues?.(object)[field];
    if (special !== undefined) return special;
    let value: unknown = object;
    for (const step of steps) value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
    return value === undefined || value === null || typeof value === "object" ? "" : String(value);
  };
}
