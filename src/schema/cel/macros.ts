// SPDX-License-Identifier: Apache-2.0
import type { Expr, Literal } from "./ast.ts";

/** What a macro call becomes; an Issue-like refusal when its arguments do not fit; undefined when it is no macro. */
export type Expansion = Expr | { readonly refusedAt: number; readonly message: string } | undefined;

/** The variable that holds what a loop has gathered. Users cannot write its name. */
export const ACCUMULATOR = "@result";

/** A call as written, before it is known whether it is a macro. */
export interface WrittenCall {
  readonly name: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
  readonly at: number;
}

/** Expands the macros an API server knows: has, the loops over one and two variables, sortBy, optMap, optFlatMap. */
export function expandMacro(call: WrittenCall): Expansion {
  const [first, ...rest] = call.args;
  if (first === undefined) return undefined;
  if (call.target === undefined)
    return call.name === "has" && rest.length === 0 ? expandHas(first, call.at) : undefined;
  const single = ONE_VARIABLE.get(`${call.name}:${call.args.length}`);
  if (single !== undefined) return expandLoop(call, [first], { make: single, rest });
  const [second, ...others] = rest;
  const double = TWO_VARIABLES.get(`${call.name}:${call.args.length}`);
  if (double !== undefined && second !== undefined)
    return expandLoop(call, [first, second], { make: double, rest: others });
  if (call.args.length !== 2 || second === undefined) return undefined;
  if (call.name === "sortBy") return expandSortBy(call, first, second);
  if (call.name === "optMap" || call.name === "optFlatMap") return expandOptional(call, first, second);
  return undefined;
}

function expandHas(argument: Expr, at: number): Expansion {
  if (argument.kind === "select" && argument.mode === "plain") return { ...argument, mode: "test", at };
  return { refusedAt: argument.at, message: "invalid argument to has() macro" };
}

