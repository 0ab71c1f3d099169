// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { StatusError } from "../status-error.ts";
import { continueExpired, decodeContinue, encodeContinue } from "./continue-token.ts";

function refusal(text: string): string {
  try {
    decodeContinue(text);
  } catch (error) {
    assert.ok(error instanceof StatusError);
    assert.equal(error.status.code, 400);
    return error.message;
  }
  return "";
}

test("a token says where to go on", () => {
  const token = { revision: 42, start: "default/a\0" };
  assert.deepEqual(decodeContinue(encodeContinue(token)), token);
});

test("what is no token is a bad request in the server's words", () => {
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const begins = "invalid continue token: continue key is not valid: ";
  assert.equal(refusal("!!"), `${begins}illegal base64 data at input byte 0`);
  assert.equal(refusal("abcd"), `${begins}invalid character 'i' looking for beginning of value`);
  assert.equal(refusal(encoded({})), `${begins}server does not recognize this encoded version `);
  assert.equal(
    refusal(encoded({ v: "meta.k8s.io/v1" })),
    `${begins}incorrect encoded start resourceVersion (version meta.k8s.io/v1)`,
  );
  assert.equal(
    refusal(encoded({ v: "meta.k8s.io/v1", rv: 1 })),
    `${begins}encoded start key empty (version meta.k8s.io/v1)`,
  );
  assert.equal(refusal(encoded({ v: "meta.k8s.io/v1", rv: 1, start: "../x" })), `${begins}../x`);
  for (const value of [null, [], 5, "x"]) assert.notEqual(refusal(encoded(value)), "");
});

test("a token whose moment is forgotten is answered with one that goes on with what is there now", () => {
  const { status } = continueExpired({ revision: 7, start: "default/a\0" });
  assert.deepEqual([status.code, status.reason], [410, "Expired"]);
  assert.deepEqual(decodeContinue(String(status.metadata.continue)), { revision: -1, start: "default/a\0" });
});
