// SPDX-License-Identifier: Apache-2.0
import { compilePattern } from "../patterns.ts";
import type { CallExpr, Expr, ListExpr, LiteralExpr } from "./ast.ts";
import type { Checked } from "./check.ts";
import { callFunction } from "./declare.ts";
import { literalValue } from "./evaluate.ts";
import type { Issue } from "./issues.ts";
import { FUNCTIONS } from "./library/index.ts";
import { type CelType, DYN, isSameType, type TypeKind, typeText } from "./types.ts";
import { CelError } from "./values.ts";

/** What is wrong with the literals of an expression whose types are right. The server looks at them after the types. */
export function literalIssues(expr: Expr, checked: Checked): Issue[] {
  const issues: Issue[] = [];
  visit(expr, { checked, issues, isInFormat: false, sound: [new Set(), new Set()] });
  return issues;
}

/** What keeps a sound expression from becoming a program: constants that cannot be converted, patterns that are none. */
export function programProblem(expr: Expr, sound = new Set<Expr>()): string | undefined {
  if (sound.has(expr)) return undefined;
  if (expr.kind === "call") {
    const [first] = expr.args;
    if (first?.kind === "literal") {
      const problem = constantProblem(expr, first);
      if (problem !== undefined) return problem;
    }
  }
  for (const child of childrenOf(expr)) {
    const problem = programProblem(child, sound);
    if (problem !== undefined) return problem;
  }
  sound.add(expr);
  return undefined;
}

const CONVERSIONS = new Set([
  "bool",
  "bytes",
  "double",
  "duration",
  "dyn",
  "int",
  "string",
  "timestamp",
  "type",
  "uint",
]);

function constantProblem(call: CallExpr, argument: LiteralExpr): string | undefined {
  if (CONVERSIONS.has(call.name) && call.target === undefined) return conversionProblem(call, argument);
  const isSearch = call.name === "find" || call.name === "findAll";
  return isSearch && typeof argument.value === "string" ? patternProblem(argument.value) : undefined;
}

function conversionProblem({ name }: CallExpr, { value }: LiteralExpr): string | undefined {
  const declaration = FUNCTIONS.get(name);
  try {
    if (declaration !== undefined) callFunction(declaration, [literalValue(value)], false);
    return undefined;
  } catch (error) {
    if (error instanceof CelError) return error.message;
    throw error;
  }
}

function patternProblem(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "select":
      return [expr.operand];
    case "call":
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case "list":
      return expr.items.map(({ value }) => value);
    case "map":
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case "fold":
      return [expr.range, expr.init, expr.condition, expr.step, expr.result];
    default:
      return [];
  }
}

interface Visit {
  readonly checked: Checked;
  readonly issues: Issue[];
  /** Lists of arguments of `format` may mix types. */
  readonly isInFormat: boolean;
  /** What nothing is wrong with, outside of `format` and in it: macros put one expression into many places. */
  readonly sound: readonly [Set<Expr>, Set<Expr>];
}

/** After so many nothing is said twice. */
const MAX_ISSUES = 100;

function visit(node: Expr, context: Visit): void {
  const { checked, issues, isInFormat } = context;
  const sound = context.sound[isInFormat ? 1 : 0];
  if (sound.has(node)) return;
  const issuesBefore = issues.length;
  const typeOf = (expr: Expr): CelType => checked.types.get(expr) ?? DYN;
  if (node.kind === "call") issues.push(...callIssues(node, typeOf));
  if (!isInFormat && node.kind === "list")
    issues.push(
      ...mixedIssues(node.items.map(({ value, isOptional }) => typed(value, isOptional, typeOf))).slice(0, 1),
    );
  if (!isInFormat && node.kind === "map") {
    issues.push(...mixedIssues(node.entries.map(({ key }) => typed(key, false, typeOf))));
    issues.push(...mixedIssues(node.entries.map(({ value, isOptional }) => typed(value, isOptional, typeOf))));
  }
  const isFormat = node.kind === "call" && node.name === "format";
  for (const child of childrenOf(node)) visit(child, { ...context, isInFormat: isInFormat || isFormat });
  if (issues.length === issuesBefore || issues.length > MAX_ISSUES) sound.add(node);
}

