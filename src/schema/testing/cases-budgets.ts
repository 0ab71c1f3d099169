// SPDX-License-Identifier: Apache-2.0
import type { Schema, ValidationRule } from "../types.ts";

const TEXT: Schema = { type: "string" };
const FLAG: Schema = { type: "boolean" };

const spec = (schema: Schema): Schema => ({ type: "object", properties: { spec: schema } });
const ruled = (schema: Schema, ...rules: (string | ValidationRule)[]): Schema => ({
  ...schema,
  "x-kubernetes-validations": rules.map((rule) => (typeof rule === "string" ? { rule } : rule)),
});
const list = (items: Schema, maxItems?: number): Schema => ({
  type: "array",
  items,
  ...(maxItems === undefined ? {} : { maxItems }),
});
const map = (additionalProperties: Schema, maxProperties?: number): Schema => ({
  type: "object",
  additionalProperties,
  ...(maxProperties === undefined ? {} : { maxProperties }),
});
const object = (properties: { readonly [name: string]: Schema }, more: Schema = {}): Schema => ({
  type: "object",
  properties,
  ...more,
});

/** A rule that costs 1 for each value. */
const flags = (count: number): Schema => spec(list(ruled(FLAG, "self"), count));

/** A loop over a list in a list of this many integers costs 5 for each, and 2. */
const loop = (count: number): ValidationRule => ({ rule: `self.all(x, x > ${count})` });
const integers = (maxItems: number): Schema => list({ type: "integer" }, maxItems);

