// SPDX-License-Identifier: Apache-2.0
import {
  addQuantities,
  compareQuantities,
  isIntegerQuantity,
  isQuantity,
  parseQuantity,
  type Quantity,
  quantityAsApproximateFloat,
  quantityAsInteger,
  quantityOfInteger,
  quantitySign,
  subtractQuantities,
} from "../../../lib/quantity.ts";
import { formatProblem, isDateTime } from "../../formats.ts";
import { type GoUrl, isRequestUri, parseRequestUri, parseUrl, queryValues } from "../../go-url.ts";
import {
  dns1035LabelProblems,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  labelKeyProblems,
  labelValueProblems,
  withoutTrailingDash,
} from "../../names.ts";
import { declare, type FunctionDeclaration, global, type Implementation, method } from "../declare.ts";
import { mapValue } from "../map-value.ts";
import { compareSemver, parseLooseSemver, parseSemver, type Semver } from "../semver.ts";
import { BOOL, DOUBLE, INT, listOf, mapOf, NAMED_FORMAT, optionalOf, QUANTITY, SEMVER, STRING, URL_TYPE } from "../types.ts";
import { CelError, type CelValue, listValue, NO_OVERLOAD, NONE, optional, tagged } from "../values.ts";

function textOf(value: CelValue | undefined): string {
  if (typeof value !== "string") throw new CelError(NO_OVERLOAD);
  return value;
}

/** Runs something that throws plain errors, and makes them errors of the expression. */
function reading<T>(read: () => T, prefix = ""): T {
  try {
    return read();
  } catch (error) {
    throw new CelError(prefix + (error instanceof Error ? error.message : String(error)));
  }
}

