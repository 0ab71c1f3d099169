// SPDX-License-Identifier: Apache-2.0
import { didYouMean } from "../lib/suggest.ts";
import { parseYaml, type YamlDocument } from "../lib/yaml.ts";
import type { Json, Path, Problem, ResourceObject } from "../schema/index.ts";
import { allowedFields } from "./allowed-fields.ts";
import { type Catalogue, itemsOf, recognise } from "./catalogue.ts";
import type { Manifest } from "./find-manifests.ts";

/** One thing to tell the user about a manifest. */
export interface Finding {
  file: string;
  line: number;
  column: number;
  /** As an API server prints it; empty when the text itself is at fault. */
  field: string;
  reason: string;
  message: string;
  severity: "error" | "warning";
}

/** What was found in one manifest, in the order of the text, and how many objects it was found in. */
export interface Checked {
  findings: Finding[];
  checked: number;
  skipped: number;
}

interface Place {
  document: YamlDocument;
  /** Leads from the document to the object: empty, or into a List. */
  base: Path;
  file: string;
}

type Remark = Pick<Finding, "field" | "reason" | "message" | "severity"> & { path: Path };

/** Checks every document of a manifest by the schemas and rules its kinds emit, and by nothing else. */
export function checkManifest(manifest: Manifest, catalogue: Catalogue): Checked {
  const result: Checked = { findings: [], checked: 0, skipped: 0 };
  for (const document of parseYaml(manifest.text)) {
    if (document.isEmpty) continue;
    const place: Place = { document, base: [], file: manifest.name };
    const work: Work = { manifest, catalogue, result, found: [] };
    for (const { line, column, message } of document.problems) {
      work.found.push({ file: manifest.name, line, column, ...severe("", "Malformed", message) });
    }
    if (document.value !== undefined) checkValue(document.value, place, work);
    result.findings.push(...work.found.sort(inOrder));
  }
  return result;
}

/** As the text goes, and at the end what was not looked at. */
function inOrder(one: Finding, other: Finding): number {
  const isLast = ({ reason }: Finding): number => (reason === incomplete ? 1 : 0);
  return isLast(one) - isLast(other) || one.line - other.line || one.column - other.column;
}

interface Work {
  manifest: Manifest;
  catalogue: Catalogue;
  result: Checked;
  /** What was found in the document at hand. */
  found: Finding[];
}

function checkValue(value: Json, place: Place, work: Work): void {
  const { catalogue, result, manifest, found } = work;
  const items = itemsOf(value, catalogue);
  if (items !== undefined) {
    items.forEach((item, index) => {
      checkValue(item, { ...place, base: [...place.base, "items", index] }, work);
    });
    return;
  }
  const seen = recognise(value, catalogue);
  if (seen.is === "foreign" || (seen.is === "shapeless" && !manifest.isNamed)) {
    result.skipped += 1;
    return;
  }
  result.checked += 1;
  const remarks = seen.is === "ours" ? checkObject(seen.object, seen.kind, catalogue) : seen.remarks.map(toRemark);
  for (const { path, ...remark } of remarks) {
    const position = place.document.positionOf([...place.base, ...path]);
    found.push({ file: place.file, ...position, ...remark });
  }
}

function checkObject(object: ResourceObject, kind: Catalogue["kinds"][number], catalogue: Catalogue): Remark[] {
  const { problems, unknownFields, warnings } = catalogue.admit(kind, object);
  return [
    ...problems.map(fromProblem),
    ...unknownFields.map(({ path, field }) => {
      const near = didYouMean(String(path.at(-1)), allowedFields(kind.schema(), path.slice(0, -1)));
      return { ...severe(field, "UnknownField", `unknown field${near}`), path };
    }),
    ...warnings.map(({ path, message }) => warning(path, "Warning", message)),
    ...catalogue.normalise(kind, object).map(({ path, message }) => warning(path, "Deprecated", message)),
  ];
}

const incomplete = "Incomplete";

/** That some rules were not looked at is no further problem to mend: it goes away with the others. */
function fromProblem({ path, field, reason, message }: Problem): Remark {
  const unchecked = /^Invalid value: null: (some validation rules were not checked .*)$/.exec(message)?.[1];
  if (path.length === 0 && unchecked !== undefined) return warning(path, incomplete, unchecked);
  return { ...severe(field, reason, message), path };
}

function warning(path: Path, reason: string, message: string): Remark {
  return { field: path.join("."), reason, message, severity: "warning", path };
}

function toRemark({ path, reason, message }: { path: Path; reason: string; message: string }): Remark {
  return { ...severe(path.join("."), reason, message), path };
}

function severe(field: string, reason: string, message: string): Omit<Remark, "path"> {
  return { field, reason, message, severity: "error" };
}
