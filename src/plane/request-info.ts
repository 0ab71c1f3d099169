// SPDX-License-Identifier: Apache-2.0
import { pathSegmentProblems } from "../schema/names.ts";
import { parseTarget } from "./request-target.ts";
import type { RequestInfo } from "./types.ts";

const VERBS: Readonly<Record<string, string>> = {
  POST: "create",
  GET: "get",
  HEAD: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

const NAMESPACE_SUBRESOURCES = new Set(["status", "finalize"]);

/**
 * Takes a request's path apart and derives its verb, as Kubernetes does; RBAC is evaluated by the result. A path that
 * cannot be decoded is no resource. Never throws.
 */
export function requestInfo(method: string, target: string): RequestInfo {
  const { path, query } = parseTarget(target) ?? { path: "", query: new URLSearchParams() };
  const parts = path.split("/").filter((part, at, all) => part !== "" || (at > 0 && at < all.length - 1));
  const other: RequestInfo = {
    isResource: false,
    verb: method.toLowerCase(),
    path,
    query,
    group: "",
    version: "",
    namespace: "",
    plural: "",
    subresource: "",
    name: "",
    rest: [],
  };
  const isCore = parts[0] === "api";
  if ((!isCore && parts[0] !== "apis") || parts.length < (isCore ? 3 : 4)) return other;
  const [group, version, below] = isCore
    ? ["", parts[1] ?? "", parts.slice(2)]
    : [parts[1] ?? "", parts[2] ?? "", parts.slice(3)];
  return { ...other, isResource: true, group, version, ...resourcePart(method, below, query) };
}

type ResourcePart = Pick<RequestInfo, "verb" | "namespace" | "plural" | "subresource" | "name" | "rest">;

function resourcePart(method: string, given: readonly string[], query: URLSearchParams): ResourcePart {
  let parts = given;
  let verb = Object.hasOwn(VERBS, method) ? (VERBS[method] ?? "") : "";
  const isOldWatch = parts[0] === "watch" && parts.length > 1;
  if (isOldWatch) {
    verb = "watch";
    parts = parts.slice(1);
  }
  let namespace = "";
  if (parts[0] === "namespaces" && parts.length > 1) {
    namespace = parts[1] ?? "";
    if (parts.length > 2 && !NAMESPACE_SUBRESOURCES.has(parts[2] ?? "")) parts = parts.slice(2);
  }
  const [plural = "", pathName = "", subresource = "", ...rest] = parts;
  let name = pathName;
  if (name === "" && verb === "get") {
    verb = isTrue(query.get("watch")) ? "watch" : "list";
    const selected = selectedName(query.get("fieldSelector") ?? "");
    if (selected !== undefined && pathSegmentProblems(selected, false).length === 0) name = selected;
  }
  if (name === "" && verb === "delete") verb = "deletecollection";
  return { verb, namespace, plural, subresource, name, rest };
}

/** How the server reads a boolean in a query: anything that is not false is true. */
export function isTrue(value: string | null): boolean {
  return value !== null && value.toLowerCase() !== "false" && value !== "0";
}

/** The name that a field selector asks for, where it asks for exactly one. */
function selectedName(selector: string): string | undefined {
  for (const term of selector.split(",")) {
    const match = /^metadata\.name==?([^=!].*)$/.exec(term);
    if (match !== null) return match[1];
  }
  return undefined;
}
