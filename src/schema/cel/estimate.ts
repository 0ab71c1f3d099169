// SPDX-License-Identifier: Apache-2.0
import { codePointCount } from "../go-text.ts";
import type { CallExpr, Expr, FoldExpr, Literal, SelectExpr } from "./ast.ts";
import type { Checked } from "./check.ts";
import { LIST_COST, MAP_COST } from "./cost.ts";
import { type Bounds, sizeAt } from "./estimate-bounds.ts";
import { estimateCall } from "./estimate-calls.ts";
import { type EntrySize, eitherEntry, rangeOf } from "./estimate-entry.ts";
import type { CallEstimate, EstimatedCall, Operand } from "./estimate-operand.ts";
import { extendPath, type FieldPath, pathTo } from "./estimate-path.ts";
import { eitherSize, exactly, plus, type Size, times, UNKNOWN_SIZE } from "./estimate-size.ts";
import { type CelType, DYN, isOptional } from "./types.ts";

/** A variable of a loop or of a bound name. */
interface Local {
  readonly path: FieldPath | undefined;
  readonly size: Size | undefined;
  readonly entry: EntrySize | undefined;
}

interface CallDetails {
  readonly name: string;
  readonly argCosts: readonly bigint[];
}

/**
 * What an expression can cost at most, for values with these bounds, as a server estimates it before it accepts a rule.
 * The server's odd habits are kept: what has no path of its own has the size of the whole value.
 */