function succeeds(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

const onUrl =
  (operation: (url: GoUrl) => CelValue): Implementation =>
  (value = null) => {
    const url = tagged(value, "url")?.url;
    if (url === undefined) throw new CelError(NO_OVERLOAD);
    return operation(url);
  };

const toUrl: Implementation = (value) => {
  const text = textOf(value);
  return reading(() => {
    parseRequestUri(text);
    return { kind: "url", url: parseUrl(text) };
  }, "URL parse error during conversion from string: ");
};

const urls: readonly FunctionDeclaration[] = [
  declare("url", [global([STRING], URL_TYPE, toUrl)]),
  declare("isURL", [global([STRING], BOOL, (text) => isRequestUri(textOf(text)))]),
  declare("getScheme", [method([URL_TYPE], STRING, onUrl(({ scheme }) => scheme))]),
  declare("getHost", [method([URL_TYPE], STRING, onUrl(({ host }) => host))]),
  declare("getHostname", [method([URL_TYPE], STRING, onUrl(({ hostname }) => hostname))]),
  declare("getPort", [method([URL_TYPE], STRING, onUrl(({ port }) => port))]),
  declare("getEscapedPath", [method([URL_TYPE], STRING, onUrl(({ escapedPath }) => escapedPath))]),
  declare("getQuery", [
    method([URL_TYPE], mapOf(STRING, listOf(STRING)), onUrl(({ rawQuery }) =>
      mapValue(Array.from(queryValues(rawQuery), ([name, values]) => [name, listValue([...values])])),
    )),
  ]),
];

function quantityOf(value: CelValue | undefined): Quantity {
  if (typeof value === "bigint") return quantityOfInteger(value, "DecimalExponent");
  const quantity = value === undefined ? undefined : tagged(value, "quantity")?.quantity;
  if (quantity === undefined) throw new CelError(NO_OVERLOAD);
  return quantity;
}

const quantityResult =
  (operation: (left: Quantity, right: Quantity) => Quantity): Implementation =>
  (left, right) => ({ kind: "quantity", quantity: operation(quantityOf(left), quantityOf(right)) });

const quantities: readonly FunctionDeclaration[] = [
  declare("quantity", [
    global([STRING], QUANTITY, (text) => reading(() => ({ kind: "quantity", quantity: parseQuantity(textOf(text)) }))),
  ]),
  declare("isQuantity", [global([STRING], BOOL, (text) => isQuantity(textOf(text)))]),
  declare("sign", [global([QUANTITY], INT, (value) => BigInt(quantitySign(quantityOf(value))))]),
  declare("asApproximateFloat", [method([QUANTITY], DOUBLE, (value) => quantityAsApproximateFloat(quantityOf(value)))]),
  declare("asInteger", [method([QUANTITY], INT, (value) => reading(() => quantityAsInteger(quantityOf(value))))]),
  declare("isInteger", [method([QUANTITY], BOOL, (value) => isIntegerQuantity(quantityOf(value)))]),
  declare("add", [
    method([QUANTITY, QUANTITY], QUANTITY, quantityResult(addQuantities)),
    method([QUANTITY, INT], QUANTITY, quantityResult(addQuantities)),
  ]),
  declare("sub", [
    method([QUANTITY, QUANTITY], QUANTITY, quantityResult(subtractQuantities)),
    method([QUANTITY, INT], QUANTITY, quantityResult(subtractQuantities)),
  ]),
];

function semverOf(value: CelValue | undefined): Semver {
  const version = value === undefined ? undefined : tagged(value, "semver")?.version;
  if (version === undefined) throw new CelError(NO_OVERLOAD);
  return version;
}

const readSemver = (text: CelValue | undefined, isLoose: CelValue | undefined): Semver =>
  isLoose === true ? parseLooseSemver(textOf(text)) : parseSemver(textOf(text));

const toSemver: Implementation = (text, isLoose) => reading(() => ({ kind: "semver", version: readSemver(text, isLoose) }));
const isSemver: Implementation = (text, isLoose) => succeeds(() => readSemver(text, isLoose));

/** Comparisons of quantities and of versions share their names. */
function comparison(name: string, result: (order: number) => CelValue): FunctionDeclaration {
  const type = name === "compareTo" ? INT : BOOL;
  return declare(name, [
    method([QUANTITY, QUANTITY], type, (left, right) => result(compareQuantities(quantityOf(left), quantityOf(right)))),
    method([SEMVER, SEMVER], type, (left, right) => result(compareSemver(semverOf(left), semverOf(right)))),
  ]);
}

const versions: readonly FunctionDeclaration[] = [
  declare("semver", [global([STRING], SEMVER, toSemver), global([STRING, BOOL], SEMVER, toSemver)]),
  declare("isSemver", [global([STRING], BOOL, isSemver), global([STRING, BOOL], BOOL, isSemver)]),
  declare("major", [method([SEMVER], INT, (value) => semverOf(value).major)]),
  declare("minor", [method([SEMVER], INT, (value) => semverOf(value).minor)]),
  declare("patch", [method([SEMVER], INT, (value) => semverOf(value).patch)]),
  comparison("isGreaterThan", (order) => order > 0),
  comparison("isLessThan", (order) => order < 0),
  comparison("compareTo", (order) => BigInt(order)),
];

type TextProblems = (text: string) => string[];

const asPrefix = (problems: TextProblems): TextProblems => (text) => problems(withoutTrailingDash(text));
const orElse = (isFine: (text: string) => boolean, words: string): TextProblems => (text) => (isFine(text) ? [] : [words]);

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
  ["dns1123Subdomain", dns1123SubdomainProblems],
  ["dns1035Label", dns1035LabelProblems],
  ["qualifiedName", labelKeyProblems],
  ["dns1123LabelPrefix", asPrefix(dns1123LabelProblems)],
  ["dns1123SubdomainPrefix", asPrefix(dns1123SubdomainProblems)],
  ["dns1035LabelPrefix", asPrefix(dns1035LabelProblems)],
  ["labelValue", labelValueProblems],
  ["uri", uriProblems],
  ["uuid", orElse((text) => !formatProblem("uuid", text), "does not match the UUID format")],
  ["byte", orElse((text) => !formatProblem("byte", text), "invalid base64")],
  ["date", orElse((text) => !formatProblem("date", text), "invalid date")],
  ["datetime", orElse(isDateTime, "invalid datetime")],
]);

const validate: Implementation = (format = null, text) => {
  const named = tagged(format, "format");
  if (named === undefined) throw new CelError(NO_OVERLOAD);
  const problems = named.problems(textOf(text));
  return problems.length === 0 ? NONE : optional(listValue([...problems]));
};

const formats: readonly FunctionDeclaration[] = [
  ...Array.from(NAMED_FORMATS, ([name, problems]) =>
    declare(`format.${name}`, [global([], NAMED_FORMAT, () => ({ kind: "format", name, problems }))]),
  ),
  declare("format.named", [
    global([STRING], optionalOf(NAMED_FORMAT), (value) => {
      const name = textOf(value);
      const problems = NAMED_FORMATS.get(name);
      return problems === undefined ? NONE : optional({ kind: "format", name, problems });
    }),
  ]),
  declare("validate", [method([NAMED_FORMAT, STRING], optionalOf(listOf(STRING)), validate)]),
];

/** The types Kubernetes adds to CEL: URLs, quantities, semantic versions and named formats. */
export const kubernetes: readonly FunctionDeclaration[] = [...urls, ...quantities, ...versions, ...formats];
