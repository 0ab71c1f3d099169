// SPDX-License-Identifier: Apache-2.0
import type { Expr } from "./ast.ts";
import { CompileError } from "./issues.ts";
import { type Token, tokenize } from "./lexer.ts";
import { expandMacro, type WrittenCall } from "./macros.ts";

/** Deeper expressions are refused, as the server does. */
const MAX_DEPTH = 250;

const RESERVED = new Set(
  (
    "as break const continue else false for function if import in let loop package namespace null return true " +
    "var void while"
  ).split(" "),
);

const EXPECTED =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

const RELATIONS: Readonly<Record<string, string>> = {
  "<": "_<_",
  "<=": "_<=_",
  ">=": "_>=_",
  ">": "_>_",
  "==": "_==_",
  "!=": "_!=_",
  in: "@in",
};
const SUMS: Readonly<Record<string, string>> = { "+": "_+_", "-": "_-_" };
const PRODUCTS: Readonly<Record<string, string>> = { "*": "_*_", "/": "_/_", "%": "_%_" };

/** Reads a CEL expression, macros expanded. Throws a CompileError that says where it is wrong. */
export function parse(source: string): Expr {
  const { tokens, issues } = tokenize(source);
  let position = 0;
  let depth = 0;

  const peek = (ahead = 0): Token => tokens[Math.min(position + ahead, tokens.length - 1)] ?? END;
  const fail = (at: number, message: string): CompileError => new CompileError(source, [...issues, { at, message }]);
  const next = (): Token => {
    const token = peek();
    position++;
    return token;
  };
  const take = (kind: string): Token | undefined => (peek().kind === kind ? next() : undefined);
  const expect = (kind: string): Token => {
    const token = take(kind);
    if (token !== undefined) return token;
    const { at, text } = peek();
    if (text === "<EOF>") throw fail(at, `Syntax error: missing ${quoteKind(kind)} at '<EOF>'`);
    throw fail(at, `Syntax error: mismatched input '${text}' expecting ${quoteKind(kind)}`);
  };
  const callOrMacro = (call: WrittenCall): Expr => {
    const expanded = expandMacro(call);
    if (expanded === undefined) return { kind: "call", ...call };
    if ("refusedAt" in expanded) throw fail(expanded.refusedAt, expanded.message);
    return expanded;
  };

  const parseExpr = (): Expr => {
    if (++depth > MAX_DEPTH) throw fail(peek().at, `expression recursion limit exceeded: ${MAX_DEPTH}`);
    const condition = parseLogical("||", "_||_", () => parseLogical("&&", "_&&_", parseRelation));
    const question = take("?");
    let expr = condition;
    if (question !== undefined) {
      const whenTrue = parseLogical("||", "_||_", () => parseLogical("&&", "_&&_", parseRelation));
      expect(":");
      const args = [condition, whenTrue, parseExpr()];
      expr = { kind: "call", name: "_?_:_", target: undefined, args, at: question.at };
    }
    depth--;
    return expr;
  };
  // All terms of a row go into one call: the result is the same, and long rows need no deep recursion.
  const parseLogical = (operator: string, name: string, parseTerm: () => Expr): Expr => {
    const first = parseTerm();
    const args = [first];
    let at = -1;
    for (let token = take(operator); token !== undefined; token = take(operator)) {
      if (at < 0) at = token.at;
      args.push(parseTerm());
    }
    return args.length === 1 ? first : { kind: "call", name, target: undefined, args, at };
  };
  const parseBinary = (operators: Readonly<Record<string, string>>, parseOperand: () => Expr): Expr => {
    let left = parseOperand();
    for (let steps = 0; ; steps++) {
      const name = operators[peek().kind];
      if (name === undefined) return left;
      if (steps > MAX_DEPTH) throw fail(peek().at, `expression recursion limit exceeded: ${MAX_DEPTH}`);
      const { at } = next();
      left = { kind: "call", name, target: undefined, args: [left, parseOperand()], at };
    }
  };
  const parseRelation = (): Expr =>
    parseBinary(RELATIONS, () => parseBinary(SUMS, () => parseBinary(PRODUCTS, parseUnary)));
  const parseUnary = (): Expr => {
    const { kind, at } = peek();
    if (kind !== "!" && kind !== "-") return parseMember();
    let count = 0;
    // A minus directly before a number belongs to it: the smallest integer has no positive counterpart.
    const isSigned = () => kind === "-" && /^NUM_(INT|FLOAT)$/.test(peek(1).kind);
    while (peek().kind === kind && !isSigned()) {
      next();
      count++;
    }
    const operand = parseMember();
    if (count % 2 === 0) return operand;
    return { kind: "call", name: kind === "!" ? "!_" : "-_", target: undefined, args: [operand], at };
  };
  const parseMember = (): Expr => {
    let expr = parsePrimary();
    for (let steps = 0; ; steps++) {
      if (steps > MAX_DEPTH) throw fail(peek().at, `expression recursion limit exceeded: ${MAX_DEPTH}`);
      const { kind, at } = peek();
      if (kind === ".") {
        next();
        expr = parseSelection(expr, at);
      } else if (kind === "[") {
        next();
        const name = take("?") === undefined ? "_[_]" : "_[?_]";
        const index = parseExpr();
        expect("]");
        expr = { kind: "call", name, target: undefined, args: [expr, index], at };
      } else return expr;
    }
  };
  const parseSelection = (operand: Expr, at: number): Expr => {
    const isOptional = take("?") !== undefined;
    if (peek().kind === "ESC_IDENTIFIER") throw fail(peek().at, `unsupported syntax: '${"`"}'`);
    if (peek().kind !== "IDENTIFIER" && peek().kind !== "<EOF>")
      throw fail(peek().at, `Syntax error: no viable alternative at input '.${peek().text}'`);
    const field = expect("IDENTIFIER").text;
    const open = isOptional ? undefined : take("(");
    if (open === undefined) return { kind: "select", operand, field, mode: isOptional ? "optional" : "plain", at };
    return callOrMacro({ name: field, target: operand, args: parseArguments(), at: open.at });
  };
  const parseArguments = (): Expr[] => {
    const args: Expr[] = [];
    if (take(")") !== undefined) return args;
    do args.push(parseExpr());
    while (take(",") !== undefined);
    expect(")");
    return args;
  };
  const parsePrimary = (): Expr => {
    const token = next();
    const { kind, at } = token;
    if (kind === "(") {
      const inner = parseExpr();
      expect(")");
      return inner;
    }
    if (kind === "[") return parseList(at);
    if (kind === "{") return parseMap(at);
    if (kind === "-") return parseNegative(next(), at);
    if (kind === "true" || kind === "false") return { kind: "literal", value: kind === "true", at };
    if (kind === "null") return { kind: "literal", value: null, at };
    if (token.value !== undefined) return parseNumberOrText(token);
    if (kind === "." || kind === "IDENTIFIER") return parseName(token);
    throw fail(at, `Syntax error: mismatched input '${token.text}' expecting ${EXPECTED}`);
  };
  const parseNumberOrText = ({ value, at }: Token): Expr => {
    if (typeof value === "bigint" && value >= 2n ** 63n) throw fail(at, "invalid int literal");
    return { kind: "literal", value: value ?? null, at };
  };
  const parseNegative = ({ value }: Token, at: number): Expr => {
    if (typeof value === "number") return { kind: "literal", value: -value, at };
    if (typeof value !== "bigint" || value > 2n ** 63n) throw fail(at, "invalid int literal");
    return { kind: "literal", value: -value, at };
  };
  const parseName = (start: Token): Expr => {
    const token = start.kind === "." ? expect("IDENTIFIER") : start;
    const name = start.kind === "." ? `.${token.text}` : token.text;
    if (RESERVED.has(token.text)) throw fail(start.at, `reserved identifier: ${token.text}`);
    const open = take("(");
    if (open !== undefined) return callOrMacro({ name, target: undefined, args: parseArguments(), at: open.at });
    return parseStruct(name) ?? { kind: "ident", name, at: token.at };
  };
  const parseStruct = (first: string): Expr | undefined => {
    let ahead = 0;
    let name = first;
    while (peek(ahead).kind === "." && peek(ahead + 1).kind === "IDENTIFIER") {
      name += `.${peek(ahead + 1).text}`;
      ahead += 2;
    }
    if (peek(ahead).kind !== "{") return undefined;
    const { at } = peek(ahead);
    position += ahead + 1;
    while (take("}") === undefined) {
      take("?");
      expect("IDENTIFIER");
      expect(":");
      parseExpr();
      if (take(",") === undefined && peek().kind !== "}") expect("}");
    }
    return { kind: "struct", name, at };
  };
  const parseList = (at: number): Expr => {
    const items: { value: Expr; isOptional: boolean }[] = [];
    while (take("]") === undefined) {
      const isOptional = take("?") !== undefined;
      items.push({ value: parseExpr(), isOptional });
      if (take(",") === undefined && peek().kind !== "]") expect("]");
    }
    return { kind: "list", items, at };
  };
  const parseMap = (at: number): Expr => {
    const entries: { key: Expr; value: Expr; isOptional: boolean }[] = [];
    while (take("}") === undefined) {
      const isOptional = take("?") !== undefined;
      const key = parseExpr();
      expect(":");
      entries.push({ key, value: parseExpr(), isOptional });
      if (take(",") === undefined && peek().kind !== "}") expect("}");
    }
    return { kind: "map", entries, at };
  };

  const expr = parseExpr();
  const rest = peek();
  if (rest.kind !== "<EOF>") throw fail(rest.at, `Syntax error: extraneous input '${rest.text}' expecting <EOF>`);
  if (issues.length > 0) throw new CompileError(source, issues);
  return expr;
}

const END: Token = { kind: "<EOF>", text: "<EOF>", at: 0 };

function quoteKind(kind: string): string {
  return /^[A-Z]/.test(kind) ? kind : `'${kind}'`;
}
