// SPDX-License-Identifier: Apache-2.0
import { deepEqual, getOwn } from "../json.ts";
import { type Admission, compileResource } from "../resource.ts";
import { structuralProblems } from "../structural/index.ts";
import type { Json, Schema } from "../types.ts";
import { changeRows } from "./cases-changes.ts";
import { formatRows } from "./cases-formats.ts";
import { metadataCases } from "./cases-metadata.ts";
import { ruleExpressions, ruleSchema, ruleValue, shownExpressions } from "./cases-rules.ts";
import { structuralCases } from "./cases-structural.ts";
import { valueRows } from "./cases-values.ts";
import {
  type Answer,
  type Answers,
  caseName,
  combine,
  compactAnswer,
  propertyOf,
  type Row,
  sortCauses,
} from "./table.ts";

/** An object of the kind that all cases are of. */
export function thing(
  spec: Json | undefined,
  metadata: { readonly [name: string]: Json } = {},
): { [name: string]: Json } {
  const object = { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "x", ...metadata } };
  return spec === undefined ? object : { ...object, spec };
}

/** Expressions as rows: each is a rule on a property of its own, and all are tried in one object. */
export const ruleRows: readonly { readonly name: string; readonly schema: Schema }[] = [
  ...ruleExpressions.map((expression) => ({
    name: expression,
    schema: { ...ruleSchema, "x-kubernetes-validations": [{ rule: expression }] },
  })),
  ...shownExpressions.map((expression) => ({
    name: `shown: ${expression}`,
    schema: {
      ...ruleSchema,
      "x-kubernetes-validations": [{ rule: "self.i == 99", messageExpression: expression, message: "fallback" }],
    },
  })),
];

/** The object in which all expressions are tried. */
export const ruleObject: Json = Object.fromEntries(ruleRows.map((_, position) => [propertyOf(position), ruleValue]));

/** The name of a schema among the structural cases. */
export function structuralName(schema: Json): string {
  return JSON.stringify(schema).slice(0, 400);
}

/** What a schema or an object with that case's value is answered, by us. */
export function ourAnswers(): Answers {
  return {
    values: valueAnswers(valueRows),
    formats: valueAnswers(formatRows),
    rules: ruleAnswers(),
    changes: changeAnswers(),
    metadata: metadataAnswers(),
    structural: Object.fromEntries(
      structuralCases.map((schema) => [
        structuralName(schema),
        compactAnswer({ causes: sortCauses(structuralProblems(schema as Schema)) }),
      ]),
    ),
  };
}

function answerOf(admission: Admission, given?: { readonly property: string; readonly value: Json }): Answer {
  const { malformed, object, warnings, unknownFields } = admission;
  if (malformed !== undefined) return { message: malformed };
  const causes = sortCauses(admission.problems);
  const unknown = unknownFields.map(({ field }) => field);
  const spec = object.spec as { readonly [name: string]: Json };
  const stored = given === undefined ? undefined : getOwn(spec, given.property);
  const isChanged = causes.length === 0 && stored !== undefined && !deepEqual(stored, given?.value);
  return compactAnswer({ causes, unknown, warnings: warnings.toSorted(), ...(isChanged ? { stored } : {}) });
}

function valueAnswers(rows: readonly Row[]): { [name: string]: Answer } {
  const resource = compileResource(combine(rows), { scope: "Namespaced" });
  const answers: { [name: string]: Answer } = {};
  for (const [position, row] of rows.entries())
    for (const [at, value] of row.values.entries()) {
      const property = propertyOf(position);
      const admission = resource.admit(thing({ [property]: value }));
      answers[caseName(row, at)] = answerOf(admission, { property, value });
    }
  return answers;
}

function ruleAnswers(): { [name: string]: Answer } {
  const { problems } = compileResource(combine(ruleRows), { scope: "Namespaced" }).admit(thing(ruleObject));
  return Object.fromEntries(
    ruleRows.map(({ name }, position) => {
      const causes = problems.filter(({ path }) => path[1] === propertyOf(position));
      return [name, compactAnswer({ causes: sortCauses(causes) })];
    }),
  );
}

function changeAnswers(): { [name: string]: Answer } {
  const resource = compileResource(combine(changeRows), { scope: "Namespaced" });
  const answers: { [name: string]: Answer } = {};
  for (const [position, row] of changeRows.entries())
    for (const [at, [from, to]] of row.changes.entries()) {
      const property = propertyOf(position);
      const admission = resource.admit(thing({ [property]: to }), { old: thing({ [property]: from }) });
      answers[caseName(row, at)] = answerOf(admission);
    }
  return answers;
}

function metadataAnswers(): { [name: string]: Answer } {
  const resource = compileResource(combine([]), { scope: "Namespaced" });
  return Object.fromEntries(
    Object.entries(metadataCases).map(([name, metadata]) => [
      name,
      answerOf(resource.admit(thing(undefined, metadata))),
    ]),
  );
}
