// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { tokenRequestType } from "../auth/token-request-type.ts";
import { builtInTypes } from "../kinds/index.ts";
import type { ResourceType } from "../types.ts";
import { ProtobufError, readProtobuf } from "./index.ts";

type Part = readonly [number: number, value: string | number | Uint8Array];

/** A message of these fields; numbers are small ones. */
function message(...parts: readonly Part[]): Buffer {
  return Buffer.concat(
    parts.map(([number, value]) => {
      if (typeof value === "number") return Buffer.from([number * 8, ...varint(value)]);
      const bytes = Buffer.from(value);
      return Buffer.concat([Buffer.from([number * 8 + 2, ...varint(bytes.length)]), bytes]);
    }),
  );
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

function body(apiVersion: string, kind: string, object: Uint8Array): Buffer {
  const typeMeta = message([1, apiVersion], [2, kind]);
  return Buffer.concat([Buffer.from("k8s\0"), message([1, typeMeta], [2, object], [3, ""], [4, ""])]);
}

function typeOf(kind: string): ResourceType {
  const type = builtInTypes().find((one) => one.kind === kind);
  assert.ok(type !== undefined, kind);
  return type;
}

const metadata = message(
  [1, "a"],
  [3, "n"],
  [7, 0],
  [8, message()],
  [11, message([1, "x"], [2, "y"])],
  [14, "example.com/f"],
  [9, message([1, 1_700_000_000], [2, 0])],
);

test("a body is read into what it would be as JSON", () => {
  const object = message(
    [1, metadata],
    [2, message([1, "k"], [2, "v"])],
    [3, message([1, "b"], [2, Buffer.from([0, 255])])],
    [4, 1],
  );
  assert.deepEqual(readProtobuf(body("v1", "ConfigMap", object), typeOf("ConfigMap")), {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: "a",
      namespace: "n",
      generation: 0,
      creationTimestamp: null,
      labels: { x: "y" },
      finalizers: ["example.com/f"],
      deletionTimestamp: "2023-11-14T22:13:20Z",
    },
    data: { k: "v" },
    binaryData: { b: "AP8=" },
    immutable: true,
  });
});

test("lists of messages, maps of lists and references are read", () => {
  const rule = message([1, "get"], [1, "list"], [2, ""], [3, "pods"]);
  const role = readProtobuf(
    body("rbac.authorization.k8s.io/v1", "Role", message([2, rule], [2, rule])),
    typeOf("Role"),
  );
  const read = { verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] };
  assert.deepEqual(role.rules, [read, read]);
  const extra = message([1, "scopes"], [2, message([1, "a"], [1, "b"])]);
  const spec = message([3, "joe"], [5, extra]);
  const review = readProtobuf(body("v", "SubjectAccessReview", message([2, spec])), typeOf("SubjectAccessReview"));
  assert.deepEqual(review.spec, { user: "joe", extra: { scopes: ["a", "b"] } });
  const bound = message([1, "Secret"], [2, "v1"], [3, "s"], [4, "uid"]);
  const request = readProtobuf(
    body("v", "TokenRequest", message([2, message([4, 600], [3, bound])])),
    tokenRequestType,
  );
  assert.deepEqual(request.spec, {
    expirationSeconds: 600,
    boundObjectRef: { kind: "Secret", apiVersion: "v1", name: "s", uid: "uid" },
  });
});

test("a field that is not known is passed over", () => {
  const object = message([1, metadata], [15, "new"], [14, 7]);
  assert.deepEqual(Object.keys(readProtobuf(body("v1", "ConfigMap", object), typeOf("ConfigMap"))), [
    "metadata",
    "apiVersion",
    "kind",
  ]);
});

test("what is no protobuf is refused, whatever it is", () => {
  const whole = body("v1", "ConfigMap", message([1, metadata], [2, message([1, "k"], [2, "v"])]));
  assert.throws(() => readProtobuf(Buffer.from("{}"), typeOf("ConfigMap")), ProtobufError);
  const read = (bytes: Uint8Array) => {
    try {
      readProtobuf(bytes, typeOf("ConfigMap"));
    } catch (error) {
      assert.ok(error instanceof ProtobufError, String(error));
    }
  };
  for (let length = 0; length < whole.length; length += 1) read(whole.subarray(0, length));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => read(Buffer.concat([Buffer.from("k8s\0"), bytes]))),
  );
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, byte) => {
      const changed = Buffer.from(whole);
      changed[at] = byte;
      read(changed);
    }),
    { numRuns: 500 },
  );
});