export function estimateCost(expr: Expr, checked: Checked, bounds: Bounds): bigint {
  const paths = new Map<Expr, FieldPath | undefined>();
  const costs = new Map<Expr, bigint>();
  const sizes = new Map<Expr, Size>();
  const entries = new Map<Expr, EntrySize>();
  const scopes = new Map<string, Local[]>();

  const typeOf = (node: Expr): CelType => checked.types.get(node) ?? DYN;
  /** The name of a variable or of a type, which may have dots. */
  const nameOf = (node: Expr): string | undefined =>
    checked.namedTypes.get(node) ?? (node.kind === "ident" ? node.name.replace(/^\./, "") : undefined);
  const localOf = (node: Expr): Local | undefined => scopes.get(nameOf(node) ?? "")?.at(-1);
  const pathOf = (node: Expr): FieldPath | undefined => {
    const local = localOf(node);
    return local === undefined ? paths.get(node) : local.path;
  };
  const entryOf = (node: Expr): EntrySize | undefined => entries.get(node) ?? localOf(node)?.entry;
  const setEntry = (node: Expr, entry: EntrySize | undefined): void => {
    if (entry !== undefined) entries.set(node, entry);
  };
  const setSize = (node: Expr, size: Size | undefined): void => {
    if (size !== undefined) sizes.set(node, size);
  };
  const declaredSize = (path: FieldPath | undefined): Size | undefined => sizeAt(bounds, path);
  const sizeOf = (node: Expr): Size | undefined => {
    const found = sizes.get(node) ?? writtenSize(node);
    if (found !== undefined) return found;
    const declared = declaredSize(pathOf(node));
    setSize(node, declared);
    return declared ?? (isScalar(typeOf(node)) ? exactly(1n) : localOf(node)?.size);
  };
  const sizeOrUnknown = (node: Expr): Size => sizeOf(node) ?? UNKNOWN_SIZE;

  const copySizes = (node: Expr, from: Expr): void => {
    setSize(node, sizeOf(from));
    setEntry(node, entryOf(from));
  };

  const push = (name: string, local: Local): void => {
    scopes.set(name, [...(scopes.get(name) ?? []), local]);
  };
  const pop = (name: string): void => {
    scopes.set(name, scopes.get(name)?.slice(0, -1) ?? []);
  };
  const pushBound = (name: string, value: Expr): void =>
    push(name, { path: pathOf(value), size: sizeOf(value), entry: entryOf(value) });
  const pushLoop = (name: string, range: Expr, part: "key" | "value" | "single"): void => {
    const entry = entryOf(range);
    const isList = (entry?.container ?? typeOf(range).kind) === "list";
    const isKey = part === "key" || (part === "single" && !isList);
    const steps = isKey ? ["@indices", "@keys"] : ["@items", "@values"];
    const path = extendPath(pathOf(range), steps[isList ? 0 : 1] ?? "");
    push(name, { path, size: isKey ? entry?.key : entry?.value, entry: undefined });
  };

  /** Calls that a macro has put into two places cost twice, and are looked at once. */
  const visit = (node: Expr): bigint => {
    const known = costs.get(node);
    if (known !== undefined) return known;
    const cost = visitKind(node);
    if (node.kind === "call") costs.set(node, cost);
    return cost;
  };
  const visitKind = (node: Expr): bigint => {
    const name = nameOf(node);
    if (name !== undefined) {
      const local = localOf(node);
      paths.set(node, local === undefined ? pathTo(name) : local.path);
      return 1n;
    }
    switch (node.kind) {
      case "select":
        return visitSelect(node);
      case "call":
        return visitCall(node);
      case "fold":
        return isBinding(node) ? visitBinding(node) : visitFold(node);
      case "list": {
        const items = node.items.map(({ value }) => visitSized(value));
        setEntry(node, { container: "list", key: exactly(1n), value: rangeOf(items.map(({ size }) => size)) });
        return plus(total(items.map(({ cost }) => cost)), BigInt(LIST_COST));
      }
      case "map": {
        const keys = node.entries.map(({ key }) => visitSized(key));
        const values = node.entries.map(({ value }) => visitSized(value));
        const [key, value] = [keys, values].map((parts) => rangeOf(parts.map(({ size }) => size)));
        if (key !== undefined && value !== undefined) setEntry(node, { container: "map", key, value });
        return plus(total([...keys, ...values].map(({ cost }) => cost)), BigInt(MAP_COST));
      }
      default:
        return 0n;
    }
  };

  const visitSized = (node: Expr) => ({ cost: visit(node), size: sizeOrUnknown(node) });

  const visitSelect = (node: SelectExpr): bigint => {
    const cost = visit(node.operand);
    // Asking whether a field is there costs nothing; `.?` is a call.
    if (node.mode === "test") return cost;
    if (node.mode === "optional") return plus(cost, 1n);
    const { kind } = typeOf(node.operand);
    paths.set(node, extendPath(pathOf(node.operand), node.field));
    return kind === "map" || kind === "struct" ? plus(cost, 1n) : cost;
  };

  const operandOf = (node: Expr): Operand => {
    return { type: typeOf(node), path: pathOf(node), size: sizeOf(node), expr: node };
  };
  const visitCall = (node: CallExpr): bigint => {
    const called = checked.functions.get(node);
    if (called === undefined) return 0n;
    const { declaration, isMember, overloads } = called;
    const { name } = declaration;
    const argCosts: bigint[] = [];
    const args = node.args.map((argument) => {
      argCosts.push(visit(argument));
      return operandOf(argument);
    });
    const [first] = node.args;
    if (name === "dyn" && first !== undefined) {
      copySizes(node, first);
      return plus(total(argCosts), 1n);
    }
    const receiver = isMember ? node.target : undefined;
    const targetCost = receiver === undefined ? 0n : visit(receiver);
    const target = receiver === undefined ? undefined : operandOf(receiver);
    const calls = overloads.map((overload) => ({ overload, target, args, sizeAt: declaredSize }));
    const { cost, size } = widest(node, calls, { name, argCosts });
    setSize(node, size);
    return plus(targetCost, cost);
  };
  /** With arguments of unknown type several signatures may be meant. */
  const widest = (node: CallExpr, calls: readonly EstimatedCall[], details: CallDetails) => {
    const [first] = node.args;
    let cost = 0n;
    let size: Size | undefined;
    for (const call of calls) {
      const estimate = callEstimate(node, call, details);
      if (estimate.cost > cost) cost = estimate.cost;
      if (estimate.size !== undefined) size = eitherSize(size ?? estimate.size, estimate.size);
      const step = details.name === "_[_]" ? ITEM_STEPS.get(call.overload.params[0]?.kind ?? "") : undefined;
      if (first !== undefined && step !== undefined) {
        size = entryOf(first)?.value;
        paths.set(node, extendPath(pathOf(first), step));
      }
      size ??= sizeOf(node);
    }
    return { cost, size };
  };
  /** What a call costs, its arguments included: not all of them are always looked at. */
  const callEstimate = (node: CallExpr, call: EstimatedCall, { name, argCosts }: CallDetails): CallEstimate => {
    if (name === "_&&_" || name === "_||_") return { cost: total(argCosts) };
    const [first, second, third] = node.args;
    if (name === "_?_:_" && second !== undefined && third !== undefined) {
      setEntry(node, eitherEntry(entryOf(second), entryOf(third)));
      const [condition = 0n, whenTrue = 0n, whenFalse = 0n] = argCosts;
      const size = eitherSize(call.args[1]?.size ?? UNKNOWN_SIZE, call.args[2]?.size ?? UNKNOWN_SIZE);
      return { cost: plus(condition, whenTrue > whenFalse ? whenTrue : whenFalse), size };
    }
    const estimate = estimateCall(name, call);
    if (name === "_+_" && estimate.size !== undefined && first !== undefined && second !== undefined)
      setEntry(node, eitherEntry(entryOf(first), entryOf(second)));
    return { ...estimate, cost: plus(estimate.cost, total(argCosts)) };
  };

  const visitFold = (node: FoldExpr): bigint => {
    const { range, init, accumulator, variable, variable2 } = node;
    const before = plus(visit(range), visit(init));
    pushBound(accumulator, init);
    pushLoop(variable, range, variable2 === undefined ? "single" : "key");
    if (variable2 !== undefined) pushLoop(variable2, range, "value");
    const round = plus(visit(node.condition), visit(node.step));
    pop(variable);
    if (variable2 !== undefined) pop(variable2);
    const after = visit(node.result);
    pop(accumulator);
    const count = sizeOrUnknown(range);
    if (init.kind === "literal") setSize(node, sizeOf(init));
    if (init.kind === "list" || init.kind === "map") {
      setSize(node, count);
      setEntry(node, entryOf(node.step));
    }
    return plus(plus(before, after), times(count.max, round));
  };
  const visitBinding = (node: FoldExpr): bigint => {
    const { range, init, accumulator, result } = node;
    const before = plus(visit(range), visit(init));
    pushBound(accumulator, init);
    const cost = plus(before, visit(result));
    pop(accumulator);
    copySizes(node, result);
    return cost;
  };

  return visit(expr);
}

