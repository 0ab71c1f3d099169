// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { createCanaries } from "./canaries.ts";

const token = "eyJhbGciOiJSUzI1NiJ9.bm9ib2R5IG1heSBzZWUgdGhpcyB0b2tlbg.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg";
const userData = "password: sweep-user-data-0123456789";
const secret = { kubeconfig: `server: https://harvester.example.com:6443\ntoken: ${token}\n` };
const canaries = createCanaries({ secret }, [userData]);

test("a token is noticed whole, in part and in base64, and an address is none", () => {
  for (const text of [
    `token=${token}`,
    "only c2lnbmF0dXJlLW9mLXRoZS10b2tlbg",
    Buffer.from(secret.kubeconfig).toString("base64"),
    `user said ${userData}`,
    Buffer.from(userData).toString("base64"),
  ])
    assert.ok(canaries.isIn(text), text);
  for (const text of ["https://harvester.example.com:6443 default", "password", "token: redacted"])
    assert.ok(!canaries.isIn(text), text);
});

test("a Secret and the user data of a MachineRequest may show what they hold, and nothing else may", () => {
  const shows = (object: object) => canaries.isShownBy(JSON.stringify(object));
  assert.ok(!shows({ kind: "Secret", data: { token } }));
  assert.ok(!shows({ kind: "MachineRequest", spec: { userData }, status: {} }));
  assert.ok(shows({ kind: "MachineRequest", spec: { userData }, status: { lastError: { message: userData } } }));
  assert.ok(shows({ kind: "MachineRequest", metadata: { annotations: { note: token } }, spec: { userData } }));
  assert.ok(shows({ kind: "Event", note: token }));
  assert.ok(shows({ kind: "ConfigMap", data: { note: userData } }));
});
