// SPDX-License-Identifier: Apache-2.0
import { failure, notAcceptable } from "../status-error.ts";

/** How an answer is to be given. */
export interface Representation {
  readonly format: "json" | "yaml";
  /** What objects are turned into before they are sent. */
  readonly as: "object" | "Table" | "PartialObjectMetadata";
  readonly version: "v1" | "v1beta1";
}

const ACCEPTED = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
const PLAIN: Representation = { format: "json", as: "object", version: "v1" };

interface Range {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/** Chooses a representation by the Accept header, or throws 406. Protobuf is not spoken: JSON, where that is also named. */
export function negotiate(accept: string | undefined): Representation {
  const chosen = choose(accept);
  if (chosen === undefined) throw notAcceptable(ACCEPTED);
  return chosen;
}

/** The same for built-in kinds, where the real server's router is the one that says no. */
export function negotiateByRoute(accept: string | undefined, isCollection: boolean): Representation {
  const chosen = choose(accept);
  if (chosen !== undefined) return chosen;
  // Unlike an unknown type, a transformation that nobody knows gets past the router.
  if (rangesOf(accept ?? "").some(({ type }) => formatOf(type) !== undefined)) throw notAcceptable(ACCEPTED);
  const streams = ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];
  const available = [...ACCEPTED, ...(isCollection ? streams : [])].join(", ");
  const message = `406: Not Acceptable\n\nAvailable representations: ${available}`;
  throw failure({ code: 406, reason: "NotAcceptable", message, details: {} });
}

/** How errors are told: in the format that was asked for, or else in JSON. */
export function errorFormat(accept: string | undefined): Representation["format"] {
  return choose(accept)?.format ?? "json";
}

function choose(accept: string | undefined): Representation | undefined {
  if (accept === undefined || accept === "" || accept === "application/json" || accept === "*/*") return PLAIN;
  for (const { type, parameters } of rangesOf(accept)) {
    const format = formatOf(type);
    if (format === undefined) continue;
    const as = parameters.get("as");
    if (as === undefined) return { ...PLAIN, format };
    const version = parameters.get("v");
    if (parameters.get("g") !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) continue;
    if (as === "Table") return { format, as, version };
    if (as === "PartialObjectMetadata" || as === "PartialObjectMetadataList")
      return { format, as: "PartialObjectMetadata", version };
  }
  return undefined;
}

/** Whether the Accept header asks for discovery in one document. */
export function wantsAggregatedDiscovery(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes("apidiscovery.k8s.io")) return false;
  for (const { type, parameters } of rangesOf(accept)) {
    if (formatOf(type) !== "json") continue;
    if (!parameters.has("as")) return false;
    if (
      parameters.get("g") === "apidiscovery.k8s.io" &&
      parameters.get("v") === "v2" &&
      parameters.get("as") === "APIGroupDiscoveryList"
    )
      return true;
  }
  return false;
}

function formatOf(type: string): "json" | "yaml" | undefined {
  if (type === "application/json" || type === "*/*" || type === "application/*") return "json";
  return type === "application/yaml" ? "yaml" : undefined;
}

function rangesOf(accept: string): Range[] {
  const ranges = accept.split(",").map((text): Range => {
    const [type = "", ...rest] = text.split(";").map((part) => part.trim());
    const parameters = new Map(
      rest.map((part): [string, string] => {
        const [name = "", value = ""] = part.split("=");
        return [name.trim().toLowerCase(), value.trim()];
      }),
    );
    const quality = Number(parameters.get("q") ?? 1);
    return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 0 : quality };
  });
  return ranges.filter(({ quality }) => quality > 0).sort((one, other) => other.quality - one.quality);
}