function total(costs: readonly bigint[]): bigint {
  return costs.reduce(plus, 0n);
}

/** What is found with an index. */
const ITEM_STEPS: ReadonlyMap<string, string> = new Map([
  ["list", "@items"],
  ["map", "@values"],
]);

/** Whether a loop only gives a name to a value. */
function isBinding({ range, condition, accumulator }: FoldExpr): boolean {
  const isOverNothing = range.kind === "list" && range.items.length === 0;
  return isOverNothing && condition.kind === "literal" && condition.value === false && accumulator !== "__result__";
}

/** The size of what is written out in the expression. */
function writtenSize(node: Expr): Size | undefined {
  if (node.kind === "literal") return exactly(BigInt(literalSize(node.value)));
  if (node.kind === "list") return exactly(BigInt(node.items.length));
  return node.kind === "map" ? exactly(BigInt(node.entries.length)) : undefined;
}

function literalSize(value: Literal): number {
  if (typeof value === "string") return codePointCount(value);
  return value instanceof Uint8Array ? value.length : 1;
}

const SCALARS: readonly string[] = ["bool", "double", "duration", "int", "timestamp", "uint"];

function isScalar(type: CelType): boolean {
  const [held] = type.params;
  if (isOptional(type) && held !== undefined) return isScalar(held);
  return SCALARS.includes(type.kind);
}
