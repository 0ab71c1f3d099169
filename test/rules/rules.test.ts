// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findKind } from "../../src/kinds.ts";
import { compileResource } from "../../src/schema/index.ts";
import { ruleTables } from "./index.ts";
import { isNoticed, judge, printed } from "./judge.ts";
import { mutants } from "./mutants.ts";

const count = ruleTables.reduce((sum, { cases }) => sum + cases.length, 0);

test("there are at least 150 ways of breaking a rule", () => {
  assert.ok(count >= 150, `only ${count}`);
});

for (const table of ruleTables) {
  const kind = findKind(table.kind);
  if (kind === undefined) throw new Error(`no kind ${table.kind}`);
  const resource = compileResource(kind.schema(), { scope: kind.scope });

  describe(table.kind, () => {
    test("the object that cases start from is valid", () => {
      const { problems, unknownFields } = resource.admit(table.base, { strict: true });
      assert.deepEqual({ problems, unknownFields }, { problems: [], unknownFields: [] });
    });

    for (const broken of table.cases) {
      test(`refused: ${broken.name}`, () => {
        const problems = judge(resource, table, broken);
        assert.ok(
          isNoticed(broken, problems),
          `expected ${broken.reason} ${broken.at}: ${broken.says}\ngot ${printed(problems).join("\n")}`,
        );
      });
    }

    test("no rule can go without a case that notices", () => {
      const unnoticed = [...mutants(kind.schema())].filter(({ schema }) => {
        const without = compileResource(schema, { scope: kind.scope });
        return table.cases.every((broken) => isNoticed(broken, judge(without, table, broken)));
      });
      assert.deepEqual(
        unnoticed.map(({ rule }) => rule),
        [],
      );
    });
  });
}
