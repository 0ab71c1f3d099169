// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { redactText } from "../kube/index.ts";
import { secretForms } from "./secret-forms.ts";

const USER_DATA = '#cloud-config\nchpasswd:\n  list: "root:Tr0ub4dor"\n# a < b & c \u0007\n';
const inJson = JSON.stringify(USER_DATA);

const QUOTED: Readonly<Record<string, string>> = {
  "as it is": USER_DATA,
  "as JSON": inJson,
  "as JSON in JSON": JSON.stringify(inJson),
  "as JSON of a Go server": inJson.replace("<", "\\u003c").replace("&", "\\u0026"),
  "as %q of a Go server": inJson.replace("\\u0007", "\\a"),
  "in base64": Buffer.from(USER_DATA).toString("base64"),
  "one line alone": `line 3: ${USER_DATA.split("\n")[2]}: mapping values are not allowed`,
  "one line alone, escaped": JSON.stringify(USER_DATA.split("\n")[2]),
  "cut short": inJson.slice(0, 70),
};

for (const [how, quoted] of Object.entries(QUOTED))
  test(`a secret is not read out of a message that quotes it ${how}`, () => {
    const shown = redactText(`Invalid value: ${quoted}: cannot be parsed`, secretForms([USER_DATA, undefined]));
    assert.doesNotMatch(shown, /Tr0ub4dor/);
    assert.ok(!shown.includes(Buffer.from("Tr0ub4dor").toString("base64").slice(0, 8)));
    assert.match(shown, /^Invalid value: /);
  });

test("what is too short to be a secret garbles no message", () => {
  assert.deepEqual(secretForms(["", "a", "abc", "  a \n"]), []);
  assert.equal(redactText("a name is taken", secretForms(["a"])), "a name is taken");
});
