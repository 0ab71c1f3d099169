// SPDX-License-Identifier: Apache-2.0
import type { CallExpr, Expr, FoldExpr, ListExpr, MapExpr, SelectExpr } from "./ast.ts";
import type { FunctionDeclaration, Overload } from "./declare.ts";
import type { Issue } from "./issues.ts";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DYN,
  ERROR,
  INT,
  isOptional,
  isSameType,
  listOf,
  mapOf,
  NAMED_TYPES,
  NULL,
  optionalOf,
  param,
  STRING,
  typeOf,
  typeText,
  UINT,
} from "./types.ts";
import { assign, assignAll, type Bindings, moreGeneral, substitute } from "./unify.ts";

/** What the checker found out: the type of each node, and what names turned out to mean. */
export interface Checked {
  readonly type: CelType;
  readonly types: ReadonlyMap<Expr, CelType>;
  /** Nodes that name a type, such as `string` or `google.protobuf.Duration`. */
  readonly namedTypes: ReadonlyMap<Expr, string>;
  readonly functions: ReadonlyMap<Expr, CalledFunction>;
  readonly usesOldSelf: boolean;
  readonly issues: readonly Issue[];
}

/** A function and how it is called: a dotted name such as `ip.isCanonical` is no receiver. */
export interface CalledFunction {
  readonly declaration: FunctionDeclaration;
  readonly isMember: boolean;
  /** The signatures that take the arguments; with arguments of unknown type there may be several. */
  readonly overloads: readonly Overload[];
}

export interface CheckContext {
  readonly variables: ReadonlyMap<string, CelType>;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
}

/** After so many nothing is said twice. */
const MAX_ISSUES = 100;

