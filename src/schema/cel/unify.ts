// SPDX-License-Identifier: Apache-2.0
import { type CelType, DYN, isSameType } from "./types.ts";

/** What the free type variables of an expression stand for, as far as known. Never changed, only replaced. */
export type Bindings = ReadonlyMap<string, CelType>;

type MutableBindings = Map<string, CelType>;

const isDyn = (type: CelType): boolean => type.kind === "dyn";
const isDynOrError = (type: CelType): boolean => type.kind === "dyn" || type.kind === "error";

/** The bindings under which `from` can be used as `to`; undefined when it cannot. */
export function assign(bindings: Bindings, from: CelType, to: CelType): Bindings | undefined {
  const copy = new Map(bindings);
  return isAssignable(copy, from, to) ? copy : undefined;
}

/** The same for a row of arguments. */
export function assignAll(bindings: Bindings, from: readonly CelType[], to: readonly CelType[]): Bindings | undefined {
  const copy = new Map(bindings);
  return areAssignable(copy, from, to) ? copy : undefined;
}

function areAssignable(bindings: MutableBindings, from: readonly CelType[], to: readonly CelType[]): boolean {
  if (from.length !== to.length) return false;
  return from.every((type, at) => {
    const target = to[at];
    return target !== undefined && isAssignable(bindings, type, target);
  });
}

function isAssignable(bindings: MutableBindings, from: CelType, to: CelType): boolean {
  if (to.kind === "param") {
    const { isValid, isBound } = tryBind(bindings, from, to);
    if (isValid) return true;
    if (isBound) return false;
  }
  if (from.kind === "param") return tryBind(bindings, to, from).isValid;
  if (isDynOrError(from) || isDynOrError(to)) return true;
  if (from.kind === "null") return isNullable(to);
  if (to.kind === "null") return isNullable(from);
  switch (from.kind) {
    case "type":
      return to.kind === "type";
    case "opaque":
    case "list":
    case "map":
      return from.kind === to.kind && from.name === to.name && areAssignable(bindings, from.params, to.params);
    default:
      return from.kind === to.kind && from.name === to.name;
  }
}

function isNullable(type: CelType): boolean {
  return ["null", "opaque", "struct", "duration", "timestamp"].includes(type.kind);
}

function tryBind(bindings: MutableBindings, type: CelType, variable: CelType): { isValid: boolean; isBound: boolean } {
  if (isSameType(type, variable)) return { isValid: true, isBound: true };
  const bound = bindings.get(variable.name);
  if (bound === undefined) {
    const isValid = !occurs(bindings, variable, type);
    if (isValid) bindings.set(variable.name, type);
    return { isValid, isBound: false };
  }
  if (isSameType(type, bound)) return { isValid: true, isBound: true };
  if (!isAssignable(bindings, type, bound)) return { isValid: false, isBound: true };
  const general = moreGeneral(type, bound);
  if (!occurs(bindings, variable, general)) bindings.set(variable.name, general);
  return { isValid: true, isBound: true };
}

function occurs(bindings: Bindings, variable: CelType, within: CelType): boolean {
  if (isSameType(variable, within)) return true;
  if (within.kind === "param") {
    const bound = bindings.get(within.name);
    return bound !== undefined && occurs(bindings, variable, bound);
  }
  return within.params.some((type) => occurs(bindings, variable, type));
}

/** The less specific of two types that fit each other. */
export function moreGeneral(left: CelType, right: CelType): CelType {
  return isEqualOrLessSpecific(left, right) ? left : right;
}

function isEqualOrLessSpecific(left: CelType, right: CelType): boolean {
  if (isDyn(left) || left.kind === "param") return true;
  if (isDyn(right) || right.kind === "param" || left.kind !== right.kind) return false;
  if (left.kind === "type") return true;
  if (left.kind !== "opaque" && left.kind !== "list" && left.kind !== "map") return isSameType(left, right);
  if (left.name !== right.name || left.params.length !== right.params.length) return false;
  return left.params.every((type, at) => isEqualOrLessSpecific(type, right.params[at] ?? DYN));
}

/** The type with its variables replaced; with `toDyn` the unknown ones become dyn. */
export function substitute(bindings: Bindings, type: CelType, toDyn = false): CelType {
  if (type.kind === "param") {
    const bound = bindings.get(type.name);
    if (bound !== undefined) return substitute(bindings, bound, toDyn);
    return toDyn ? DYN : type;
  }
  if (type.params.length === 0) return type;
  return { ...type, params: type.params.map((part) => substitute(bindings, part, toDyn)) };
}
