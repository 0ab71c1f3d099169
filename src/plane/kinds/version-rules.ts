// SPDX-License-Identifier: Apache-2.0
import { isObject } from "../../schema/go-text.ts";
import { type Json, type Problem, type Schema, structuralProblems } from "../../schema/index.ts";
import { deepEqual } from "../../schema/json.ts";
import { dns1035LabelProblems } from "../../schema/names.ts";
import { child, index, type Place, pathOf } from "../../schema/place.ts";
import { at, duplicate, invalid, required, tooMany } from "../../schema/problems.ts";
import { field, listAt, textAt, valueAt } from "./rules.ts";

const COLUMN_TYPES = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
const MAX_SELECTABLE_FIELDS = 8;

/** Parts of versions that the server reports once, at the definition's top, where all versions agree about them. */
type SharedPart = "schema" | "subresources" | "additionalPrinterColumns" | "selectableFields";

/** Whether all versions agree about a part. */
function isShared(versions: readonly Json[], part: SharedPart): boolean {
  const [first] = versions;
  return versions.every((version) => deepEqual(valueAt(version, part) ?? null, valueAt(first, part) ?? null));
}

/** What is wrong with the versions, or with what they share. */
export function versionProblems(
  versions: readonly Json[],
  { areShared = false }: { areShared?: boolean } = {},
): Problem[] {
  if (areShared) {
    const [first] = versions;
    return first === undefined ? [] : partProblems(first, field("spec"), (part) => isShared(versions, part));
  }
  return versions.flatMap((version, position) => {
    const place = index(field("spec", "versions"), position);
    const name = textAt(version, "name");
    const words = dns1035LabelProblems(name);
    return [
      ...(words.length > 0 ? [invalid(at(child(place, "name")), name, words.join(","))] : []),
      ...deprecationProblems(version, child(place, "deprecationWarning")),
      ...partProblems(version, place, (part) => !isShared(versions, part)),
    ];
  });
}

function deprecationProblems(version: Json, place: Place): Problem[] {
  const warning = valueAt(version, "deprecationWarning");
  if (typeof warning !== "string") return [];
  const words: string[] = [];
  if (valueAt(version, "deprecated") !== true) words.push("can only be set for deprecated versions");
  else {
    if (Buffer.byteLength(warning) > 256) words.push("must be <= 256 characters long");
    if (warning === "") words.push("must not be an empty string");
    const odd = [...warning].findIndex((character) => !/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character));
    if (odd >= 0) {
      const where = Buffer.byteLength([...warning].slice(0, odd).join(""));
      words.push(`must only contain printable UTF-8 characters; non-printable character found at index ${where}`);
    }
  }
  return words.map((detail) => invalid(at(place), warning, detail));
}

function partProblems(version: Json, place: Place, isHere: (part: SharedPart) => boolean): Problem[] {
  const problems: Problem[] = [];
  if (isHere("schema")) problems.push(...schemaProblems(version, place));
  if (isHere("subresources"))
    problems.push(...scaleProblems(valueAt(version, "subresources", "scale"), child(place, "subresources")));
  if (isHere("additionalPrinterColumns"))
    for (const [position, column] of listAt(version, "additionalPrinterColumns").entries())
      problems.push(...columnProblems(column, index(child(place, "additionalPrinterColumns"), position)));
  if (isHere("selectableFields")) problems.push(...selectableProblems(version, child(place, "selectableFields")));
  return problems;
}

function schemaProblems(version: Json, place: Place): Problem[] {
  const schema = valueAt(version, "schema", "openAPIV3Schema");
  const steps = pathOf(place);
  const at = [...steps, steps.length > 1 ? "schema" : "validation", "openAPIV3Schema"];
  // The decoder has made sure that it is one, as far as types go.
  return isObject(schema) ? structuralProblems(schema as Schema, { at }) : [];
}

function pathProblems(path: string, place: Place): Problem[] {
  return path.startsWith(".") ? [] : [invalid(at(place), path, "must be a simple json path starting with .")];
}