const EMBEDDED: Schema = { "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true };
const META_NAME = "self.metadata.name.matches('^a+$') && self.kind == self.apiVersion";
const metadata = (...names: readonly string[]): Schema =>
  object(Object.fromEntries(names.map((name) => [name, { type: "string", maxLength: 63 }])));

/** Something of every type that has a least length of its own. */
const PARTS: { readonly [name: string]: Schema } = {
  list: list(TEXT),
  map: map(TEXT),
  object: object({}),
  bytes: { ...TEXT, format: "byte" },
  duration: { ...TEXT, format: "duration" },
  date: { ...TEXT, format: "date" },
  time: { ...TEXT, format: "date-time" },
  choice: { ...TEXT, enum: ["a", "b"] },
  number: { type: "number" },
  integer: { type: "integer" },
  flag: FLAG,
  either: { "x-kubernetes-int-or-string": true },
};

/** Costs enough to be refused wherever it may run without limit. */
const VARIED = Array.from({ length: 60 }, () => "self.text == 'a'").join(" || ");

/** Schemas of whole resources whose rules are about as expensive as a server allows. */
export const budgetCases: readonly Schema[] = [
  // Just what one rule may cost, and more, in every way the factor is printed.
  ...[10_000_000, 10_000_001, 10_000_005, 10_000_015, 10_000_025, 10_078_125, 10_234_375, 12_345_678].map(flags),
  ...[14_999_999, 15_000_000, 15_499_999, 15_500_000, 16_500_000, 22_500_000, 24_500_000, 27_500_000].map(flags),
  ...[32_500_000, 99_949_999, 99_950_000, 100_000_000].map(flags),
  // And all together: one rule is enough.
  ...[100_000_001, 125_000_000, 225_000_000, 999_900_000, 1_000_000_000, 1_000_000_001, 10_000_000_001].map(flags),
  // Lists and maps without limits, alone and around each other.
  spec(list(ruled(FLAG, "self"))),
  spec(list(ruled(TEXT, "self == 'a'"))),
  spec(map(ruled(TEXT, "self == 'a'"))),
  spec(map(ruled(TEXT, "self == 'a'"), 10)),
  spec(list(list(ruled(TEXT, "self == 'abcdefghijklm'"), 1000), 1000)),
  spec(list(list(ruled(TEXT, "self == 'abcdefghijklm'"), 3000), 3000)),
  spec(list(list(ruled(TEXT, "self == 'abcdefghijklm'"), 10))),
  spec(list(list(ruled(TEXT, "self == 'abcdefghijklm'")), 10)),
  spec(map(list(map(ruled(TEXT, "self == 'abcdefghijklm'"), 200), 300), 400)),
  spec(list(ruled(list(TEXT), "self.all(x, x == 'a')"), 5)),
  spec(list(ruled({ ...TEXT, maxLength: 10 }, "self == 'a'"), 0)),
  // What values must have makes them larger, so that fewer fit into a request.
  ...[[], ["name"], ["name", "flag"], ["name", "flag", "other", "nested"]].map((required) =>
    spec(
      list(
        ruled(
          object(
            {
              name: TEXT,
              flag: { ...FLAG, default: true },
              other: { type: "string", format: "date-time" },
              nested: object({ a: { "x-kubernetes-int-or-string": true } }, { required: ["a"] }),
            },
            { required },
          ),
          "self.name == 'a' || self.name == 'b' || self.name == 'c'",
        ),
      ),
    ),
  ),
  spec(
    list(
      ruled(
        object(
          { "a-b": TEXT, é: FLAG, any: { "x-kubernetes-preserve-unknown-fields": true } },
          { required: ["a-b", "é", "any"] },
        ),
        "self.a__dash__b == 'a' || self.a__dash__b == 'b' || self.a__dash__b == 'c'",
      ),
    ),
  ),
  ...Object.entries(PARTS).map(([name, part]) =>
    spec(list(ruled(object({ [name]: part, text: TEXT }, { required: [name] }), VARIED))),
  ),
  // Objects that may have more than their properties.
  spec(object({ a: ruled(TEXT, "self == 'abcdefghijklmnopqrstuvwxyz'") }, { additionalProperties: true })),
  spec(object({ a: ruled(TEXT, "self == 'a'") }, { "x-kubernetes-preserve-unknown-fields": true, maxProperties: 3 })),
  // Resources have names, whatever their schemas say of them.
  ruled(object({ spec: TEXT }), META_NAME),
  ruled(object({ metadata: metadata("name") }), META_NAME),
  ruled(object({ metadata: metadata("name", "generateName") }), META_NAME),
  ruled(
    object({ kind: TEXT, apiVersion: TEXT, metadata: metadata("name", "generateName") }),
    "self.metadata.name.matches('^a+$')",
    "self.kind.matches('^a{50}b{50}c{50}$')",
  ),
  spec(list(ruled(object({}, EMBEDDED), META_NAME), 10)),
  spec(list(ruled(object({ metadata: metadata("name") }, EMBEDDED), META_NAME), 10)),
  spec(ruled(list(object({}, EMBEDDED), 10), "self.all(x, x.metadata.name.matches('^a+$'))")),
  // Messages are made once.
  spec(ruled(TEXT, { rule: "self == 'a'", messageExpression: "self + self + self" })),
  spec(
    ruled(TEXT, { rule: "self.size() > 3", messageExpression: "self.replace('a', self) + self.replace('b', self)" }),
  ),
  spec(ruled(list(TEXT), { rule: "self.size() > 3", messageExpression: "self.map(x, x.replace('', x)).join(',')" })),
  spec(list(ruled(TEXT, { rule: "self == 'a'", messageExpression: "'no ' + self" }), 100)),
  spec(list(ruled(TEXT, { rule: "self == 'a'", messageExpression: "'no ' + self" }))),
  // What does not compile costs nothing; the rest is still counted.
  spec(ruled(list(TEXT), "self.all(x, self.all(y, x == y))", "self.all(x, self.all(y, x == z))")),
  spec(ruled(list(TEXT), { rule: "self.all(x, self.all(y, x == y))", messageExpression: "1" })),
  spec(ruled(list(TEXT), { rule: "self.all(x, self.all(y, x == y))", optionalOldSelf: true })),
  spec(ruled(list(TEXT), { rule: "oldSelf.hasValue() || self.all(x, x == 'abc')", optionalOldSelf: true })),
  spec(ruled(list(TEXT), { rule: "self.all(x, self.all(y, x == y))", message: " " })),
  spec(list(ruled(list(TEXT), "self.all(x, oldSelf.all(y, x == y))"))),
  object({ spec: ruled(list(TEXT), "self.all(x, self.all(y, x == y))"), other: { ...TEXT, uniqueItems: true } }),
  object({
    spec: ruled(list(TEXT), "self.all(x, self.all(y, x == y))"),
    other: { ...TEXT, nullable: true, title: "x" },
  }),
  // Each is allowed, together they are too many. The four dearest are named.
  ...[13, 14].map((count) =>
    spec(
      ruled({ title: `${count} rules`, ...integers(1_500_000) }, ...Array.from({ length: count }, (_, at) => loop(at))),
    ),
  ),
  object(
    Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [`p${at}`, ruled(integers(1_900_000 - at), loop(at))] as const),
    ),
  ),
  object({
    ...Object.fromEntries(
      Array.from({ length: 120 }, (_, at) => [`p${at}`, ruled(integers(199_000), loop(at))] as const),
    ),
    last: ruled(integers(300_000), loop(1)),
  }),
  spec(ruled(list(TEXT), ...["a", "b", "c", "d", "e"].map((name) => `self.all(x, self.all(y, x + y == '${name}'))`))),
];
