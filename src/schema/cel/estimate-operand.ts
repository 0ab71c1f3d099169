// SPDX-License-Identifier: Apache-2.0
import type { Expr } from "./ast.ts";
import type { Overload } from "./declare.ts";
import { extendCopy, type FieldPath } from "./estimate-path.ts";
import { plus, type Size, scale, times, UNKNOWN_SIZE } from "./estimate-size.ts";
import type { CelType, TypeKind } from "./types.ts";

/** A part of a call, with what is known of it. */
export interface Operand {
  readonly type: CelType;
  readonly path: FieldPath | undefined;
  /** The size where the expression tells it. */
  readonly size: Size | undefined;
  readonly expr: Expr | undefined;
}

/** A call as one signature of its function takes it. */
export interface EstimatedCall {
  readonly overload: Overload;
  readonly target: Operand | undefined;
  readonly args: readonly Operand[];
  /** The size that the schema gives to what stands at a path. */
  readonly sizeAt: (path: FieldPath | undefined) => Size | undefined;
}

/** What a call can cost at most, without its arguments, and how large its result can be where that is known. */
export interface CallEstimate {
  readonly cost: bigint;
  readonly size?: Size;
}

/** How a function is estimated; undefined for signatures that cost no more than any call. */
export type Estimate = (call: EstimatedCall) => CallEstimate | undefined;

/** Costs of texts. */
export const PER_CHARACTER = 0.1;
export const PER_PATTERN_CHARACTER = 0.25;

/** The size that the expression tells of a part. */
export const known = (operand: Operand | undefined): Size => operand?.size ?? UNKNOWN_SIZE;

/** The size that the expression or the schema tells of a part. */
export const sizeOf = (operand: Operand | undefined, { sizeAt }: EstimatedCall): Size =>
  operand?.size ?? sizeAt(operand?.path) ?? UNKNOWN_SIZE;

/** Going through a text, once or more often. */
export const traversal = ({ max }: Size, passes = 1): bigint => scale(max, passes * PER_CHARACTER);

/** The kind of a parameter; the receiver is the first. */
export const kindOf = ({ overload }: EstimatedCall, position: number): TypeKind | undefined =>
  overload.params[position]?.kind;

export const isText = (type: CelType | undefined): boolean => type?.kind === "string" || type?.kind === "bytes";

/** Trying a pattern on a text, even an empty one. */
export const patternCost = (text: Size, pattern: Size): bigint =>
  times(scale(plus(text.max, 1n), PER_CHARACTER), scale(pattern.max, PER_PATTERN_CHARACTER));

/** The items of a list; undefined for what has none, such as a text. */
export function itemOf(list: Operand | undefined): Operand | undefined {
  const [type] = list?.type.params ?? [];
  if (type === undefined) return undefined;
  const path = list?.path === undefined ? undefined : extendCopy(list.path, "@items");
  return { type, path, size: undefined, expr: undefined };
}
