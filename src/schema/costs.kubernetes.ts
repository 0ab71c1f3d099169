// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { kubernetesTest } from "../../test/kubernetes/harness.ts";
import { structuralProblems } from "./structural/index.ts";
import { costTables, listWithRule } from "./testing/cases-costs.ts";
import { crdAnswer, inParallel } from "./testing/server-answers.ts";
import { compactAnswer, sortCauses } from "./testing/table.ts";

kubernetesTest(
  "a real server takes each rule for as many values as recorded, and refuses one more in our words",
  async (server) => {
    const cases = costTables.flatMap(({ schema, cases }) =>
      cases.flatMap(([rule, most]) =>
        [most, most + 1].map((count) => ({ rule, count, schema: listWithRule(schema, { rule }, count) })),
      ),
    );
    await inParallel(cases, async ({ rule, count, schema }) => {
      const ours = compactAnswer({ causes: sortCauses(structuralProblems(schema)) });
      assert.deepEqual(ours, await crdAnswer(server, schema), `${count} values with ${rule}`);
    });
  },
);
