// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { entryOfJson } from "../store/entry.ts";
import { selection } from "./selection.ts";

const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one", labels: { app: "web" } } };

function selecting(app: string) {
  let looks = 0;
  const isSelected = selection({
    selectorText: `app=${app}`,
    selects({ metadata: { labels } }) {
      looks += 1;
      return labels?.app === app;
    },
  });
  return { isSelected, looks: () => looks };
}

test("an object that is shown as it is stored is held against a selector once, however often it is listed", () => {
  const entry = entryOfJson("/configmaps/default/one", 1, JSON.stringify(object));
  const first = selecting("web");
  assert.equal(first.isSelected(entry, entry), true);
  const again = selecting("web");
  assert.equal(again.isSelected(entry, entry), true);
  assert.equal(again.looks(), 0);
});

test("another selector gets an answer of its own", () => {
  const entry = entryOfJson("/configmaps/default/one", 1, JSON.stringify(object));
  assert.equal(selecting("web").isSelected(entry, entry), true);
  assert.equal(selecting("db").isSelected(entry, entry), false);
  assert.equal(selecting("web").isSelected(entry, entry), true);
});

test("an object that is shown otherwise than it is stored is looked at each time", () => {
  const entry = entryOfJson("/configmaps/default/one", 1, JSON.stringify(object));
  const { isSelected, looks } = selecting("web");
  const view = { object: { ...object, metadata: { name: "one", labels: { app: "db" } } }, json: "{}" };
  assert.equal(isSelected(entry, view), false);
  assert.equal(isSelected(entry, view), false);
  assert.equal(looks(), 2);
});

test("without a selector everything is selected and nothing is parsed", () => {
  const entry = entryOfJson("/configmaps/default/one", 1, "not JSON");
  assert.equal(selection({ selects: undefined, selectorText: "" })(entry, entry), true);
});
