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

test("a word is noticed wherever it stands in a text that is shown in base64", () => {
  // In base64 it has letters that differ where it is to be safe for URLs.
  const odd = "sweep~~~user???data>>>0123456789";
  const both = createCanaries({ secret }, [userData, odd]);
  for (const word of ["sweep-user-data-0123456789", odd, "c2lnbmF0dXJlLW9mLXRoZS10b2tlbg"])
    for (const before of ["", "#", "##", "#cloud-config\npassword: "])
      for (const form of ["base64", "base64url"] as const) {
        const text = Buffer.from(`${before}${word}\nmore: of it\n`).toString(form);
        assert.ok(both.isIn(`{"note":"${text}"}`), `${before}${word} in ${form}`);
      }
  assert.ok(!both.isIn(Buffer.from("#cloud-config\npassword: another, and more of it\n").toString("base64")));
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
