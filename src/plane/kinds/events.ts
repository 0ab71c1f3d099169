// SPDX-License-Identifier: Apache-2.0
import type { ResourceObject } from "../../schema/index.ts";
import { invalid } from "../status-error.ts";
import type { KubeObject, ResourceType, TableColumn } from "../types.ts";
import { column, nameColumn, since } from "./columns.ts";
import { coreEventProblems, newEventProblems } from "./event-rules.ts";
import { int32, microTime, needed, of, optional, pointer, required, shown, struct, text, time } from "./fields.ts";
import { builtIn } from "./kind.ts";
import { objectReference } from "./metadata.ts";
import { mapAt, textAt, valueAt } from "./rules.ts";

const CORE = "io.k8s.api.core.v1";
const EVENTS = "io.k8s.api.events.v1";

const source = struct(`${CORE}.EventSource`, "Who reported an event, in the old form.", {
  component: optional(text, "The program."),
  host: optional(text, "The node it runs on."),
});

const coreSeries = struct(`${CORE}.EventSeries`, "How often something happened.", {
  count: optional(int32, "How often, up to lastObservedTime."),
  lastObservedTime: shown(microTime, "When it last happened."),
});

const newSeries = struct(`${EVENTS}.EventSeries`, "How often something happened.", {
  count: needed(int32, "How often, up to lastObservedTime."),
  lastObservedTime: needed(microTime, "When it last happened."),
});

const REFERENCE_FIELDS = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

/** Events, as the core group shows them and as they are stored. */
export const coreEvents: ResourceType = builtIn({
  group: "",
  kind: "Event",
  plural: "events",
  shortNames: ["ev"],
  namespaced: true,
  definitions: CORE,
  about: "Something that happened to an object. Events are forgotten after an hour.",
  needsMetadata: true,
  fields: {
    involvedObject: needed(of(objectReference), "What it happened to."),
    reason: optional(text, "Why, as one word."),
    message: optional(text, "What happened, for people."),
    source: shown(of(source), "Who reported it, in the old form."),
    firstTimestamp: shown(time, "When it was first seen."),
    lastTimestamp: shown(time, "When it was last seen."),
    count: optional(int32, "How often it was seen."),
    type: optional(text, "Normal or Warning."),
    eventTime: shown(microTime, "When it happened."),
    series: pointer(of(coreSeries), "How often it happened, where it went on."),
    action: optional(text, "What was being done."),
    related: pointer(of(objectReference), "Another object that has to do with it."),
    reportingComponent: shown(text, "Who reported it, such as kubernetes.io/kubelet."),
    reportingInstance: shown(text, "Which one of several reporters."),
  },
  columns: eventColumns((event) => event),
  selectableFields: [
    ...REFERENCE_FIELDS.map((name) => `.involvedObject.${name}`),
    ".reason",
    ".reportingComponent",
    ".source",
    ".type",
  ],
  allowsCreateOnUpdate: true,
  behaviour: {
    validate: coreEventProblems,
    selectableValues: (event) => ({
      source: textAt(event, "source", "component") || textAt(event, "reportingComponent"),
    }),
  },
});

/** The same events, as events.k8s.io shows them. */
export const newEvents: ResourceType = builtIn({
  group: "events.k8s.io",
  kind: "Event",
  plural: "events",
  shortNames: ["ev"],
  namespaced: true,
  definitions: EVENTS,
  about: "Something that happened to an object. Events are forgotten after an hour.",
  fields: {
    eventTime: required(shown(microTime, "When it happened.")),
    series: pointer(of(newSeries), "How often it happened, where it went on."),
    reportingController: optional(text, "Who reported it, such as kubernetes.io/kubelet."),
    reportingInstance: optional(text, "Which one of several reporters."),
    action: optional(text, "What was being done."),
    reason: optional(text, "Why, as one word."),
    regarding: shown(of(objectReference), "What it happened to."),
    related: pointer(of(objectReference), "Another object that has to do with it."),
    note: optional(text, "What happened, for people."),
    type: optional(text, "Normal or Warning."),
    deprecatedSource: shown(of(source), "Who reported it, in the old form."),
    deprecatedFirstTimestamp: shown(time, "When it was first seen, in the old form."),
    deprecatedLastTimestamp: shown(time, "When it was last seen, in the old form."),
    deprecatedCount: optional(int32, "How often it was seen, in the old form."),
  },
  columns: eventColumns(keepEvent),
  selectableFields: [
    ...REFERENCE_FIELDS.map((name) => `.regarding.${name}`),
    ".reason",
    ".reportingController",
    ".type",
  ],
  allowsCreateOnUpdate: true,
  storage: { group: "", plural: "events", show: showEvent, keep: keepEvent },
  behaviour: {
    validate(event, old) {
      const problems = newEventProblems(keepEvent(event), old === undefined ? undefined : keepEvent(old));
      if (problems.length === 0) return [];
      // Inside the real server there is one kind of events, and it is the core group's.
      const shared = old === undefined ? [] : newEvents.resource.validate(asJson(event), asJson(old));
      throw invalid({ group: "", kind: "Event" }, event.metadata.name ?? "", [...shared, ...problems]);
    },
  },
});