interface Loop {
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

interface Parts {
  readonly at: number;
  /** The arguments behind the variables. */
  readonly rest: readonly Expr[];
  /** The first variable, as an expression. */
  readonly variable: Expr;
}

type LoopMaker = (parts: Parts) => Loop;

const literal = (value: Literal, at: number): Expr => ({ kind: "literal", value, at });
const gathered = (at: number): Expr => ({ kind: "ident", name: ACCUMULATOR, at });
const call = (name: string, args: readonly Expr[], at: number): Expr => ({
  kind: "call",
  name,
  target: undefined,
  args,
  at,
});
const listOf = (value: Expr, at: number): Expr => ({ kind: "list", items: [{ value, isOptional: false }], at });

function makeAll({ at, rest: [predicate] }: Parts): Loop {
  const accumulator = gathered(at);
  return {
    init: literal(true, at),
    condition: call("@not_strictly_false", [accumulator], at),
    step: call("_&&_", [accumulator, predicate ?? accumulator], at),
    result: accumulator,
  };
}

function makeExists({ at, rest: [predicate] }: Parts): Loop {
  const accumulator = gathered(at);
  return {
    init: literal(false, at),
    condition: call("@not_strictly_false", [call("!_", [accumulator], at)], at),
    step: call("_||_", [accumulator, predicate ?? accumulator], at),
    result: accumulator,
  };
}

function makeExistsOne({ at, rest: [predicate] }: Parts): Loop {
  const accumulator = gathered(at);
  const more = call("_+_", [accumulator, literal(1n, at)], at);
  return {
    init: literal(0n, at),
    condition: literal(true, at),
    step: call("_?_:_", [predicate ?? accumulator, more, accumulator], at),
    result: call("_==_", [accumulator, literal(1n, at)], at),
  };
}

function makeList({ at, rest }: Parts): Loop {
  const accumulator = gathered(at);
  const more = call("_+_", [accumulator, listOf(rest.at(-1) ?? accumulator, at)], at);
  const [filter] = rest.length > 1 ? rest : [];
  return {
    init: { kind: "list", items: [], at },
    condition: literal(true, at),
    step: filter === undefined ? more : call("_?_:_", [filter, more, accumulator], at),
    result: accumulator,
  };
}

function makeFilter({ at, rest: [predicate], variable }: Parts): Loop {
  return makeList({ at, rest: predicate === undefined ? [] : [predicate, variable], variable });
}

const makeMap =
  (insertion: (variable: Expr, value: Expr) => readonly Expr[]): LoopMaker =>
  ({ at, rest, variable }) => {
    const accumulator = gathered(at);
    const more = call("cel.@mapInsert", [accumulator, ...insertion(variable, rest.at(-1) ?? accumulator)], at);
    const [filter] = rest.length > 1 ? rest : [];
    return {
      init: { kind: "map", entries: [], at },
      condition: literal(true, at),
      step: filter === undefined ? more : call("_?_:_", [filter, more, accumulator], at),
      result: accumulator,
    };
  };

const transformMap = makeMap((variable, value) => [variable, value]);
const transformMapEntry = makeMap((_, value) => [value]);

const ONE_VARIABLE: ReadonlyMap<string, LoopMaker> = new Map([
  ["all:2", makeAll],
  ["exists:2", makeExists],
  ["exists_one:2", makeExistsOne],
  ["map:2", makeList],
  ["map:3", makeList],
  ["filter:2", makeFilter],
]);

const TWO_VARIABLES: ReadonlyMap<string, LoopMaker> = new Map([
  ["all:3", makeAll],
  ["exists:3", makeExists],
  ["existsOne:3", makeExistsOne],
  ["exists_one:3", makeExistsOne],
  ["transformList:3", makeList],
  ["transformList:4", makeList],
  ["transformMap:3", transformMap],
  ["transformMap:4", transformMap],
  ["transformMapEntry:3", transformMapEntry],
  ["transformMapEntry:4", transformMapEntry],
]);

function expandLoop(
  { name, target, at }: WrittenCall,
  variables: readonly Expr[],
  { make, rest }: { make: LoopMaker; rest: readonly Expr[] },
): Expansion {
  const names: string[] = [];
  for (const variable of variables) {
    const isListMacro = variables.length === 1 && (name === "map" || name === "filter");
    const message = isListMacro ? "argument is not an identifier" : "argument must be a simple name";
    if (variable.kind !== "ident" || variable.name.startsWith(".")) return { refusedAt: variable.at, message };
    if (variable.name === "__result__")
      return { refusedAt: variable.at, message: "iteration variable overwrites accumulator variable" };
    if (names.includes(variable.name))
      return { refusedAt: variable.at, message: `duplicate variable name: ${variable.name}` };
    names.push(variable.name);
  }
  const [variable] = variables;
  if (target === undefined || variable === undefined) return undefined;
  return {
    kind: "fold",
    at,
    range: target,
    variable: names[0] ?? "",
    variable2: names[1],
    accumulator: ACCUMULATOR,
    ...make({ at, rest, variable }),
  };
}

/** Binds a value to a name: a loop over nothing that starts with the value. */
function bind(name: string, value: Expr, result: Expr): Expr {
  const { at } = value;
  return {
    kind: "fold",
    at,
    range: { kind: "list", items: [], at },
    variable: "#unused",
    variable2: undefined,
    accumulator: name,
    init: value,
    condition: literal(false, at),
    step: { kind: "ident", name, at },
    result,
  };
}

function expandSortBy(written: WrittenCall, variable: Expr, sortKey: Expr): Expansion {
  const { target, at } = written;
  if (target === undefined) return undefined;
  if (!["list", "select", "ident", "fold", "call"].includes(target.kind)) {
    const message = "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
    return { refusedAt: target.at, message };
  }
  const input: Expr = { kind: "ident", name: "@sortByInput", at };
  const keys = expandMacro({ name: "map", target: input, args: [variable, sortKey], at });
  if (keys === undefined || "refusedAt" in keys) return keys;
  const sorted: Expr = { kind: "call", name: "@sortByAssociatedKeys", target: input, args: [keys], at };
  return bind("@sortByInput", target, sorted);
}

function expandOptional({ name, target, at }: WrittenCall, variable: Expr, body: Expr): Expansion {
  if (target === undefined) return undefined;
  if (variable.kind !== "ident")
    return { refusedAt: variable.at, message: `${name}() variable name must be a simple identifier` };
  const method = (method: string): Expr => ({ kind: "call", name: method, target, args: [], at });
  const bound = bind(variable.name, method("value"), body);
  const some = name === "optMap" ? call("optional.of", [bound], at) : bound;
  return call("_?_:_", [method("hasValue"), some, call("optional.none", [], at)], at);
}
