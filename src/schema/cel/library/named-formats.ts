// SPDX-License-Identifier: Apache-2.0
import { isOfFormat } from "../../formats.ts";
import { parseRequestUri } from "../../go-url.ts";
import {
  dns1035LabelProblems,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  labelKeyProblems,
  labelValueProblems,
  withoutTrailingDash,
} from "../../names.ts";
import { declare, type FunctionDeclaration, global, type Implementation, method } from "../declare.ts";
import { listOf, NAMED_FORMAT, optionalOf, STRING } from "../types.ts";
import { CelError, listValue, NO_OVERLOAD, NONE, optional, tagged } from "../values.ts";
import { textOf } from "./arguments.ts";

type TextProblems = (text: string) => string[];

const asPrefix =
  (problems: TextProblems): TextProblems =>
  (text) =>
    problems(withoutTrailingDash(text));

const ofFormat =
  (format: string, words: string): TextProblems =>
  (text) =>
    isOfFormat(format, text) ? [] : [words];

function uriProblems(text: string): string[] {
  try {
    parseRequestUri(text);
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

const NAMED_FORMATS: ReadonlyMap<string, TextProblems> = new Map([
  ["dns1123Label", dns1123LabelProblems],
  ["dns1123Subdomain", (text: string) => dns1123SubdomainProblems(text)],
  ["dns1035Label", dns1035LabelProblems],
  ["qualifiedName", labelKeyProblems],
  ["dns1123LabelPrefix", asPrefix(dns1123LabelProblems)],
  ["dns1123SubdomainPrefix", asPrefix(dns1123SubdomainProblems)],
  ["dns1035LabelPrefix", asPrefix(dns1035LabelProblems)],
  ["labelValue", labelValueProblems],
  ["uri", uriProblems],
  ["uuid", ofFormat("uuid", "does not match the UUID format")],
  ["byte", ofFormat("byte", "invalid base64")],
  ["date", ofFormat("date", "invalid date")],
  ["datetime", ofFormat("datetime", "invalid datetime")],
]);

const validate: Implementation = (format = null, text) => {
  const named = tagged(format, "format");
  if (named === undefined) throw new CelError(NO_OVERLOAD);
  const problems = named.problems(textOf(text));
  return problems.length === 0 ? NONE : optional(listValue([...problems]));
};

const findNamed: Implementation = (value) => {
  const name = textOf(value);
  const problems = NAMED_FORMATS.get(name);
  return problems === undefined ? NONE : optional({ kind: "format", name, problems });
};

/** Formats by name: `format.dns1123Label().validate(text)` gives what is wrong with a text. */
export const namedFormats: readonly FunctionDeclaration[] = [
  ...Array.from(NAMED_FORMATS, ([name, problems]) =>
    declare(`format.${name}`, [global([], NAMED_FORMAT, () => ({ kind: "format", name, problems }))]),
  ),
  declare("format.named", [global([STRING], optionalOf(NAMED_FORMAT), findNamed)]),
  declare("validate", [method([NAMED_FORMAT, STRING], optionalOf(listOf(STRING)), validate)]),
];