/** Finds the types of an expression and everything that does not fit, in the words of the server's compiler. */
export function check(expr: Expr, context: CheckContext): Checked {
  const types = new Map<Expr, CelType>();
  const namedTypes = new Map<Expr, string>();
  const functions = new Map<Expr, CalledFunction>();
  const issues: Issue[] = [];
  let bindings: Bindings = new Map();
  let scopes: readonly ReadonlyMap<string, CelType>[] = [context.variables];
  const visitedIn = new Map<Expr, typeof scopes>();
  let usesOldSelf = false;
  let variableCount = 0;

  const report = (at: number, message: string): CelType => {
    issues.push({ at, message });
    return ERROR;
  };
  const freshVariable = (): CelType => param(`_var${variableCount++}`);
  const tryAssign = (from: CelType, to: CelType): boolean => {
    const next = assign(bindings, from, to);
    if (next !== undefined) bindings = next;
    return next !== undefined;
  };
  const mismatch = (at: number, expected: CelType, found: CelType) =>
    report(at, `expected type '${typeText(expected)}' but found '${typeText(found)}'`);
  const undeclared = (at: number, name: string) => report(at, `undeclared reference to '${name}' (in container '')`);
  const lookUp = (written: string): { type: CelType; named?: string } | undefined => {
    const name = written.replace(/^\./, "");
    for (const scope of scopes.toReversed()) {
      const type = scope.get(name);
      if (type !== undefined) {
        usesOldSelf ||= name === "oldSelf" && scope === context.variables;
        return { type };
      }
    }
    const type = NAMED_TYPES.get(name);
    return type === undefined ? undefined : { type: typeOf(type), named: name };
  };

  /**
   * A macro can put one expression into two places, and chains of them into very many. What was looked at in a scope is not
   * looked at again there, unless to complain again, as the server does, within reason.
   */
  const visit = (node: Expr): CelType => {
    const known = types.get(node);
    if (known !== undefined && visitedIn.get(node) === scopes) return known;
    const issuesBefore = issues.length;
    const type = visitKind(node);
    types.set(node, type);
    if (issues.length === issuesBefore || issues.length > MAX_ISSUES) visitedIn.set(node, scopes);
    return type;
  };
  const visitKind = (node: Expr): CelType => {
    switch (node.kind) {
      case "literal":
        return literalType(node.value);
      case "ident":
        return visitName(node, node.name) ?? undeclared(node.at, node.name);
      case "select":
        return visitSelect(node);
      case "call":
        return visitCall(node);
      case "list":
        return visitList(node);
      case "map":
        return visitMap(node);
      case "fold":
        return visitFold(node);
      case "struct":
        return undeclared(node.at, node.name);
    }
  };
  const visitName = (node: Expr, name: string): CelType | undefined => {
    const found = lookUp(name);
    if (found?.named !== undefined) namedTypes.set(node, found.named);
    return found?.type;
  };

  const visitSelect = (node: SelectExpr): CelType => {
    const name = node.mode === "plain" ? qualifiedName(node) : undefined;
    const named = name === undefined ? undefined : visitName(node, name);
    if (named !== undefined) return named;
    const operand = substitute(bindings, visit(node.operand));
    const target = isOptional(operand) ? (operand.params[0] ?? DYN) : operand;
    const field = fieldType(node, target);
    if (node.mode === "test") return BOOL;
    return substitute(bindings, isOptional(operand) || node.mode === "optional" ? optionalOf(field) : field);
  };
  const fieldType = ({ at, field }: SelectExpr, target: CelType): CelType => {
    if (target.kind === "map") return target.params[1] ?? DYN;
    if (target.kind === "struct") return target.fields?.get(field) ?? report(at, `undefined field '${field}'`);
    if (target.kind === "param") tryAssign(DYN, target);
    else if (target.kind !== "dyn" && target.kind !== "error")
      report(at, `type '${typeText(target)}' does not support field selection`);
    return DYN;
  };

  const visitCall = (node: CallExpr): CelType => {
    for (const argument of node.args) visit(argument);
    const { target } = node;
    if (target !== undefined) {
      const prefix = qualifiedName(target);
      const qualified = prefix === undefined ? undefined : context.functions.get(`${prefix}.${node.name}`);
      if (qualified !== undefined) return resolve(node, qualified, undefined);
      visit(target);
    }
    const declaration = context.functions.get(node.name.replace(/^\./, ""));
    return declaration === undefined ? undeclared(node.at, node.name) : resolve(node, declaration, target);
  };
  const typeOfNode = (node: Expr): CelType => types.get(node) ?? ERROR;

  const resolve = (node: CallExpr, declaration: FunctionDeclaration, target: Expr | undefined): CelType => {
    const fitting: Overload[] = [];
    const isMember = target !== undefined;
    functions.set(node, { declaration, isMember, overloads: fitting });
    if (node.name === "_&&_" || node.name === "_||_") {
      fitting.push(...declaration.overloads);
      return resolveLogical(node);
    }
    const argTypes = (target === undefined ? node.args : [target, ...node.args]).map(typeOfNode);
    let result: CelType | undefined;
    for (const overload of declaration.overloads) {
      if (overload.isMember !== isMember) continue;
      const fresh = freshen([overload.result, ...overload.params]);
      const [resultType = DYN, ...params] = fresh;
      const next = assignAll(bindings, argTypes, params);
      if (next === undefined) continue;
      bindings = next;
      fitting.push(overload);
      const found = substitute(bindings, resultType);
      if (result === undefined) result = found;
      else if (result.kind !== "dyn" && !isSameType(found, result)) result = DYN;
    }
    if (result !== undefined) return result;
    const [receiver, ...rest] = argTypes.map((type) => typeText(substitute(bindings, type, true)));
    const signature =
      target === undefined ? `(${[receiver, ...rest].filter(Boolean).join(", ")})` : `${receiver}.(${rest.join(", ")})`;
    return report(node.at, `found no matching overload for '${declaration.name}' applied to '${signature}'`);
  };
  /** Every call gets type variables of its own. */
  const freshen = (signature: readonly CelType[]): CelType[] => {
    const own = new Map<string, CelType>();
    const replace = (type: CelType): CelType => {
      if (type.kind === "param") {
        const known = own.get(type.name) ?? freshVariable();
        own.set(type.name, known);
        return known;
      }
      return type.params.length === 0 ? type : { ...type, params: type.params.map(replace) };
    };
    return signature.map(replace);
  };
  const resolveLogical = (node: CallExpr): CelType => {
    let isFine = true;
    for (const argument of node.args) {
      const type = typeOfNode(argument);
      if (tryAssign(type, BOOL)) continue;
      mismatch(argument.at, BOOL, type);
      isFine = false;
    }
    return isFine ? BOOL : ERROR;
  };

  const join = (previous: CelType | undefined, current: CelType): CelType => {
    if (previous === undefined) return current;
    return tryAssign(previous, current) ? moreGeneral(previous, current) : DYN;
  };
  const unwrap = (node: Expr, isOptionalEntry: boolean): CelType => {
    const type = visit(node);
    if (!isOptionalEntry) return type;
    if (isOptional(type)) return type.params[0] ?? DYN;
    if (type.kind !== "dyn") mismatch(node.at, optionalOf(type), type);
    return type;
  };
  const visitList = (node: ListExpr): CelType => {
    let element: CelType | undefined;
    for (const { value, isOptional: isOptionalItem } of node.items)
      element = join(element, unwrap(value, isOptionalItem));
    return listOf(element ?? freshVariable());
  };
  const visitMap = (node: MapExpr): CelType => {
    let keyType: CelType | undefined;
    let valueType: CelType | undefined;
    for (const { key, value, isOptional: isOptionalEntry } of node.entries) {
      keyType = join(keyType, visit(key));
      valueType = join(valueType, unwrap(value, isOptionalEntry));
    }
    return mapOf(keyType ?? freshVariable(), valueType ?? freshVariable());
  };

  const visitFold = (node: FoldExpr): CelType => {
    visit(node.range);
    const accumulator = visit(node.init);
    const range = substitute(bindings, typeOfNode(node.range));
    const [first, second] = loopTypes(node, range);
    const outer = scopes;
    const loop = new Map([[node.variable, first]]);
    if (node.variable2 !== undefined) loop.set(node.variable2, second);
    const gathered = new Map([[node.accumulator, accumulator]]);
    scopes = [...outer, gathered, loop];
    for (const [part, expected] of [
      [node.condition, BOOL],
      [node.step, accumulator],
    ] as const) {
      const found = visit(part);
      if (!tryAssign(expected, found)) mismatch(part.at, expected, found);
    }
    scopes = [...outer, gathered];
    const result = visit(node.result);
    scopes = outer;
    return substitute(bindings, result);
  };
  const loopTypes = (node: FoldExpr, range: CelType): readonly [CelType, CelType] => {
    const [first = DYN, second = DYN] = range.params;
    if (range.kind === "list") return node.variable2 === undefined ? [first, DYN] : [INT, first];
    if (range.kind === "map") return [first, second];
    if (range.kind === "dyn" || range.kind === "error" || range.kind === "param") {
      tryAssign(DYN, range);
      return [DYN, DYN];
    }
    const message = `expression of type '${typeText(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
    report(node.range.at, message);
    return [ERROR, ERROR];
  };

  const type = substitute(bindings, visit(expr), true);
  for (const [node, found] of types) types.set(node, substitute(bindings, found, true));
  return { type, types, namedTypes, functions, usesOldSelf, issues };
}

function literalType(value: unknown): CelType {
  if (value === null) return NULL;
  if (typeof value === "boolean") return BOOL;
  if (typeof value === "bigint") return INT;
  if (typeof value === "number") return DOUBLE;
  if (typeof value === "string") return STRING;
  return value instanceof Uint8Array ? BYTES : UINT;
}

/** `a.b.c` as text when a node is a row of plain names. */
export function qualifiedName(node: Expr): string | undefined {
  if (node.kind === "ident") return node.name.replace(/^\./, "");
  if (node.kind !== "select" || node.mode !== "plain") return undefined;
  const prefix = qualifiedName(node.operand);
  return prefix === undefined ? undefined : `${prefix}.${node.field}`;
}
