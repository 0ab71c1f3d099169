// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRandomness } from "./randomness.ts";

test("names and ids are made from the numbers that are given", () => {
  const numbers = () => {
    let next = 0;
    return () => {
      next = (next * 16_807 + 1) % 2_147_483_647;
      return next / 2_147_483_647;
    };
  };
  const [one, other] = [createRandomness(numbers()), createRandomness(numbers())];
  assert.equal(one.uid(), other.uid());
  assert.equal(one.suffix(), other.suffix());
});

test("a suffix has five characters of Kubernetes' alphabet, an id is a version 4 UUID", () => {
  for (const random of [createRandomness(), createRandomness(() => 0.999_999), createRandomness(() => 0)]) {
    assert.match(random.suffix(), /^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    assert.match(random.uid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});
