// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { mayUse, type Use } from "./may-use.ts";

const config = (scope: unknown): Use["config"] =>
  ({
    metadata: { name: "pc", namespace: "butler-system" },
    spec: scope === undefined ? {} : { scope },
  }) as Use["config"];
const team = (name: string, namespace?: string): Use["team"] =>
  ({ metadata: { name }, ...(namespace === undefined ? {} : { status: { namespace } }) }) as Use["team"];
const blue = { type: "team", teamRef: { name: "blue" } };
const labelled = (name: string) => ({ "butler.butlerlabs.dev/team": name });

/** What stands, and whether namespace `web` may use the ProviderConfig then. */
const table: readonly [string, unknown, Record<string, string> | undefined, Use["team"], boolean][] = [
  ["no scope at all", undefined, {}, undefined, true],
  ["platform", { type: "platform" }, {}, undefined, true],
  ["platform, namespace not known", { type: "platform" }, undefined, undefined, true],
  ["the team's label", blue, labelled("blue"), undefined, true],
  ["another team's label", blue, labelled("red"), undefined, false],
  ["a label of another case", blue, labelled("Blue"), undefined, false],
  ["an empty label", blue, labelled(""), undefined, false],
  ["the Team's own namespace", blue, {}, team("blue", "web"), true],
  ["the Team's own namespace, labels not known", blue, undefined, team("blue", "web"), true],
  ["the Team has another namespace", blue, {}, team("blue", "other"), false],
  ["the Team has no namespace yet", blue, {}, team("blue"), false],
  ["the Team of another name", blue, {}, team("red", "web"), false],
  ["no Team, no label", blue, {}, undefined, false],
  ["namespace not known", blue, undefined, undefined, false],
  ["a team without a name", { type: "team", teamRef: { name: "" } }, labelled(""), undefined, false],
  ["a team that is not named", { type: "team" }, labelled("blue"), undefined, false],
  ["a scope nobody knows", { type: "galaxy" }, labelled("blue"), team("blue", "web"), false],
];

for (const [what, scope, labels, own, isAllowed] of table)
  test(`${what}: ${isAllowed ? "may" : "may not"} use it`, () => {
    assert.equal(mayUse({ namespace: { name: "web", labels }, config: config(scope), team: own }), isAllowed);
  });

test("a namespace without a name belongs to nobody", () => {
  const use = { namespace: { name: "", labels: labelled("blue") }, config: config(blue), team: team("blue", "") };
  assert.equal(mayUse(use), false);
});
