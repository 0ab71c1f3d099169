// SPDX-License-Identifier: Apache-2.0
import { printYaml } from "../../lib/yaml-print.ts";
import { compareText } from "../../schema/go-text.ts";
import { type IncludeObject, partialMetadata, tableOf } from "../printing/index.ts";
import { badRequest } from "../status-error.ts";
import type { PlaneResponse, ResourceType } from "../types.ts";
import { apiVersionOf } from "./admit.ts";
import type { Page } from "./list.ts";
import type { Representation } from "./negotiate.ts";
import type { Shown } from "./view.ts";

/** How an answer is shown to whom. */
export interface Rendering {
  readonly representation: Representation;
  readonly includeObject: IncludeObject;
  readonly isPretty: boolean;
  readonly nowMs: number;
}

/** Reads how rows of a table carry their objects. */
export function includeObjectOf(query: URLSearchParams): IncludeObject {
  const text = query.get("includeObject") ?? "";
  if (text === "") return "Metadata";
  if (text === "None" || text === "Metadata" || text === "Object") return text;
  throw badRequest(
    "Unable to convert to Table as requested: " +
      `includeObject: Invalid value: ${JSON.stringify(text)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

/** Browsers and curl are used by people. */
export function isPretty(query: URLSearchParams, userAgent: string | undefined): boolean {
  const pretty = query.get("pretty");
  if (pretty !== null) return pretty !== "false" && pretty !== "0";
  return /^(curl|Wget|Mozilla\/5\.0)/.test(userAgent ?? "");
}

/** An answer of JSON text, in the format that was asked for. */
export function respond(
  status: number,
  json: string,
  { representation, isPretty }: Pick<Rendering, "representation" | "isPretty">,
  warnings: readonly string[] = [],
): PlaneResponse {
  const isYaml = representation.format === "yaml";
  const body = isYaml ? yamlOf(json) : isPretty ? JSON.stringify(JSON.parse(json), null, 2) : json;
  return {
    status,
    headers: {
      "content-type": isYaml ? "application/yaml" : "application/json",
      "cache-control": "no-cache, private",
      ...(warnings.length === 0 ? {} : { warning: warningHeaders(warnings) }),
    },
    body,
  };
}

/** JSON as YAML, keys in order as the server's are. */
export function yamlOf(json: string): string {
  return printYaml(sorted(JSON.parse(json)));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => compareText(one, other));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

/** The longest that all warnings of one answer may be. */
const MAX_WARNING_CHARS = 4096;

/** The Warning headers, each once, escaped as RFC 7230 wants it. */
export function warningHeaders(warnings: readonly string[]): readonly string[] {
  const headers: string[] = [];
  let left = MAX_WARNING_CHARS;
  for (const warning of new Set(warnings)) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must not get into a header
    const text = warning.replace(/[\u0000-\u0008\u000a-\u001f\u007f]/g, " ");
    const escaped = Buffer.from(text.replace(/["\\]/g, "\\$&")).toString("latin1");
    if (escaped.length > left) break;
    left -= escaped.length;
    headers.push(`299 - "${escaped}"`);
  }
  return headers;
}

/** One object as JSON, transformed as asked. */
export function objectJson(type: ResourceType, view: Shown, rendering: Rendering): string {
  const { representation, includeObject, nowMs } = rendering;
  const { as, version } = representation;
  if (as === "object") return view.json;
  if (as === "PartialObjectMetadata") return JSON.stringify(partialMetadata(view.object, version));
  const { resourceVersion } = view.object.metadata;
  const metadata = resourceVersion === undefined ? {} : { resourceVersion };
  return JSON.stringify(tableOf(type, [view], { nowMs, includeObject, metadata, version }));
}

/** A page of a list as JSON, transformed as asked. */
export function pageJson(type: ResourceType, page: Page, rendering: Rendering): string {
  const { representation, includeObject, nowMs } = rendering;
  const { as, version } = representation;
  const metadata = {
    resourceVersion: String(page.revision),
    ...(page.continueText === undefined ? {} : { continue: page.continueText }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
  };
  if (as === "Table") return JSON.stringify(tableOf(type, page.items, { nowMs, includeObject, metadata, version }));
  if (as === "PartialObjectMetadata") {
    const items = page.items.map(({ object }) => partialMetadata(object, version));
    return JSON.stringify({
      kind: "PartialObjectMetadataList",
      apiVersion: `meta.k8s.io/${version}`,
      metadata,
      items,
    });
  }
  const head = JSON.stringify({
    kind: type.listKind,
    apiVersion: apiVersionOf(type),
    metadata: type.isCustom ? { continue: "", ...metadata } : metadata,
  });
  const items = page.items.map(({ json }) => (type.isCustom ? json : withoutTypeMeta(type, json)));
  return `${head.slice(0, -1)},"items":[${items.join(",")}]}`;
}

/** In lists of built-in kinds the items do not say again what they are. */
function withoutTypeMeta(type: ResourceType, json: string): string {
  const head = `{"apiVersion":"${apiVersionOf(type)}","kind":"${type.kind}",`;
  if (json.startsWith(head)) return `{${json.slice(head.length)}`;
  const { apiVersion: _, kind: __, ...rest } = Object(JSON.parse(json));
  return JSON.stringify(rest);
}
