// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { parseYaml, type YamlDocument } from "./yaml.ts";

function only(text: string): YamlDocument {
  const documents = parseYaml(text);
  assert.equal(documents.length, 1);
  const [document] = documents;
  assert.ok(document);
  return document;
}

function at(text: string, ...path: (string | number)[]): string {
  const { line, column } = only(text).positionOf(path);
  return `${line}:${column}`;
}

function problems(text: string): string[] {
  return parseYaml(text).flatMap((document) =>
    document.problems.map(({ line, column, message }) => `${line}:${column}: ${message}`),
  );
}

describe("values", () => {
  const cases: [string, unknown][] = [
    ["a: yes\nb: 'yes'\nc: 0777\nd: 52:54:00:12:34:56", { a: true, b: "yes", c: 511, d: "52:54:00:12:34:56" }],
    ["y: 1\n1: a\n1.50: b", { true: 1, 1: "a", "1.5": "b" }],
    ["a:\nb: ''\nc: !!str\nd: ! yes", { a: null, b: "", c: "", d: "yes" }],
    ["a: &x {b: [1, 2,]}\nc: *x", { a: { b: [1, 2] }, c: { b: [1, 2] } }],
    ["a: |\n  x\n  y\nb: >-\n  x\n  y", { a: "x\ny\n", b: "x y" }],
    ['{\n\t"a": "\\/x\\ud83d\\ude00",\n\t"b": [\n\t\t1\n\t]\n}', { a: "/x😀", b: [1] }],
    ["\uFEFFa: 1", { a: 1 }],
    ["%YAML 1.1\n# why\n---\na: 1", { a: 1 }],
    ["? a\n: 1", { a: 1 }],
    ["a: !mine {b: 1}\nc: !mine 5", { a: { b: 1 }, c: "5" }],
    ["a: 1\r\nb:\r\n- 2\r\n", { a: 1, b: [2] }],
  ];
  for (const [text, value] of cases) {
    test(JSON.stringify(text), () => {
      const document = text.startsWith("%") ? parseYaml(text).find((one) => !one.isEmpty) : only(text);
      assert.deepEqual(document?.problems, []);
      assert.deepEqual(document?.value, value);
    });
  }

  test("a key called __proto__ is a key like any other", () => {
    assert.deepEqual(Object.keys(Object(only("__proto__: {a: 1}").value)), ["__proto__"]);
  });
});

describe("merge keys", () => {
  test("later text wins, and in a list of sources the first", () => {
    assert.deepEqual(only("x: &x {a: 1, b: 2}\nz:\n  <<: *x\n  b: 3").value, { x: { a: 1, b: 2 }, z: { a: 1, b: 3 } });
    assert.deepEqual(only("x: &x {a: 1, b: 2}\nz:\n  b: 3\n  <<: *x").value, { x: { a: 1, b: 2 }, z: { b: 2, a: 1 } });
    const two = only("x: &x {a: 1}\nz: &z {a: 2, c: 3}\nw:\n  <<: [*x, *z]").value;
    assert.deepEqual(two, { x: { a: 1 }, z: { a: 2, c: 3 }, w: { a: 1, c: 3 } });
  });

  test("a quoted << is an ordinary key", () => {
    assert.deepEqual(only("'<<': {a: 1}").value, { "<<": { a: 1 } });
  });

  test("overriding a merged key is no repetition", () => {
    assert.deepEqual(problems("x: &x {a: 1}\nz:\n  <<: *x\n  a: 2"), []);
  });

  test("only mappings can be merged", () => {
    assert.deepEqual(problems("a:\n  <<: 5"), ["2:3: a merge key takes a mapping or a list of mappings"]);
    assert.deepEqual(problems("a:\n  <<: [1]"), ["2:3: a merge key takes a mapping or a list of mappings"]);
  });
});

describe("positions", () => {
  test("a value stands where its key stands, a list item where it begins", () => {
    const text = "spec:\n  disks:\n  - size: 1\n    class: x\n  -   size: 2\n  flow: {a: [1, {b: 2}]}\n";
    assert.equal(at(text), "1:1");
    assert.equal(at(text, "spec"), "1:1");
    assert.equal(at(text, "spec", "disks"), "2:3");
    assert.equal(at(text, "spec", "disks", 0), "3:5");
    assert.equal(at(text, "spec", "disks", 0, "class"), "4:5");
    assert.equal(at(text, "spec", "disks", 1, "size"), "5:7");
    assert.equal(at(text, "spec", "flow", "a", 1, "b"), "6:18");
  });

  test("what is missing stands where its nearest parent stands", () => {
    assert.equal(at("a: 1\nspec:\n  b: {}", "spec", "b", "c", 0), "3:3");
    assert.equal(at("# why\na: 1", "spec"), "2:1");
  });

  test("aliases and merge keys lead to the text that holds the value", () => {
    const text = "base: &base\n  cpu: 1\none: *base\ntwo:\n  <<: *base\n  ram: 2\n";
    assert.equal(at(text, "one"), "3:1");
    assert.equal(at(text, "one", "cpu"), "2:3");
    assert.equal(at(text, "two", "cpu"), "2:3");
    assert.equal(at(text, "two", "ram"), "6:3");
  });

  test("JSON has positions as well", () => {
    assert.equal(at('{\n  "a": {"b": [1,\n    {"c": 2}]}\n}', "a", "b", 1, "c"), "3:6");
  });

  test("every document of a stream is counted from the top of the text", () => {
    const documents = parseYaml("a: 1\n--- # two\nb: 2\n\n---\nc:\n- 3\n");
    assert.deepEqual(
      documents.map((document) => document.positionOf(Object.keys(Object(document.value)))),
      [
        { line: 1, column: 1 },
        { line: 3, column: 1 },
        { line: 6, column: 1 },
      ],
    );
  });

  test("of a key given twice, the last is meant", () => {
    assert.equal(at("a: 1\na: 2", "a"), "2:1");
  });
});

