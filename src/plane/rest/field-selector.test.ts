// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInTypes } from "../kinds/index.ts";
import type { KubeObject, ResourceType } from "../types.ts";
import { parseFieldSelector } from "./field-selector.ts";

const configMaps = find("configmaps");
const secrets = find("secrets");
const secret: KubeObject = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "a", namespace: "n" },
  type: "Opaque",
};

function find(plural: string): ResourceType {
  const type = builtInTypes().find((one) => one.plural === plural);
  if (type === undefined) throw new Error(plural);
  return type;
}

test("objects are selected by the fields that their kind allows", () => {
  const selected: Readonly<Record<string, boolean>> = {
    "metadata.name=a": true,
    "metadata.name==b": false,
    "metadata.name!=b": true,
    "type=Opaque,metadata.namespace=n": true,
    "type!=Opaque": false,
    "type=": false,
    ",metadata.name=a,": true,
    "type=a\\,b\\=c\\\\": false,
  };
  for (const [text, expected] of Object.entries(selected))
    assert.equal(parseFieldSelector(text, secrets)?.matches(secret), expected, text);
  assert.equal(parseFieldSelector("", secrets), undefined);
});

test("a selector tells the one name or namespace that it asks for", () => {
  const selector = parseFieldSelector("metadata.namespace=n,metadata.name!=b", secrets);
  assert.deepEqual([selector?.exactly("metadata.namespace"), selector?.exactly("metadata.name")], ["n", undefined]);
});

test("what cannot be read or selected is refused in the server's words", () => {
  const refused: readonly (readonly [string, ResourceType, string])[] = [
    ["foo", configMaps, "invalid selector: 'foo'; can't understand 'foo'"],
    ["foo=bar", configMaps, '"foo" is not a known field selector: only "metadata.name", "metadata.namespace"'],
    ["foo=bar", secrets, "field label not supported: foo"],
    ["metadata.name=a=b", secrets, "invalid field selector: unescaped character in value: 61"],
    ["metadata.name=a\\b", secrets, "invalid field selector: invalid escape sequence: \\b"],
  ];
  for (const [text, type, message] of refused) assert.throws(() => parseFieldSelector(text, type), { message }, text);
});
