// SPDX-License-Identifier: Apache-2.0
import type { Json, Schema, ValidationRule } from "../types.ts";
import type { ChangeRow } from "./table.ts";

function rule(text: string, more: Partial<ValidationRule> = {}): Pick<Schema, "x-kubernetes-validations"> {
  return { "x-kubernetes-validations": [{ rule: text, ...more }] };
}

const GROWS: Schema = { type: "integer", ...rule("self >= oldSelf") };

const immutable: Schema = {
  type: "object",
  properties: {
    a: { type: "string", maxLength: 9, ...rule("self == oldSelf", { message: "immutable" }) },
    b: GROWS,
    m: { type: "object", maxProperties: 9, additionalProperties: GROWS },
    l: {
      type: "array",
      maxItems: 9,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
      items: {
        type: "object",
        required: ["k"],
        properties: { k: { type: "string", maxLength: 9 }, v: GROWS },
        ...rule("!has(oldSelf.v) || has(self.v)"),
      },
    },
    o: {
      type: "string",
      maxLength: 9,
      ...rule("!oldSelf.hasValue() || oldSelf.value() == self", { optionalOldSelf: true }),
    },
  },
  ...rule("!has(oldSelf.a) || has(self.a)", {
    fieldPath: ".a",
    reason: "FieldValueRequired",
    message: "a may not go",
  }),
};

/** Every change between some values of one property, alone and beside another one that changes. */
function among(name: string, schema: Schema, values: readonly Json[]): ChangeRow {
  const whole: Schema = { type: "object", properties: { v: schema, other: { type: "string" } } };
  const changes = values.flatMap((from) =>
    values.flatMap((to): [Json, Json][] => [
      [{ v: from }, { v: to }],
      [{ v: from }, { v: to, other: "new" }],
    ]),
  );
  return { name, schema: whole, changes };
}

const TEXT: Schema = { type: "string", maxLength: 99 };

const ratcheted: readonly ChangeRow[] = [
  among("a text that is too short", { type: "string", minLength: 5 }, ["x", "y"]),
  among(
    "properties",
    {
      type: "object",
      properties: { c: { type: "integer", minimum: 10 }, d: { type: "string", pattern: "^x" } },
      required: ["c"],
    },
    [{ c: 1 }, { c: 1, d: "y" }, { d: "x" }, {}],
  ),
  among("items", { type: "array", items: { type: "string", minLength: 3 } }, [["a"], ["a", "b"], ["abc"]]),
  among(
    "items of a list map",
    {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
      items: { type: "object", required: ["k"], properties: { k: TEXT, v: { type: "integer", maximum: 5 } } },
    },
    [
      [{ k: "a", v: 9 }],
      [
        { k: "a", v: 9 },
        { k: "b", v: 1 },
      ],
      [
        { k: "b", v: 9 },
        { k: "a", v: 9 },
      ],
      [{ k: "a", v: 8 }],
    ],
  ),
  among("values of a map", { type: "object", additionalProperties: { type: "string", minLength: 3 } }, [
    { x: "a" },
    { x: "a", y: "abcd" },
    { x: "b" },
  ]),
  among("an enum", { type: "string", enum: ["A"] }, ["B", "C", "A"]),
  among("a type", { type: "integer" }, ["x", "y", 1]),
  among(
    "junctors",
    {
      type: "object",
      properties: { q: TEXT, r: TEXT, z: TEXT },
      allOf: [{ properties: { q: { minLength: 5 } } }],
      anyOf: [{ required: ["z"] }],
    },
    [{ q: "x" }, { q: "x", r: "1" }, { q: "y" }],
  ),
  among("a rule on a text", { ...TEXT, ...rule("self.startsWith('ok')", { message: "must be ok" }) }, [
    "bad",
    "bad2",
    "ok",
  ]),
  among(
    "a rule on values of a map",
    { type: "object", maxProperties: 9, additionalProperties: { ...TEXT, ...rule("self.size() > 3") } },
    [{ a: "x" }, { a: "x", b: "abcde" }, { a: "y" }],
  ),
  among("a rule on items", { type: "array", maxItems: 9, items: { ...TEXT, ...rule("self.size() > 3") } }, [
    ["a"],
    ["a", "b"],
    ["b", "a"],
  ]),
  among(
    "a rule on an object",
    {
      type: "object",
      properties: { x: { type: "integer" }, y: { type: "integer" } },
      ...rule("self.x < self.y", { messageExpression: "'x is %d'.format([self.x])", fieldPath: ".x" }),
    },
    [
      { x: 5, y: 1 },
      { x: 5, y: 2 },
      { x: 1, y: 2 },
    ],
  ),
  among("a set", { type: "array", "x-kubernetes-list-type": "set", items: TEXT }, [["a", "a"], ["a", "a", "b"], ["a"]]),
];

const optionalOld: Schema = {
  type: "object",
  properties: {
    a: TEXT,
    n: { type: "object", properties: { x: { type: "integer" }, "b-c": TEXT } },
  },
  "x-kubernetes-validations": [
    {
      rule: "oldSelf.?a.orValue('none') == self.a",
      optionalOldSelf: true,
      messageExpression: "oldSelf.?a.hasValue() ? 'had one' : 'had none'",
    },
    { rule: "oldSelf.n.x.orValue(5) == 5", optionalOldSelf: true },
    { rule: "oldSelf.hasValue() && has(oldSelf.value().n)", optionalOldSelf: true },
  ],
};

const LIST = (...items: (readonly [string, number?])[]): Json => ({
  l: items.map(([k, v]) => (v === undefined ? { k } : { k, v })),
});

/** Transition rules, and what unchanged values are forgiven. */
export const changeRows: readonly ChangeRow[] = [
  {
    name: "transition rules",
    schema: immutable,
    changes: [
      [{ a: "x" }, { a: "x" }],
      [
        { a: "x", b: 5 },
        { a: "y", b: 4 },
      ],
      [{}, { a: "y", b: 4, o: "q" }],
      [{ a: "x" }, {}],
      [{ m: { x: 5, y: 1 } }, { m: { x: 4, z: 0 } }],
      [LIST(["a", 5], ["b", 1]), LIST(["b", 0], ["a", 6], ["c", 1])],
      [LIST(["a", 5]), LIST(["a"])],
      [{ o: "x" }, { o: "y" }],
      [{ o: "x" }, { o: "x" }],
    ],
  },
  {
    name: "an old value that may be missing",
    schema: optionalOld,
    changes: [{ a: "x" }, { a: "x", n: { x: 1 } }, { n: { x: 5, "b-c": "q" } }].flatMap((from) =>
      [{ a: "x" }, { a: "none" }, { a: "y", n: {} }].map((to): [Json, Json] => [from, to]),
    ),
  },
  ...ratcheted,
];
