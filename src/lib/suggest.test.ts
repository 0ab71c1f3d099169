// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { didYouMean, suggest } from "./suggest.ts";

const fields = ["cpu", "memoryMB", "diskGB", "extraDisks", "machineName", "role", "image", "providerRef"];

test("typing mistakes, other cases and beginnings lead to the word that was meant", () => {
  for (const [typed, meant] of [
    ["memorymb", "memoryMB"],
    ["memoryMb", "memoryMB"],
    ["memory", "memoryMB"],
    ["mahcineName", "machineName"],
    ["diskGb", "diskGB"],
    ["disk", "diskGB"],
    ["cpus", "cpu"],
    ["rol", "role"],
    ["roles", "role"],
    ["providerReference", "providerRef"],
  ] as const) {
    assert.equal(suggest(typed, fields), meant, typed);
  }
});

test("a word that is near nothing gets no suggestion", () => {
  for (const typed of ["xyz", "networkPolicy", "", "a", "x".repeat(5000)])
    assert.equal(suggest(typed, fields), undefined, typed);
  assert.equal(suggest("cpu", []), undefined);
});

test("the suggestion can be put at the end of a message", () => {
  assert.equal(didYouMean("cpus", fields), ' (did you mean "cpu"?)');
  assert.equal(didYouMean("nothing", fields), "");
});
