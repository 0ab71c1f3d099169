// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findKind } from "../../src/kinds.ts";
import { compileResource } from "../../src/schema/index.ts";
import { seedBlocks } from "./blocks.ts";

test("all eleven blocks of the five documents are here", () => {
  assert.equal(seedBlocks().length, 11);
});

describe("every YAML block of the seed documents is valid", () => {
  for (const { file, object } of seedBlocks().filter(({ object: { kind } }) => kind !== "Secret")) {
    test(file, () => {
      const kind = findKind(String(object.kind));
      assert.ok(kind);
      const { problems, unknownFields } = compileResource(kind.schema(), { scope: kind.scope }).admit(object, {
        strict: true,
      });
      assert.deepEqual({ problems, unknownFields }, { problems: [], unknownFields: [] });
    });
  }
});
