// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  addNode,
  difference,
  type FieldNode,
  type FieldSet,
  hasPath,
  intersection,
  isEmpty,
  isSame,
  LEAF,
  pathsOf,
  recursiveDifference,
  union,
  unionOfAll,
} from "./field-set.ts";
import { decodeFields, encodeFields } from "./fields-v1.ts";

type Path = readonly string[];

/** A set of these paths, made one by one. */
function setOf(paths: readonly Path[]): FieldSet {
  const set = new Map<string, FieldNode>();
  for (const path of paths) {
    const [first = "", ...rest] = path;
    addNode(set, first, rest.length === 0 ? LEAF : { owned: false, below: setOf([rest]) });
  }
  return set;
}

const element = fc.constantFrom("f:a", "f:b", 'k:{"x":1}', 'v:"s"', "i:0");
const path = fc.array(element, { minLength: 1, maxLength: 4 });
const paths = fc.array(path, { maxLength: 12 });

const textOf = (one: Path) => one.join("/");
const textsOf = (set: FieldSet) => [...pathsOf(set)].map(textOf).sort();
const distinct = (some: readonly Path[]) => [...new Set(some.map(textOf))].sort();

test("a set has the paths it was made of, and no other", () => {
  fc.assert(
    fc.property(paths, path, (some, other) => {
      const set = setOf(some);
      assert.deepEqual(textsOf(set), distinct(some));
      assert.equal(isEmpty(set), some.length === 0);
      assert.ok(isSame(set, setOf(some.toReversed())));
      assert.equal(isSame(set, setOf([...some, other])), distinct(some).includes(textOf(other)));
      assert.equal(hasPath(set, other), distinct(some).includes(textOf(other)));
    }),
  );
});

test("union, intersection and difference are those of sets of paths", () => {
  fc.assert(
    fc.property(paths, paths, (some, others) => {
      const [left, right] = [setOf(some), setOf(others)];
      const [one, other] = [distinct(some), distinct(others)];
      assert.deepEqual(textsOf(union(left, right)), [...new Set([...one, ...other])].sort());
      assert.deepEqual(
        textsOf(intersection(left, right)),
        one.filter((text) => other.includes(text)),
      );
      assert.deepEqual(
        textsOf(difference(left, right)),
        one.filter((text) => !other.includes(text)),
      );
    }),
  );
});

test("a recursive difference takes what is below as well", () => {
  fc.assert(
    fc.property(paths, paths, (some, others) => {
      const isBelow = (text: string) => others.some((other) => `${text}/`.startsWith(`${textOf(other)}/`));
      const expected = distinct(some).filter((text) => !isBelow(text));
      assert.deepEqual(textsOf(recursiveDifference(setOf(some), setOf(others))), expected);
    }),
  );
});

test("what an operation does not change is returned as it is, and nothing is changed in place", () => {
  fc.assert(
    fc.property(paths, paths, (some, others) => {
      const [left, right] = [setOf(some), setOf(others)];
      const joined = union(left, right);
      assert.equal(union(joined, right), joined);
      const rest = difference(left, right);
      assert.equal(difference(rest, right), rest);
      assert.deepEqual(textsOf(left), distinct(some));
      assert.deepEqual(textsOf(right), distinct(others));
    }),
  );
});

test("a set survives being written as FieldsV1 and read back", () => {
  fc.assert(
    fc.property(paths, (some) => {
      const set = setOf(some);
      const fields = encodeFields(set);
      assert.deepEqual(textsOf(decodeFields(fields) ?? new Map()), textsOf(set));
      assert.deepEqual(encodeFields(decodeFields(fields) ?? new Map()), fields);
    }),
  );
});

test("the union of many sets is that of all, one after the other", () => {
  fc.assert(
    fc.property(fc.array(paths, { maxLength: 9 }), (lists) => {
      assert.deepEqual(textsOf(unionOfAll(lists.map(setOf))), distinct(lists.flat()));
    }),
  );
});
