// SPDX-License-Identifier: Apache-2.0

/** A literal as CEL knows it: integers are bigints, unsigned ones are wrapped. */
export type Literal = null | boolean | bigint | number | string | Uint8Array | { readonly uint: bigint };

interface Node {
  /** Where in the source the node is reported: the operator, the dot, the opening parenthesis. */
  readonly at: number;
}

export interface LiteralExpr extends Node {
  readonly kind: "literal";
  readonly value: Literal;
}

export interface IdentExpr extends Node {
  readonly kind: "ident";
  readonly name: string;
}

/** `operand.field`, or the test of `has(operand.field)`, or `operand.?field`. */
export interface SelectExpr extends Node {
  readonly kind: "select";
  readonly operand: Expr;
  readonly field: string;
  readonly mode: "plain" | "test" | "optional";
}

/** A call of a function, a method or an operator; operators have names such as `_+_`. */
export interface CallExpr extends Node {
  readonly kind: "call";
  readonly name: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

export interface ListExpr extends Node {
  readonly kind: "list";
  readonly items: readonly { readonly value: Expr; readonly isOptional: boolean }[];
}

export interface MapExpr extends Node {
  readonly kind: "map";
  readonly entries: readonly { readonly key: Expr; readonly value: Expr; readonly isOptional: boolean }[];
}

/** `Name{field: value}`: no rule has a type to make, so only its name matters, for the message. */
export interface StructExpr extends Node {
  readonly kind: "struct";
  readonly name: string;
}

/** A loop over a list or map, which all macros such as `all` and `map` become. */
export interface FoldExpr extends Node {
  readonly kind: "fold";
  readonly range: Expr;
  readonly variable: string;
  readonly variable2: string | undefined;
  readonly accumulator: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

export type Expr = LiteralExpr | IdentExpr | SelectExpr | CallExpr | ListExpr | MapExpr | StructExpr | FoldExpr;
