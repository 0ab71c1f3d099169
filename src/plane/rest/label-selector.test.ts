// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLabelSelector, parseLabelText, SelectorError } from "./label-selector.ts";

const LABELS = { app: "web", tier: "front", level: "7", empty: "" };

test("every operator selects as Kubernetes does", () => {
  const selected: Readonly<Record<string, boolean>> = {
    "app=web": true,
    "app==web": true,
    "app=other": false,
    "missing=": false,
    "empty=": true,
    "app!=web": false,
    "app!=other": true,
    "missing!=x": true,
    "app in (web, api)": true,
    "app in (api)": false,
    "missing in (web)": false,
    "app notin (api)": true,
    "missing notin (api)": true,
    "empty in ()": true,
    "empty in (,)": true,
    app: true,
    missing: false,
    "!missing": true,
    "!app": false,
    "level>6": true,
    "level>7": false,
    "level<8": true,
    "app>1": false,
    "missing<1": false,
    " app = web , tier in ( front , back ) ": true,
    "app=web,!tier": false,
  };
  const json = JSON.stringify({ metadata: { labels: LABELS } });
  for (const [text, expected] of Object.entries(selected)) {
    assert.equal(parseLabelSelector(text)?.(LABELS), expected, text);
    if (expected) assert.notEqual(parseLabelText(text)?.(json), false, `${text}: the quick test loses nothing`);
  }
});

test("the quick test tells most of what is not selected from the stored text alone", () => {
  const json = JSON.stringify({ metadata: { labels: { app: 'a"b', tier: "front" } } });
  assert.equal(parseLabelText("tier=front,app!=x")?.(json), true);
  assert.equal(parseLabelText("tier=fro")?.(json), false);
  assert.equal(parseLabelText("tier in (back, side)")?.(json), false);
  assert.equal(parseLabelText("tier in (back, front)")?.(json), true);
  assert.equal(parseLabelText("app!=x,tier"), undefined);
  const twice = `{"spec":{"tier":"back"},"metadata":{"labels":{"tier":"front"}}}`;
  assert.equal(parseLabelText("tier in (front, side)")?.(twice), true, "wherever it stands");
});

test("nothing given selects everything", () => {
  assert.equal(parseLabelSelector(""), undefined);
  assert.equal(parseLabelSelector("  "), undefined);
});

test("what cannot be read is refused in the server's words", () => {
  const refused: Readonly<Record<string, string>> = {
    "a b": "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
    "=a": "found '=', expected: !, identifier, or 'end of string'",
    "a===b": "unable to parse requirement: found '=', expected: identifier",
    "a in": "unable to parse requirement: found '' expected: '('",
    "a in (": "unable to parse requirement: found '', expected: ',', ')' or identifier",
    "a in (b": "unable to parse requirement: found '', expected: ',' or ')'",
    "a in (b c)": "unable to parse requirement: found 'c', expected: ',' or ')'",
    "a,,b": "found ',', expected: identifier after ','",
    "a,": "found '', expected: identifier after ','",
    "!": "unable to parse requirement: found '', expected: identifier",
    "!!a": "unable to parse requirement: found '!', expected: identifier",
    "a>b": `unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`,
    "a=(": "unable to parse requirement: found '(', expected: identifier",
    ")": "found ')', expected: !, identifier, or 'end of string'",
  };
  for (const [text, message] of Object.entries(refused))
    assert.throws(() => parseLabelSelector(text), new SelectorError(message), text);
});

test("keys and values must be ones that a label can have", () => {
  assert.throws(() => parseLabelSelector("-a"), /unable to parse requirement: <nil>: Invalid value: "-a": name part/);
  assert.throws(
    () => parseLabelSelector("a=*"),
    /unable to parse requirement: values\[0\]\[a\]: Invalid value: "\*": a/,
  );
});

test("labels with the names of an object's own parts are labels like others", () => {
  assert.equal(parseLabelSelector("constructor")?.({}), false);
  assert.equal(parseLabelSelector("!toString")?.({}), true);
});
