// SPDX-License-Identifier: Apache-2.0
import type { CelType } from "./types.ts";
import { CelError, type CelValue, isCelList, isCelMap, typeName } from "./values.ts";

/** One signature of a function. */
export interface Overload {
  /** Called as `first.name(rest)`; the receiver is the first parameter. */
  readonly isMember: boolean;
  readonly params: readonly CelType[];
  readonly result: CelType;
  /** Undefined where the function is one implementation for all its signatures, or the evaluator does it itself. */
  readonly call?: Implementation | undefined;
}

export type Implementation = (...args: CelValue[]) => CelValue;

/** A function with all its signatures. */
export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /**
   * One implementation for all signatures, for first arguments that `accepts`: CEL then decides at run time, which
   * shows in the words of its errors.
   */
  readonly whole?: { readonly accepts: (first: CelValue) => boolean; readonly call: Implementation } | undefined;
  /** Arguments are not checked before the call. */
  readonly isUnguarded?: boolean | undefined;
}

/** Declares a function: `declare("size", [method([STRING], INT, call)])`. */
export function declare(
  name: string,
  overloads: readonly Overload[],
  rest: Pick<FunctionDeclaration, "whole" | "isUnguarded"> = {},
): FunctionDeclaration {
  return { name, overloads, ...rest };
}

/** A signature called as `name(args)`. */
export function global(params: readonly CelType[], result: CelType, call?: Implementation): Overload {
  return { isMember: false, params, result, call };
}

/** A signature called as `receiver.name(args)`. */
export function method(params: readonly CelType[], result: CelType, call?: Implementation): Overload {
  return { isMember: true, params, result, call };
}

/** Whether a value may be given for a parameter, as far as CEL looks at run time: at the first items of lists and maps. */
export function matchesType(value: CelValue, type: CelType): boolean {
  if (type.kind === "param" || type.kind === "dyn") return true;
  if (typeName(value) !== type.name) return false;
  const [first, second] = type.params;
  if (isCelList(value)) return value.size === 0 || first === undefined || matchesType(value.at(0), first);
  if (!isCelMap(value) || value.size === 0 || first === undefined || second === undefined) return true;
  const [key] = value.keys();
  if (key === undefined) return true;
  const item = value.find(key);
  return matchesType(key, first) && (item === undefined || matchesType(item, second));
}

/** The error for arguments that no signature takes. */
export function noOverload(name: string, args: readonly CelValue[]): CelError {
  return new CelError(`no such overload: ${name}(${args.map(typeName).join(", ")})`);
}

/** Runs a function with the arguments it turned out to have. */
export function callFunction(declaration: FunctionDeclaration, args: CelValue[], isMember: boolean): CelValue {
  const { name, whole, overloads, isUnguarded = false } = declaration;
  const [first = null] = args;
  if (whole !== undefined) {
    if (!whole.accepts(first)) throw new CelError(`no such overload: ${name}`);
    return whole.call(...args);
  }
  for (const overload of overloads) {
    if (overload.call === undefined || overload.isMember !== isMember || overload.params.length !== args.length)
      continue;
    if (isUnguarded || overload.params.every((type, at) => matchesType(args[at] ?? null, type)))
      return overload.call(...args);
  }
  throw noOverload(name, args);
}