describe("problems", () => {
  test("nothing but comments is an empty document and no problem", () => {
    const documents = parseYaml("# only\n---\n---\n# this\n\n---\na: 1\n---\n");
    assert.deepEqual(
      documents.map((document) => document.isEmpty),
      [true, true, true, false, true],
    );
    assert.deepEqual(problems("# only\n---\n---\n"), []);
    assert.equal(only("").isEmpty, true);
  });

  test("a malformed document does not hide the others", () => {
    const documents = parseYaml("a: 'open\n---\nb: 1\n---\nc: [1\n---\nd: 2\n");
    assert.deepEqual(
      documents.map((document) => document.value),
      [undefined, { b: 1 }, undefined, { d: 2 }],
    );
    assert.equal(documents[0]?.problems.length, 1);
    assert.equal(documents[2]?.problems[0]?.line, 5);
  });

  test("keys given twice are all reported, and the value is the last", () => {
    const text = "a: 1\nb: {c: 1, c: 2}\n'a': 3\n1: x\n'1': z";
    assert.deepEqual(problems(text), [
      '2:11: key "c" is given twice',
      '3:1: key "a" is given twice',
      '5:1: key "1" is given twice',
    ]);
    assert.deepEqual(only(text).value, { a: 3, b: { c: 2 }, 1: "z" });
  });

  const cases: [string, RegExp][] = [
    ["a: b: c", /^1:4: malformed YAML: a mapping cannot start here/],
    ["a:\n\t- 1", /^2:1: malformed YAML: tabs cannot indent/],
    ["a: @x", /^1:4: malformed YAML: .*must be quoted/],
    ["a:\n  b: 1\n c: 2", /^3:1: malformed YAML: wrong indentation/],
    ['a: "\\q"', /^1:5: malformed YAML: unknown escape/],
    ["a: 1\nb\nc: 2", /^2:1: malformed YAML: a (colon is missing|key and its colon)/],
    ["a: *nope", /^1:4: there is no anchor "nope" above/],
    ["a: &a [*a]", /^1:8: the value of anchor "a" contains itself/],
    ["~: 1", /^1:1: a key must be a string/],
    ["[a, b]: 1", /^1:1: a key must be a string/],
    ["a: .inf", /^1:4: infinity/],
    ["a: !!int x", /^1:(4|10): this value cannot be read as !!int/],
    ["a: b\u0001", /^1:5: control characters/],
  ];
  for (const [text, expected] of cases) {
    test(JSON.stringify(text), () => {
      assert.match(problems(text)[0] ?? "none", expected);
      assert.equal(parseYaml(text)[0]?.value, undefined);
    });
  }

  test("messages never quote values", () => {
    for (const text of [
      'password: "hunter2" hunter2',
      "a: }hunter2",
      "a: | hunter2\n  x",
      "a: !!int hunter2",
      "- a\nhunter2: hunter2",
    ]) {
      assert.notDeepEqual(problems(text), []);
      assert.doesNotMatch(problems(text).join("\n"), /hunter2/);
    }
  });
});

describe("hostile texts", () => {
  test("an alias bomb is refused", () => {
    const names = "abcdefghi";
    const lines = [...names].map((name, index) => {
      const inner = index === 0 ? "lol" : `*${names[index - 1]}`;
      return `${name}: &${name} [${Array(9).fill(inner).join(", ")}]`;
    });
    assert.match(problems(lines.join("\n"))[0] ?? "none", /too many values come from aliases/);
  });

  test("deep nesting is a problem and no crash", () => {
    for (const depth of [2000, 100_000]) assert.match(problems("[".repeat(depth))[0] ?? "none", /./);
    assert.match(problems(`${"[".repeat(2000)}${"]".repeat(2000)}`)[0] ?? "none", /nested/);
  });

  test("any text gives documents with problems or values, never an exception", () => {
    const piece = fc.constantFrom(
      ..."ab:-?#&*!|>'\"%@`{}[],~<\\ \n\t0.",
      "---\n",
      "<<: ",
      "  ",
      "- ",
      ": ",
      "&a ",
      "*a",
      "!!int ",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        for (const document of parseYaml(pieces.join(""))) {
          assert.ok(document.positionOf(["a", 0]).line >= 1);
          if (document.value === undefined) assert.notEqual(document.problems.length, 0);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