/** Objects of the API are JSON; their type says less, so that fields need no check. */
function asJson(event: KubeObject): ResourceObject {
  return event as unknown as ResourceObject;
}

/** The fields whose names differ: in events.k8s.io, and in the core group. */
const RENAMED = [
  ["regarding", "involvedObject"],
  ["note", "message"],
  ["deprecatedSource", "source"],
  ["deprecatedFirstTimestamp", "firstTimestamp"],
  ["deprecatedLastTimestamp", "lastTimestamp"],
  ["deprecatedCount", "count"],
  ["reportingController", "reportingComponent"],
] as const;
const TO_CORE: ReadonlyMap<string, string> = new Map(RENAMED);
const TO_NEW: ReadonlyMap<string, string> = new Map(RENAMED.map(([shownAs, storedAs]) => [storedAs, shownAs]));

/** The event with its fields under other names. */
function renamed(event: KubeObject, names: ReadonlyMap<string, string>, apiVersion: string): KubeObject {
  const fields = Object.entries(event).map(([name, value]) => [names.get(name) ?? name, value]);
  return { ...Object.fromEntries(fields), apiVersion, kind: event.kind, metadata: event.metadata };
}

function showEvent(stored: KubeObject): KubeObject {
  const event = renamed(stored, TO_NEW, "events.k8s.io/v1");
  const { reportingController, reportingInstance, series, ...others } = event;
  // The core group always writes these two; here they are left out when empty. With the count it is the other way round.
  return {
    ...others,
    ...(reportingController === "" ? {} : { reportingController }),
    ...(reportingInstance === "" ? {} : { reportingInstance }),
    ...(series === undefined ? {} : { series: { count: 0, ...mapAt(event, "series") } }),
  };
}

function keepEvent(shownEvent: KubeObject): KubeObject {
  const { series, ...others } = renamed(shownEvent, TO_CORE, "v1");
  const { count, ...time } = mapAt(shownEvent, "series");
  return {
    ...others,
    reportingComponent: others.reportingComponent ?? "",
    reportingInstance: others.reportingInstance ?? "",
    ...(series === undefined ? {} : { series: count === 0 ? time : { count, ...time } }),
  };
}

/** Both groups print the same table, from the stored form. */
function eventColumns(stored: (event: KubeObject) => KubeObject): TableColumn[] {
  const cell = (
    name: string,
    description: string,
    value: (event: KubeObject, nowMs: number) => string | number,
    options?: { isWide: boolean },
  ) => column(name, description, (event, nowMs) => value(stored(event), nowMs), options);
  const wide = { isWide: true };
  return [
    cell("Last Seen", "When it last happened.", lastSeen),
    cell("Type", "Normal or Warning.", (event) => textAt(event, "type")),
    cell("Reason", "Why, as one word.", (event) => textAt(event, "reason")),
    cell("Object", "What it happened to.", objectText),
    cell("Subobject", "Which part of the object.", (event) => textAt(event, "involvedObject", "fieldPath"), wide),
    cell("Source", "Who reported it.", sourceText, wide),
    cell("Message", "What happened.", (event) => textAt(event, "message").trim()),
    cell("First Seen", "When it first happened.", firstSeen, wide),
    cell("Count", "How often it happened.", count, wide),
    { ...nameColumn, priority: 1 },
  ];
}

function firstSeen(event: KubeObject, nowMs: number): string {
  return since(textAt(event, "firstTimestamp") || textAt(event, "eventTime"), nowMs);
}

function lastSeen(event: KubeObject, nowMs: number): string {
  if (valueAt(event, "series") !== undefined) return since(textAt(event, "series", "lastObservedTime"), nowMs);
  const last = textAt(event, "lastTimestamp");
  return last === "" ? firstSeen(event, nowMs) : since(last, nowMs);
}

function count(event: KubeObject): number {
  if (valueAt(event, "series") !== undefined) return Number(valueAt(event, "series", "count") ?? 0);
  return Number(valueAt(event, "count") ?? 0) || 1;
}

function objectText(event: KubeObject): string {
  const kind = textAt(event, "involvedObject", "kind").toLowerCase();
  const name = textAt(event, "involvedObject", "name");
  return name === "" ? kind : `${kind}/${name}`;
}

function sourceText(event: KubeObject): string {
  const component = textAt(event, "source", "component") || textAt(event, "reportingComponent");
  const host = textAt(event, "source", "host") || textAt(event, "reportingInstance");
  return host === "" ? component : `${component}, ${host}`;
}