function scaleProblems(scale: Json | undefined, place: Place): Problem[] {
  if (scale === undefined) return [];
  const check = (name: string, roots: readonly string[], words: string, isNeeded: boolean): Problem[] => {
    const path = textAt(scale, name);
    const where = child(place, `scale.${name}`);
    if (path === "") return isNeeded ? [required(at(where))] : [];
    const found = pathProblems(path, where);
    if (found.length > 0) return found;
    return roots.some((root) => path.startsWith(root)) ? [] : [invalid(at(where), path, words)];
  };
  return [
    ...check("specReplicasPath", [".spec."], "should be a json path under .spec", true),
    ...check("statusReplicasPath", [".status."], "should be a json path under .status", true),
    ...check("labelSelectorPath", [".spec.", ".status."], "should be a json path under either .spec or .status", false),
  ];
}

function columnProblems(column: Json, place: Place): Problem[] {
  const problems: Problem[] = [];
  const types = `must be one of ${COLUMN_TYPES.join(",")}`;
  if (textAt(column, "name") === "") problems.push(required(at(child(place, "name"))));
  const type = textAt(column, "type");
  if (type === "") problems.push(required(at(child(place, "type")), types));
  else if (!COLUMN_TYPES.includes(type)) problems.push(invalid(at(child(place, "type")), type, types));
  const format = textAt(column, "format");
  if (format !== "" && !COLUMN_FORMATS.includes(format))
    problems.push(invalid(at(child(place, "format")), format, `must be one of ${COLUMN_FORMATS.join(",")}`));
  const path = textAt(column, "jsonPath");
  if (path === "") problems.push(required(at(child(place, "JSONPath"))));
  else problems.push(...pathProblems(path, child(place, "JSONPath")));
  return problems;
}

function selectableProblems(version: Json, place: Place): Problem[] {
  const seen = new Set<string>();
  const problems = listAt(version, "selectableFields").flatMap((item, position) => {
    const path = textAt(item, "jsonPath");
    const where = at(child(index(place, position), "jsonPath"));
    if (path === "") return [required(where)];
    const found = schemaAt(valueAt(version, "schema", "openAPIV3Schema"), path);
    if ("words" in found) return [invalid(where, path, `is an invalid path: ${found.words}`)];
    const result: Problem[] = [];
    if (path.startsWith(".metadata")) result.push(invalid(where, path, "must not point to fields in metadata"));
    if (!["string", "boolean", "integer"].includes(textAt(found.schema, "type")))
      result.push(
        invalid(
          where,
          path,
          "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
        ),
      );
    if (seen.has(path)) result.push(duplicate(where, path));
    seen.add(path);
    return result;
  });
  if (seen.size > MAX_SELECTABLE_FIELDS) problems.push(tooMany(at(place), seen.size, MAX_SELECTABLE_FIELDS));
  return problems;
}

function schemaAt(schema: Json | undefined, path: string): { schema: Json } | { words: string } {
  let found = schema;
  for (const name of path.replace(/^\./, "").split(".")) {
    found = valueAt(found, "properties", name);
    if (found === undefined) return { words: `does not refer to a valid field` };
  }
  return { schema: found ?? null };
}

/** The versions as the real server prints them in messages: with the names they have inside the server. */
export function versionsText(versions: readonly Json[]): unknown {
  if (versions.length === 0) return null;
  const part = (version: Json, name: SharedPart) =>
    isShared(versions, name) ? null : (valueAt(version, name) ?? null);
  return versions.map((version) => ({
    Name: textAt(version, "name"),
    Served: valueAt(version, "served") ?? false,
    Storage: valueAt(version, "storage") ?? false,
    Deprecated: valueAt(version, "deprecated") ?? false,
    DeprecationWarning: valueAt(version, "deprecationWarning") ?? null,
    Schema: part(version, "schema"),
    Subresources: part(version, "subresources"),
    AdditionalPrinterColumns: part(version, "additionalPrinterColumns"),
    SelectableFields: part(version, "selectableFields"),
  }));
}
