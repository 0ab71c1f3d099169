// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "../types.ts";
import { bootstrapObjects, builtInTypes, definitionName } from "./index.ts";
import { allCases, comparable, readAnswers } from "./testing/goldens.ts";
import { askLocal } from "./testing/local-judge.ts";
import { localServer } from "./testing/local-server.ts";

const clock = { now: () => Date.UTC(2030, 0, 1), after: () => () => undefined };

test("built-in kinds answer as a real server answered", async (t) => {
  const local = await localServer(clock);
  t.after(() => local.stop());
  const answers = readAnswers();
  for (const kindCase of allCases)
    assert.deepEqual(comparable(await askLocal(local, kindCase)), answers[kindCase.name], kindCase.name);
});

test("every case has another name", () => {
  assert.equal(new Set(allCases.map(({ name }) => name)).size, allCases.length);
});

test("a stored object with its defaults is as it was", async (t) => {
  const local = await localServer(clock);
  t.after(() => local.stop());
  for (const { group, plural, object } of bootstrapObjects()) {
    const type = local.type(group === "" ? plural : `${plural}.${group}`);
    const stored = local.objects.get(type, { namespace: "", name: object.metadata.name ?? "" });
    const { object: again, unknownFields } = type.resource.decode(stored as never);
    assert.deepEqual([again, unknownFields], [stored, []], plural);
  }
});

test("schemas are small enough to walk, and every kind has a definition", () => {
  for (const type of builtInTypes()) {
    assert.ok(JSON.stringify(type.schema).length < 100_000, type.kind);
    assert.match(definitionName(type.schema) ?? "", new RegExp(`\\.v1\\.${type.kind}$`));
  }
});

test("an event is the same whichever group it is written or read through", () => {
  const events = builtInTypes().find(({ group, kind }) => group === "events.k8s.io" && kind === "Event");
  const stored = {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "one", namespace: "default" },
    involvedObject: { kind: "Pod" },
    message: "m",
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
    eventTime: "2030-01-01T00:00:00.000000Z",
    series: { lastObservedTime: null },
    reportingComponent: "",
    reportingInstance: "i",
  } as KubeObject;
  const shown = events?.storage?.show(stored);
  assert.deepEqual(shown, {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name: "one", namespace: "default" },
    regarding: { kind: "Pod" },
    note: "m",
    deprecatedSource: {},
    deprecatedFirstTimestamp: null,
    deprecatedLastTimestamp: null,
    eventTime: "2030-01-01T00:00:00.000000Z",
    series: { count: 0, lastObservedTime: null },
    reportingInstance: "i",
  });
  assert.deepEqual(shown && events?.storage?.keep(shown), stored);
});
