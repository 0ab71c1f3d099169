// SPDX-License-Identifier: Apache-2.0
import { kindOf } from "../../framework/objects.ts";
import type { Case } from "../../framework/types.ts";
import { attempts, changes, GROUP } from "./kinds.ts";

export const rules: readonly Case[] = [
  attempts("a rule across fields is told at their object", "Ruled", [
    [201, { min: 1, max: 2 }],
    [201, { min: 1 }],
    [422, { min: 2, max: 1 }],
  ]),
  attempts("a rule without a message is told by its text, one with a message by that", "Ruled", [
    [422, { plain: -1 }],
    [422, { said: 1 }],
  ]),
  attempts("a messageExpression makes the message", "Ruled", [[422, { computed: "abc" }]]),
  attempts("a rule can name the reason and the field", "Ruled", [
    [422, { named: "forbidden" }],
    [422, { pointed: { a: 2, b: 1 } }],
  ]),
  attempts("rules of items are told with their index, those of lists and maps at the list or map", "Ruled", [
    [422, { items: [{ name: "a" }, { name: "b", size: 0 }] }],
    [422, { items: [{ name: "a" }, { name: "a" }] }],
    [422, { map: { a: 1, b: 0 } }],
  ]),
  attempts("a rule that fails to run is a problem of its own", "Ruled", [[422, { broken: "abc" }]]),
  attempts("rules are left out where the schema is not met", "Ruled", [[422, { min: "2", max: 1, said: 1 }]]),
  {
    name: "a rule at the top sees the object's name",
    answers: [422],
    async run(t) {
      await t.request("POST", t.custom("ruleds"), kindOf(GROUP, "Ruled")("root", { spec: {} }));
    },
  },
  attempts("rules know addresses and networks", "Library", [
    [201, { ip: "10.0.0.1", cidr: "10.0.0.0/8" }],
    [422, { ip: "fe80::1" }],
    [422, { ip: "nothing" }],
    [422, { cidr: "192.168.0.0/16" }],
  ]),
  attempts("rules know quantities", "Library", [
    [201, { quantity: "2Gi" }],
    [422, { quantity: "500M" }],
    [422, { quantity: 7 }],
    [422, { quantity: "much" }],
  ]),
  attempts("rules know URLs and semantic versions", "Library", [
    [201, { url: "https://example.com", semver: "1.2.3" }],
    [422, { url: "http://example.com" }],
    [422, { semver: "2.0.0" }],
    [422, { semver: "one" }],
  ]),
  attempts("rules know times and durations", "Library", [
    [201, { time: "2021-01-01T00:00:00Z", duration: "30m" }],
    [422, { time: "2001-01-01T00:00:00Z" }],
    [422, { duration: "90m" }],
  ]),
  attempts("rules know lists, patterns and named formats", "Library", [
    [201, { sorted: [1, 2, 3], found: "a42b", label: "a-b" }],
    [422, { sorted: [3, 1] }],
    [422, { found: "a41b" }],
    [422, { label: "A_B" }],
  ]),
  attempts("rules know optional fields", "Library", [
    [201, { optional: { a: "x" } }],
    [422, { optional: { a: "x", b: "x" } }],
  ]),
  changes("a rule with oldSelf holds for changes only", "Changing", {
    from: { fixed: "a", growing: 2 },
    to: [
      [200, { fixed: "a", growing: 3 }],
      [422, { fixed: "b", growing: 2 }],
      [422, { fixed: "a", growing: 1 }],
      [422, { growing: 2 }],
    ],
  }),
  changes("with optionalOldSelf a rule holds from the start", "Changing", {
    from: {},
    to: [[200, { once: "a" }]],
  }),
  changes("what was set once stays", "Changing", {
    from: { once: "a" },
    to: [
      [200, { once: "a", other: "b" }],
      [422, { once: "b" }],
    ],
  }),
  changes("items of a list with keys are compared by key, whatever their order", "Changing", {
    from: {
      keyed: [
        { name: "a", size: 1 },
        { name: "b", size: 2 },
      ],
      plain: ["a"],
    },
    to: [
      [
        200,
        {
          keyed: [
            { name: "b", size: 2 },
            { name: "c", size: 9 },
            { name: "a", size: 1 },
          ],
          plain: ["b", "a"],
        },
      ],
      [422, { keyed: [{ name: "b", size: 1 }], plain: ["a"] }],
      [422, { plain: [] }],
    ],
  }),
];
