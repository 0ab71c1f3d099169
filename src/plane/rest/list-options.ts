// SPDX-License-Identifier: Apache-2.0
import { quote } from "../../schema/go-text.ts";
import type { Problem } from "../../schema/index.ts";
import { forbidden, notSupported } from "../../schema/problems.ts";
import { isTrue } from "../request-info.ts";
import { badRequest, invalid } from "../status-error.ts";
import type { KubeObject, RequestInfo, ResourceType } from "../types.ts";
import { type FieldSelector, parseFieldSelector } from "./field-selector.ts";
import { type LabelSelector, parseLabelSelector, parseLabelText, SelectorError } from "./label-selector.ts";
import { integerOption } from "./options.ts";
import { uintProblem } from "./parse-uint.ts";

/** What a list or watch asks for. */
export interface ListOptions {
  readonly labels: LabelSelector | undefined;
  readonly fields: FieldSelector | undefined;
  /** As given: empty, "0" or a number. */
  readonly resourceVersion: string;
  readonly resourceVersionMatch: "" | "Exact" | "NotOlderThan";
  /** No limit when undefined. */
  readonly limit: number | undefined;
  readonly continueText: string;
  readonly timeoutSeconds: number | undefined;
  readonly allowsBookmarks: boolean;
  readonly sendsInitialEvents: boolean | undefined;
  /** The selectors as they were given: the same text selects the same objects of a type. */
  readonly selectorText: string;
  /** Whether an object is asked for; undefined when all are. */
  readonly selects: ((object: KubeObject) => boolean) | undefined;
  /** A quick test of an object's stored text: false where it is certainly not asked for; undefined where there is none. */
  readonly maySelect: ((json: string) => boolean) | undefined;
}

/** Reads and checks the query of a list, watch or deletecollection. */
export function listOptions(info: RequestInfo, type: ResourceType): ListOptions {
  const { query, name } = info;
  const labels = readLabels(query.get("labelSelector") ?? "");
  const limit = integerOption(query, "limit");
  const timeoutSeconds = integerOption(query, "timeoutSeconds");
  const isWatch = info.verb === "watch";
  const resourceVersion = query.get("resourceVersion") ?? "";
  const initial = query.get("sendInitialEvents");
  const givenMatch = query.get("resourceVersionMatch") ?? "";
  // A watch from nowhere in particular begins with what is there.
  const isFromAnywhere = isWatch && initial === null && givenMatch === "" && ["", "0"].includes(resourceVersion);
  const resourceVersionMatch = isFromAnywhere ? "NotOlderThan" : givenMatch;
  const common = {
    resourceVersion,
    continueText: query.get("continue") ?? "",
    sendsInitialEvents: initial === null ? isFromAnywhere || undefined : isTrue(initial),
  };
  const problems = (isWatch ? watchProblems : listProblems)({ ...common, resourceVersionMatch });
  if (problems.length > 0) throw invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", problems);
  const fields = fieldsOf(info, type);
  return {
    ...common,
    resourceVersionMatch: isMatch(resourceVersionMatch) ? resourceVersionMatch : "",
    labels,
    fields,
    limit: limit === undefined || limit <= 0 ? undefined : limit,
    timeoutSeconds,
    allowsBookmarks: isTrue(query.get("allowWatchBookmarks")),
    selectorText: JSON.stringify([query.get("labelSelector"), query.get("fieldSelector"), name]),
    selects: selectsOf(labels, fields),
    maySelect: parseLabelText(query.get("labelSelector") ?? ""),
  };
}

function isMatch(text: string): text is "" | "Exact" | "NotOlderThan" {
  return ["", "Exact", "NotOlderThan"].includes(text);
}

function readLabels(text: string): LabelSelector | undefined {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    throw error instanceof SelectorError ? badRequest(error.message) : error;
  }
}

/** A name in the path of a watch counts as a selector. */
function fieldsOf({ query, name }: RequestInfo, type: ResourceType): FieldSelector | undefined {
  const fields = parseFieldSelector(query.get("fieldSelector") ?? "", type);
  if (name === "") return fields;
  if (fields === undefined) return parseFieldSelector(`metadata.name=${name.replace(/[\\,=]/g, "\\$&")}`, type);
  if (fields.exactly("metadata.name") !== name)
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  return fields;
}

function selectsOf(
  labels: LabelSelector | undefined,
  fields: FieldSelector | undefined,
): ((object: KubeObject) => boolean) | undefined {
  if (labels === undefined) return fields === undefined ? undefined : (object) => fields.matches(object);
  if (fields === undefined) return (object) => labels(object.metadata.labels);
  return (object) => labels(object.metadata.labels) && fields.matches(object);
}

interface VersionOptions {
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly continueText: string;
  readonly sendsInitialEvents: boolean | undefined;
}

const MATCH = { path: ["resourceVersionMatch"], field: "resourceVersionMatch" };
const INITIAL = { path: ["sendInitialEvents"], field: "sendInitialEvents" };

function listProblems(options: VersionOptions): Problem[] {
  const { resourceVersion, resourceVersionMatch: match, continueText, sendsInitialEvents } = options;
  const problems: Problem[] = [];
  if (match !== "") {
    if (resourceVersion === "")
      problems.push(forbidden(MATCH, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
    if (continueText !== "")
      problems.push(forbidden(MATCH, "resourceVersionMatch is forbidden when continue is provided"));
    if (!isMatch(match)) problems.push(notSupported(MATCH, match, ["Exact", "NotOlderThan", ""]));
    if (match === "Exact" && resourceVersion === "0")
      problems.push(forbidden(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  if (sendsInitialEvents !== undefined) problems.push(forbidden(INITIAL, "sendInitialEvents is forbidden for list"));
  return problems;
}

function watchProblems(options: VersionOptions): Problem[] {
  const { resourceVersionMatch: match, continueText, sendsInitialEvents } = options;
  const problems: Problem[] = [];
  if (sendsInitialEvents !== undefined && match !== "NotOlderThan")
    problems.push(forbidden(MATCH, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  if (match === "") return problems;
  if (sendsInitialEvents === undefined)
    problems.push(forbidden(MATCH, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
  if (match !== "NotOlderThan") problems.push(notSupported(MATCH, match, ["NotOlderThan"]));
  if (continueText !== "")
    problems.push(forbidden(MATCH, "resourceVersionMatch is forbidden when continue is provided"));
  return problems;
}

/** A resourceVersion as a number; undefined where none is given, or "0", which means any. */
export function parseRevision(text: string, { prefix = "invalid resource version: " } = {}): number | undefined {
  if (text === "" || text === "0") return undefined;
  const why = uintProblem(text);
  if (why === undefined) return Number(text) || undefined;
  throw badRequest(`${prefix}resourceVersion: Invalid value: ${quote(text)}: ${why}`);
}
