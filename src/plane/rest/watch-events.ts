// SPDX-License-Identifier: Apache-2.0
import { partialMetadata, tableOf } from "../printing/index.ts";
import type { StatusError } from "../status-error.ts";
import type { Change, Clock, Entry, ResourceType } from "../types.ts";
import { apiVersionOf } from "./admit.ts";
import { withMetadata } from "./metadata.ts";
import type { Rendering } from "./render.ts";
import { type Shown, shown } from "./view.ts";

type EventType = "ADDED" | "MODIFIED" | "DELETED";

/** Writes the events of one watch as lines of JSON. */
export interface EventWriter {
  /** What was there before the watch. Not shared with others: they watch from other moments. */
  initial(type: ResourceType, view: Shown): string;
  /** A change, as it looks to a watch that selects; empty where it is none of its business. */
  change(type: ResourceType, change: Change, selects: (view: Shown) => boolean): string;
  /** How far the watch has come; `endsInitial` says that all initial events were sent. */
  bookmark(type: ResourceType, revision: number, endsInitial: boolean): string;
  error(error: StatusError): string;
}

/** Makes a writer. Events without a transformation are encoded once for all watches. */
export function createEventWriter({ representation, includeObject }: Rendering, clock: Clock): EventWriter {
  const { as, version } = representation;
  let withoutColumns = false;
  const transformed = (type: ResourceType, view: Shown): string => {
    if (as === "PartialObjectMetadata") return JSON.stringify(partialMetadata(view.object, version));
    const { resourceVersion } = view.object.metadata;
    const metadata = resourceVersion === undefined ? {} : { resourceVersion };
    const table = tableOf(type, [view], { nowMs: clock.now(), includeObject, metadata, version, withoutColumns });
    withoutColumns = true;
    return JSON.stringify(table);
  };
  const write = (type: ResourceType, eventType: EventType, view: Shown): string =>
    as === "object" ? encodedOnce(eventType, view) : line(eventType, transformed(type, view));
  return {
    initial: (type, view) => line("ADDED", as === "object" ? view.json : transformed(type, view)),
    change(type, { type: eventType, entry, previous }, selects) {
      const now = shown(type, entry);
      const before = previous === undefined ? undefined : shown(type, previous);
      const wasSelected = before !== undefined && selects(before);
      // An object that starts or stops being selected comes and goes for this watch.
      if (eventType !== "DELETED" && selects(now)) return write(type, wasSelected ? "MODIFIED" : "ADDED", now);
      if (!wasSelected) return "";
      return write(type, "DELETED", eventType === "DELETED" ? now : leaving(before, entry));
    },
    bookmark(type, revision, endsInitial) {
      const annotations = endsInitial ? { annotations: { "k8s.io/initial-events-end": "true" } } : {};
      const metadata = { resourceVersion: String(revision), ...annotations };
      const object = { apiVersion: apiVersionOf(type), kind: type.kind, metadata };
      return line("BOOKMARK", as === "object" ? JSON.stringify(object) : transformed(type, { object, json: "" }));
    },
    error: (error) => line("ERROR", JSON.stringify(error.status)),
  };
}

/** What stops being selected is told as it was last, at the revision at which it stopped. */
function leaving(before: Shown, { revision }: Entry): Shown {
  const object = withMetadata(before.object, { resourceVersion: String(revision) });
  return { object, json: JSON.stringify(object) };
}

/** Of the latest events only, which is when all watches want them. */
const encoded = new Map<Shown, Partial<Record<EventType, string>>>();
const MAX_ENCODED = 512;

function encodedOnce(eventType: EventType, view: Shown): string {
  const known = encoded.get(view) ?? {};
  known[eventType] ??= line(eventType, view.json);
  if (!encoded.has(view)) {
    encoded.set(view, known);
    const [oldest] = encoded.size > MAX_ENCODED ? encoded.keys() : [];
    if (oldest !== undefined) encoded.delete(oldest);
  }
  return known[eventType];
}

function line(eventType: string, json: string): string {
  return `{"type":"${eventType}","object":${json}}\n`;
}
