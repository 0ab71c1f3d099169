// SPDX-License-Identifier: Apache-2.0
import type { Kind } from "../api/kind.ts";
import type { KubernetesObject } from "../api/kind-definition.ts";
import { didYouMean, suggest } from "../lib/suggest.ts";
import type { Json, Path, Problem, ResourceObject } from "../schema/index.ts";

/** The kinds a manifest is checked by, and how. */
export interface Catalogue {
  kinds: readonly Kind[];
  /** What an API server would say to this object, all at once. */
  admit(kind: Kind, object: ResourceObject): Verdict;
  /** What of the object's shape is deprecated. */
  normalise(kind: Kind, object: ResourceObject): readonly Warning[];
}

/** What is wrong with an object. */
interface Verdict {
  problems: readonly Problem[];
  unknownFields: readonly { path: Path; field: string }[];
  warnings: readonly Warning[];
}

interface Warning {
  path: Path;
  message: string;
}

/** Something wrong with how an object names its kind. */
interface Misnomer {
  path: Path;
  reason: string;
  message: string;
}

/** What a document turned out to be: an object of ours, one that was meant to be, another's, or no object at all. */
export type Recognised =
  | { is: "ours"; kind: Kind; object: ResourceObject }
  | { is: "misnamed"; remarks: readonly Misnomer[] }
  | { is: "foreign" }
  | { is: "shapeless"; remarks: readonly Misnomer[] };

export function isFields(value: Json | undefined): value is ResourceObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether an object has the three fields every object has; what is in them is not looked at. */
export function isKubernetesObject(value: ResourceObject): value is ResourceObject & KubernetesObject {
  return typeof value.apiVersion === "string" && typeof value.kind === "string" && isFields(value.metadata);
}

/**
 * Tells which kind a document is of. An object that names our group, or a kind of ours with an apiVersion much like
 * ours, was meant to be ours; any other is somebody else's.
 */
export function recognise(value: Json, { kinds }: Catalogue): Recognised {
  if (!isFields(value))
    return {
      is: "shapeless",
      remarks: [{ path: [], reason: "FieldValueTypeInvalid", message: "not a Kubernetes object" }],
    };
  const { apiVersion, kind } = value;
  if (apiVersion === undefined && kind === undefined) {
    return { is: "shapeless", remarks: [required("apiVersion"), required("kind")] };
  }
  const ours = kinds.find((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
  if (ours !== undefined) return { is: "ours", kind: ours, object: value };
  const remarks = misnomers(apiVersion, kind, kinds);
  return remarks.length === 0 ? { is: "foreign" } : { is: "misnamed", remarks };
}

/** The objects in a `List`, or in a list of one of our kinds; undefined for anything else. */
export function itemsOf(value: Json, { kinds }: Catalogue): readonly Json[] | undefined {
  if (!isFields(value) || !Array.isArray(value.items)) return undefined;
  const isPlainList = (value.apiVersion ?? "v1") === "v1" && value.kind === "List";
  const isOurs = kinds.some((one) => value.kind === `${one.kind}List` && value.apiVersion === apiVersionOf(one));
  return isPlainList || isOurs ? value.items : undefined;
}

function misnomers(apiVersion: unknown, kind: unknown, kinds: readonly Kind[]): Misnomer[] {
  const versions = [...new Set(kinds.map(apiVersionOf))];
  const groups = new Set<string>(kinds.map(({ group }) => group));
  const isOurKind = kinds.some((one) => one.kind === kind);
  const hasOurGroup = typeof apiVersion === "string" && groups.has(apiVersion.split("/")[0] ?? "");
  const hasOurVersion = typeof apiVersion === "string" && versions.includes(apiVersion);
  const isNearOurs = typeof apiVersion === "string" && suggest(apiVersion, versions) !== undefined;
  // Other groups have kinds of these names too, but neither the core group nor one that calls itself butler.
  const claimsOurs = isOurKind && typeof apiVersion === "string" && /^[^/]*butler|^[^/]*$/.test(apiVersion);
  const mayBeOurKind =
    isOurKind ||
    (typeof kind === "string" &&
      suggest(
        kind,
        kinds.map((one) => one.kind),
      ) !== undefined);
  if (!hasOurGroup && !claimsOurs && !(mayBeOurKind && isNearOurs) && !(isOurKind && typeof apiVersion !== "string"))
    return [];
  return [
    ...(hasOurVersion ? [] : [wrongApiVersion(apiVersion, versions)]),
    ...(isOurKind ? [] : [wrongKind(kind, kinds)]),
  ];
}

function wrongApiVersion(apiVersion: unknown, versions: readonly string[]): Misnomer {
  if (apiVersion === undefined) return required("apiVersion");
  const near = suggest(String(apiVersion), versions) ?? versions[0];
  return {
    path: ["apiVersion"],
    reason: "FieldValueNotSupported",
    message: `no such version ${JSON.stringify(apiVersion)} (did you mean "${near}"?)`,
  };
}

function wrongKind(kind: unknown, kinds: readonly Kind[]): Misnomer {
  if (kind === undefined) return required("kind");
  const names = kinds.map((one) => one.kind);
  const near = didYouMean(String(kind), names) || `; there are ${names.join(", ")}`;
  return { path: ["kind"], reason: "FieldValueNotSupported", message: `no such kind ${JSON.stringify(kind)}${near}` };
}

function required(field: string): Misnomer {
  return { path: [field], reason: "FieldValueRequired", message: "Required value" };
}

function apiVersionOf({ group, version }: Kind): string {
  return `${group}/${version}`;
}
