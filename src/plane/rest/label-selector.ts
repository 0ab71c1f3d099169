// SPDX-License-Identifier: Apache-2.0
import { quote } from "../../schema/go-text.ts";
import { labelKeyProblems, labelValueProblems } from "../../schema/names.ts";

type Labels = Readonly<Record<string, string>>;

/** Whether a set of labels is selected. */
export type LabelSelector = (labels: Labels | undefined) => boolean;

/** A selector that cannot be read. The message is the server's. */
export class SelectorError extends Error {}

interface Token {
  readonly type: "word" | "symbol" | "end";
  readonly text: string;
}

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

const OPERATORS = ["=", "==", "!=", "in", "notin", ">", "<"];
const OPERATOR_WORDS = "in, notin, =, ==, !=, gt, lt";

/** Reads a label selector: `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1`. Undefined when it selects everything. */
export function parseLabelSelector(text: string): LabelSelector | undefined {
  const requirements = parse(scan(text));
  if (requirements.length === 0) return undefined;
  const tests = requirements.map(testOf);
  return (labels) => tests.every((test) => test(labels ?? {}));
}

/**
 * A quick test of an object's stored text: false where the object is certainly not selected. To parse thousands of objects for the
 * one that a controller looks for by its mark takes a hundred times as long. Undefined where the selector allows no such test.
 */
export function parseLabelText(text: string): ((json: string) => boolean) | undefined {
  const wanted = parse(scan(text))
    .filter(({ operator }) => operator === "=" || operator === "==" || operator === "in")
    .map(({ key, values }) => ({ start: `${JSON.stringify(key)}:"`, values: new Set(values) }));
  if (wanted.length === 0) return undefined;
  return (json) => wanted.every(({ start, values }) => mentions(json, start, values));
}

/** Whether one of the values stands behind the start anywhere. Once through the text, however many values there are. */
function mentions(json: string, start: string, values: ReadonlySet<string>): boolean {
  for (let at = json.indexOf(start); at >= 0; at = json.indexOf(start, at)) {
    at += start.length;
    // No value of a label has anything in it that is written with a backslash.
    if (values.has(json.slice(at, json.indexOf('"', at)))) return true;
  }
  return false;
}

function scan(text: string): Token[] {
  const tokens: Token[] = [];
  for (const [match] of text.matchAll(/==|!=|[=!(),<>]|[^\s=!(),<>]+/g)) {
    tokens.push({ type: /^[=!(),<>]/.test(match) ? "symbol" : "word", text: match });
  }
  return [...tokens, { type: "end", text: "" }];
}

const END: Token = { type: "end", text: "" };

interface Cursor {
  peek(): Token;
  take(): Token;
}

function parse(tokens: readonly Token[]): Requirement[] {
  let position = 0;
  const peek = () => tokens[position] ?? END;
  const cursor: Cursor = {
    peek,
    take: () => {
      const token = peek();
      position += 1;
      return token;
    },
  };
  const requirements: Requirement[] = [];
  while (true) {
    const first = cursor.peek();
    if (first.type === "end") return requirements;
    if (!startsRequirement(first))
      throw new SelectorError(`found '${first.text}', expected: !, identifier, or 'end of string'`);
    requirements.push(parseRequirement(cursor));
    const next = cursor.take();
    if (next.type === "end") return requirements;
    if (next.text !== ",") throw new SelectorError(`found '${next.text}', expected: ',' or 'end of string'`);
    if (!startsRequirement(cursor.peek()))
      throw new SelectorError(`found '${cursor.peek().text}', expected: identifier after ','`);
  }
}

function startsRequirement({ type, text }: Token): boolean {
  return type === "word" || text === "!";
}

function refuse(words: string): never {
  throw new SelectorError(`unable to parse requirement: ${words}`);
}

function parseRequirement(cursor: Cursor): Requirement {
  const isNegated = cursor.peek().text === "!";
  if (isNegated) cursor.take();
  const { type, text: key } = cursor.take();
  if (type !== "word") refuse(`found '${key}', expected: identifier`);
  const problems = labelKeyProblems(key);
  if (problems.length > 0) refuse(`<nil>: Invalid value: ${quote(key)}: ${problems.join("; ")}`);
  if (isNegated) return { key, operator: "!", values: [] };
  const next = cursor.peek();
  if (next.type === "end" || next.text === ",") return { key, operator: "exists", values: [] };
  const operator = cursor.take().text;
  if (!OPERATORS.includes(operator)) refuse(`found '${operator}', expected: ${OPERATOR_WORDS}`);
  const values = operator === "in" || operator === "notin" ? parseValues(cursor) : [parseValue(cursor)];
  checkValues(key, operator, values);
  return { key, operator, values };
}

function checkValues(key: string, operator: string, values: readonly string[]): void {
  const found: string[] = [];
  if (operator === ">" || operator === "<")
    for (const [at, value] of values.entries())
      if (asInteger(value) === undefined)
        found.push(
          `values[${at}]: Invalid value: ${quote(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
        );
  for (const [at, value] of values.entries()) {
    const problems = labelValueProblems(value);
    if (problems.length > 0)
      found.push(`values[${at}][${key}]: Invalid value: ${quote(value)}: ${problems.join("; ")}`);
  }
  if (found.length > 0) refuse(found.length === 1 ? (found[0] ?? "") : `[${found.join(", ")}]`);
}

function parseValue(cursor: Cursor): string {
  const next = cursor.peek();
  if (next.type === "end" || next.text === ",") return "";
  cursor.take();
  if (next.type !== "word") refuse(`found '${next.text}', expected: identifier`);
  return next.text;
}

function parseValues(cursor: Cursor): string[] {
  const open = cursor.take();
  if (open.text !== "(") refuse(`found '${open.text}' expected: '('`);
  const first = cursor.peek();
  if (first.type !== "word" && first.text !== "," && first.text !== ")")
    refuse(`found '${first.text}', expected: ',', ')' or identifier`);
  const values = new Set<string>();
  let isExpected = true;
  while (true) {
    const token = cursor.take();
    if (token.text === ")" && token.type === "symbol") {
      if (isExpected) values.add("");
      return [...values].sort();
    }
    if (token.text === "," && token.type === "symbol") {
      if (isExpected) values.add("");
      isExpected = true;
    } else if (token.type === "word") {
      if (!isExpected) refuse(`found '${token.text}', expected: ',' or ')'`);
      values.add(token.text);
      isExpected = false;
    } else refuse(`found '${token.text}', expected: ${isExpected ? "',', or identifier" : "',' or ')'"}`);
  }
}

function testOf({ key, operator, values }: Requirement): (labels: Labels) => boolean {
  const has = (labels: Labels) => Object.hasOwn(labels, key);
  const isListed = (labels: Labels) => values.includes(labels[key] ?? "");
  switch (operator) {
    case "exists":
      return has;
    case "!":
      return (labels) => !has(labels);
    case "!=":
    case "notin":
      return (labels) => !has(labels) || !isListed(labels);
    case ">":
    case "<":
      return (labels) => {
        const value = has(labels) ? asInteger(labels[key] ?? "") : undefined;
        const bound = asInteger(values[0] ?? "");
        if (value === undefined || bound === undefined) return false;
        return operator === ">" ? value > bound : value < bound;
      };
    default:
      return (labels) => has(labels) && isListed(labels);
  }
}

function asInteger(text: string): bigint | undefined {
  if (!/^[-+]?\d+$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ""));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