interface Typed {
  readonly at: number;
  readonly type: CelType;
}

function typed(node: Expr, isOptional: boolean, typeOf: (expr: Expr) => CelType): Typed {
  const type = typeOf(node);
  return { at: node.at, type: isOptional ? (type.params[0] ?? type) : type };
}

function mixedIssues([first, ...rest]: readonly Typed[]): Issue[] {
  if (first === undefined) return [];
  return rest
    .filter(({ type }) => !isSameType(first.type, type))
    .map(({ at, type }) => ({ at, message: `expected type '${typeText(first.type)}' but found '${typeText(type)}'` }));
}

function callIssues(call: CallExpr, typeOf: (expr: Expr) => CelType): Issue[] {
  const [first] = call.args;
  if (call.name === "format" && call.target?.kind === "literal" && first?.kind === "list")
    return formatIssues(call, first, { format: String(call.target.value), typeOf });
  if (first?.kind !== "literal") return [];
  const isTime = call.name === "duration" || call.name === "timestamp";
  const isBad =
    (isTime && conversionProblem(call, first) !== undefined) ||
    (call.name === "matches" && typeof first.value === "string" && patternProblem(first.value) !== undefined);
  return isBad ? [{ at: first.at, message: `invalid ${call.name} argument` }] : [];
}

const INTEGERS: readonly TypeKind[] = ["int", "uint"];
const TEXTS: readonly TypeKind[] = [
  "list",
  "map",
  "int",
  "uint",
  "double",
  "bool",
  "string",
  "timestamp",
  "bytes",
  "duration",
  "type",
  "null",
];

const CLAUSES: Readonly<Record<string, readonly [readonly TypeKind[], string]>> = {
  s: [
    TEXTS,
    "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
  ],
  d: [INTEGERS, "decimal clause can only be used on integers"],
  f: [["double", "string"], "fixed-point clause can only be used on doubles"],
  e: [["double", "string"], "scientific clause can only be used on doubles"],
  b: [["int", "uint", "bool"], "only integers and bools can be formatted as binary"],
  x: [["int", "uint", "string", "bytes"], "only integers, byte buffers, and strings can be formatted as hex"],
  X: [["int", "uint", "string", "bytes"], "only integers, byte buffers, and strings can be formatted as hex"],
  o: [INTEGERS, "octal clause can only be used on integers"],
};

function formatIssues(
  call: CallExpr,
  list: ListExpr,
  { format, typeOf }: { format: string; typeOf: (expr: Expr) => CelType },
): Issue[] {
  let used = 0;
  for (const [clause, , verb = ""] of format.matchAll(/%(?:%|(\.\d*)?(.?))/gsu)) {
    if (clause === "%%") continue;
    const argument = list.items[used]?.value;
    if (verb === "") return [{ at: call.at, message: "unexpected end of string" }];
    if (argument === undefined) return [{ at: call.at, message: `index ${used} out of range` }];
    used++;
    const known = CLAUSES[verb];
    if (known === undefined) {
      const message = `could not parse formatting clause: unrecognized formatting clause "${verb}"`;
      return [{ at: call.at, message }];
    }
    const [kinds, words] = known;
    const type = typeOf(argument);
    if (type.kind !== "dyn" && !kinds.includes(type.kind))
      return [{ at: argument.at, message: `error during formatting: ${words}, was given ${type.name}` }];
  }
  if (list.items.length <= used) return [];
  const message = `too many arguments supplied to string.format (expected ${used}, got ${list.items.length})`;
  return [{ at: call.at, message }];
}
