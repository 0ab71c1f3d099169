// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CostLimitError } from "./frame.ts";
import { CompileError } from "./issues.ts";
import { compileExpression } from "./program.ts";
import { BOOL, DYN, INT, listOf, STRING } from "./types.ts";
import { CelError, type CelValue, listValue } from "./values.ts";

const variables = new Map([
  ["n", INT],
  ["l", listOf(STRING)],
  ["d", DYN],
  ["b", BOOL],
]);

function run(source: string, values: { readonly [name: string]: CelValue } = {}): CelValue {
  return compileExpression(source, variables).program.run(new Map(Object.entries(values))).value;
}

test("integers have 64 bits and do not wrap around", () => {
  assert.equal(run("9223372036854775807 - 1"), 9223372036854775806n);
  assert.equal(run("-9223372036854775808"), -(2n ** 63n));
  assert.throws(() => run("n + 1", { n: 2n ** 63n - 1n }), { message: "integer overflow" });
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 40n), max: 2n ** 40n }), (n) => {
      assert.equal(run("n * 2 - n", { n }), n);
    }),
  );
});

test("a deciding side of && and || absorbs the other side's error", () => {
  assert.equal(run("1 / 0 == 1 || true"), true);
  assert.equal(run("false && 1 / 0 == 1"), false);
  assert.throws(() => run("1 / 0 == 1 || false"), { message: "division by zero" });
  assert.equal(run("[1, 0].exists(x, 1 / x == 1)"), true);
  assert.throws(() => run("[0, 2].exists(x, 1 / x == 1)"), CelError);
});

test("the words and the place of what does not compile are the server's", () => {
  assert.throws(() => compileExpression("n == 'a'", variables), {
    message:
      "ERROR: <input>:1:3: found no matching overload for '_==_' applied to '(int, string)'\n | n == 'a'\n | ..^",
  });
  assert.throws(() => compileExpression("n >\n  x", variables), {
    message: "ERROR: <input>:2:3: undeclared reference to 'x' (in container '')\n |   x\n | ..^",
  });
});

test("any text compiles or is refused, and nothing else happens", () => {
  const pieces = fc.constantFrom(
    "n",
    "l",
    "d",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ".",
    "?",
    ":",
    "+",
    "&&",
    "'a'",
    "1",
    "all",
    ",",
    "x",
    "!",
    "-",
    " ",
    "'",
    "\\",
    "é",
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      try {
        compileExpression(parts.join(""), variables);
      } catch (error) {
        assert.ok(error instanceof CompileError, String(error));
      }
    }),
    { numRuns: 500 },
  );
});

test("an expression that costs too much is stopped", () => {
  const l = listValue(Array.from({ length: 2000 }, (_, at) => `item ${at}`));
  assert.throws(() => run("l.all(x, l.all(y, x != y || l.size() > 0))", { l }), CostLimitError);
});

test("a text that grows beyond all bounds is an error of the expression", () => {
  assert.throws(() => run("d + d == d", { d: "x".repeat(300_000_000) }), { message: "value is too large" });
});

test("a list that is gathered does not change the list it began with", () => {
  assert.equal(run("[l + ['x'], l + ['y']].map(m, m[0]) == ['x', 'y']", { l: listValue([]) }), true);
  assert.equal(run("[1].map(x, [x] + [2] + [3]) == [[1, 2, 3]]"), true);
});

test("deep nesting is refused instead of overflowing the stack", () => {
  assert.throws(() => compileExpression(`${"(".repeat(5000)}n${")".repeat(5000)}`, variables), CompileError);
  assert.throws(() => compileExpression(`n${".a".repeat(5000)}`, variables), CompileError);
  assert.equal(run(`${Array.from({ length: 5000 }, () => "b").join(" && ")}`, { b: true }), true);
});

test("chains of optMap and optFlatMap double the cost with each link, and not the time to compile", () => {
  const chain = (links: number) =>
    `optional.of(n)${".optMap(v, v + 1)".repeat(links)}.optFlatMap(v, optional.of(v)).value()`;
  assert.equal(run(chain(5), { n: 1n }), 6n);
  const { estimate } = compileExpression(chain(100), variables);
  assert.ok(estimate({ maxElements: 1n, minBytes: 1 }) > 2n ** 60n);
  assert.throws(() => compileExpression(chain(100).replace("of(n)", "of(missing)"), variables), CompileError);
  assert.throws(() => compileExpression(chain(100).replace("of(n)", "of(duration('x'))"), variables), CompileError);
});
