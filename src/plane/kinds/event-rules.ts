// SPDX-License-Identifier: Apache-2.0
import type { Problem } from "../../schema/index.ts";
import { deepEqual } from "../../schema/json.ts";
import { subdomainName } from "../../schema/metadata-rules.ts";
import { dns1123SubdomainProblems, labelKeyProblems, pathSegmentProblems } from "../../schema/names.ts";
import { at, invalid, required } from "../../schema/problems.ts";
import type { KubeObject } from "../types.ts";
import {
  anyMetadata,
  createdMetadata,
  field,
  IMMUTABLE,
  invalidFor,
  invalidText,
  mapAt,
  textAt,
  updatedMetadata,
  valueAt,
} from "./rules.ts";

/** What is wrong with an Event that came through the core group. Old clients count on these rules being few. */
export function coreEventProblems(event: KubeObject, old: KubeObject | undefined): Problem[] {
  const problems = sharedProblems(event, "reportingComponent");
  if (old !== undefined || problems.length > 0) return problems;
  return anyMetadata(event, pathSegmentProblems);
}

/** What is wrong with an Event that came through events.k8s.io, in the form in which it is stored. */
export function newEventProblems(event: KubeObject, old: KubeObject | undefined): Problem[] {
  const problems = sharedProblems(event, "reportingController");
  return old === undefined
    ? [...problems, ...createdMetadata(event, subdomainName), ...creationProblems(event)]
    : [...problems, ...updatedMetadata(event, old), ...changeProblems(event, old)];
}

function sharedProblems(event: KubeObject, reporter: string): Problem[] {
  const namespace = textAt(event, "metadata", "namespace");
  const involved = textAt(event, "involvedObject", "namespace");
  const problems: Problem[] = [];
  const hasTime = textAt(event, "eventTime") !== "";
  const isAstray = hasTime
    ? involved === "" && namespace !== "default" && namespace !== "kube-system"
    : involved === ""
      ? namespace !== "" && namespace !== "default"
      : namespace !== involved;
  if (isAstray)
    problems.push(invalid(at(field("involvedObject", "namespace")), involved, "does not match event.namespace"));
  if (hasTime) problems.push(...reportProblems(event, reporter));
  return [...problems, ...invalidFor(field("namespace"), namespace, dns1123SubdomainProblems(namespace))];
}

function reportProblems(event: KubeObject, reporter: string): Problem[] {
  const component = textAt(event, "reportingComponent");
  const problems: Problem[] = component === "" ? [required(at(field(reporter)))] : [];
  problems.push(...invalidFor(field(reporter), component, labelKeyProblems(component)));
  const limit = (name: string, most: number) => {
    if (Buffer.byteLength(textAt(event, name)) > most)
      problems.push(invalid(at(field(name)), "", `can have at most ${most} characters`));
  };
  for (const name of ["reportingInstance", "action", "reason"]) {
    if (textAt(event, name) === "") problems.push(required(at(field(name))));
    limit(name, 128);
  }
  limit("message", 1024);
  return problems;
}

function creationProblems(event: KubeObject): Problem[] {
  const problems = seriesProblems(event);
  if (textAt(event, "eventTime") === "") problems.push(required(at(field("eventTime"))));
  const type = textAt(event, "type");
  if (type !== "Normal" && type !== "Warning")
    problems.push(invalid(at(field("type")), "", `has invalid value: ${type}`));
  const unset = (name: string) => problems.push(invalid(at(field(name)), "", "needs to be unset"));
  for (const name of ["firstTimestamp", "lastTimestamp", "count"]) if (valueAt(event, name)) unset(name);
  if (Object.keys(mapAt(event, "source")).length > 0) unset("source");
  return problems;
}

function seriesProblems(event: KubeObject): Problem[] {
  if (valueAt(event, "series") === undefined) return [];
  const problems: Problem[] = [];
  if (Number(valueAt(event, "series", "count") ?? 0) < 2)
    problems.push(invalid(at(field("series.count")), "", "should be at least 2"));
  if (textAt(event, "series", "lastObservedTime") === "") problems.push(required(at(field("series.lastObservedTime"))));
  return problems;
}

/** Nearly everything in an Event is a statement about the past. */
function changeProblems(event: KubeObject, old: KubeObject): Problem[] {
  const isSame = (name: string) => deepEqual(valueAt(event, name) ?? null, valueAt(old, name) ?? null);
  const problems = isSame("series") ? [] : seriesProblems(event);
  const fixed = [
    ["involvedObject", involvedText(event)],
    ["reason"],
    ["message"],
    ["source", { Component: textAt(event, "source", "component"), Host: textAt(event, "source", "host") }],
    ["firstTimestamp"],
    ["lastTimestamp"],
    ["count", valueAt(event, "count") ?? 0],
    ["reason"],
    ["type"],
    ["eventTime"],
    ["action"],
    ["related", valueAt(event, "related") === undefined ? null : referenceText(mapAt(event, "related"))],
    ["reportingComponent", textAt(event, "reportingComponent"), "reportingController"],
    ["reportingInstance"],
  ] as const;
  for (const [name, value, shownAs] of fixed) {
    if (isSame(name)) continue;
    const now = value === undefined ? (valueAt(event, name) ?? (isTime(name) ? null : "")) : value;
    const place = field(shownAs ?? name);
    problems.push(typeof now === "object" ? invalidText(place, now, IMMUTABLE) : invalid(at(place), now, IMMUTABLE));
  }
  return problems;
}

function isTime(name: string): boolean {
  return name.endsWith("Time") || name.endsWith("Timestamp");
}

function involvedText(event: KubeObject): Record<string, string> {
  return referenceText(mapAt(event, "involvedObject"));
}

/** References are printed with the names that they have inside the real server. */
function referenceText(reference: unknown): Record<string, string> {
  return {
    Kind: textAt(reference, "kind"),
    Namespace: textAt(reference, "namespace"),
    Name: textAt(reference, "name"),
    UID: textAt(reference, "uid"),
    APIVersion: textAt(reference, "apiVersion"),
    ResourceVersion: textAt(reference, "resourceVersion"),
    FieldPath: textAt(reference, "fieldPath"),
  };
}
