// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { structuralProblems } from "../structural/index.ts";
import { costTables, listWithRule } from "../testing/cases-costs.ts";
import type { Schema } from "../types.ts";
import { schemaBounds } from "./estimate-bounds.ts";
import { compileExpression } from "./program.ts";
import { schemaType } from "./schema-type.ts";

/** What a server says of costs it says as something forbidden. */
function costsIn(schema: Schema): string[] {
  return structuralProblems(schema)
    .filter(({ reason }) => reason === "FieldValueForbidden")
    .map(({ message }) => message);
}

for (const { schema, cases } of costTables)
  test(`rules on ${JSON.stringify(schema).slice(0, 100)} are too much for one value more than a server takes`, () => {
    for (const [rule, most] of cases) {
      assert.deepEqual(costsIn(listWithRule(schema, { rule }, most)), [], rule);
      assert.match(costsIn(listWithRule(schema, { rule }, most + 1))[0] ?? "", /^Forbidden: estimated rule cost/, rule);
    }
  });

function costOf(expression: string, schema: Schema): bigint {
  const type = schemaType(schema, "selfType", false);
  const bounds = schemaBounds(schema, false);
  assert.ok(type !== undefined && bounds !== undefined);
  return compileExpression(expression, new Map([["self", type]])).estimate(bounds);
}

test("what no limit holds costs as much as can be, and no more", () => {
  const schema: Schema = { type: "array", items: { type: "array", items: { type: "string" } } };
  const loops = "self.all(a, a.all(b, self.all(c, c.all(d, self.exists(e, e.exists(f, f == d + b))))))";
  assert.equal(costOf(loops, schema), 2n ** 64n - 1n);
});

test("a limit of nothing makes a loop cost nothing but its beginning", () => {
  const schema: Schema = { type: "array", maxItems: 0, items: { type: "string" } };
  assert.equal(costOf("self.all(x, x == 'a')", schema), 2n);
});

test("a long expression costs what its parts cost", () => {
  const wide = Array.from({ length: 500 }, () => "self == 'a'").join(" && ");
  assert.equal(costOf(wide, { type: "string", maxLength: 5 }), 1000n);
});
