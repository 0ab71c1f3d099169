// SPDX-License-Identifier: Apache-2.0
import { isList, isObject } from "../../../schema/go-text.ts";
import type { Json } from "../../../schema/index.ts";
import { type FieldType, fieldTypeIn, kindOf, type ListType, type MapType } from "./field-type.ts";
import { goSyntax, goText, goType } from "./go-values.ts";
import { itemElement } from "./list-items.ts";
import { fieldElement, type PathElement, printElement } from "./path-element.ts";

/** Where a value stands, as a chain up to the root: printed only for what is wrong. */
interface Place {
  readonly parent: Place | undefined;
  readonly element: PathElement;
}

/** What keeps a value from being of a type, in the server's words; undefined where nothing does. */
export function typeProblem(
  type: FieldType,
  value: Json,
  { allowDuplicates = false }: { readonly allowDuplicates?: boolean } = {},
): string | undefined {
  const problems: string[] = [];

  function report(place: Place | undefined, words: string): void {
    const path = print(place);
    problems.push(path === "" ? words : `${path}: ${words}`);
  }

  function visit(of: FieldType, at: Json, place: Place | undefined): void {
    const kind = kindOf(of, at);
    if (kind === "map" && of.map !== undefined) visitMap(of.map, at, place);
    else if (kind === "list" && of.list !== undefined) visitList(of.list, at, place);
    else {
      const words = scalarProblem(of.scalar ?? "untyped", at);
      if (words !== undefined) report(place, words);
    }
  }

  function visitMap(map: MapType, at: Json, place: Place | undefined): void {
    if (!isObject(at)) {
      if (at !== null) report(place, `expected map, got &{${goText(at)}}`);
      return;
    }
    for (const name of Object.keys(at)) {
      const item = at[name];
      if (item === undefined) continue;
      const fieldType = fieldTypeIn(map, name);
      const below = { parent: place, element: fieldElement(name) };
      if (fieldType === undefined) {
        // One is enough: the server looks no further in this map either.
        report(below, "field not declared in schema");
        return;
      }
      visit(fieldType, item, below);
    }
  }

  function visitList(list: ListType, at: Json, place: Place | undefined): void {
    if (!isList(at)) {
      if (at !== null) report(place, `expected list, got &{${goText(at)}}`);
      return;
    }
    const seen = new Set<PathElement>();
    for (const [index, item] of at.entries()) {
      const element = list.isAtomic ? `i:${index}` : itemElement(list, item);
      if (typeof element !== "string") {
        report(place, `element ${index}: ${element.problem}`);
        return;
      }
      if (seen.has(element) && !allowDuplicates) report(place, `duplicate entries for key ${printElement(element)}`);
      seen.add(element);
      visit(list.items, item, { parent: place, element });
    }
  }

  visit(type, value, undefined);
  return problems.length > 1 ? ["errors:", ...problems.map((words) => `  ${words}`)].join("\n") : problems[0];
}

function print(place: Place | undefined): string {
  let text = "";
  for (let at = place; at !== undefined; at = at.parent) text = printElement(at.element) + text;
  return text;
}

function scalarProblem(scalar: NonNullable<FieldType["scalar"]>, value: Json): string | undefined {
  if (value === null) return undefined;
  switch (scalar) {
    case "numeric":
      return typeof value === "number" ? undefined : `expected numeric (int or float), got ${goType(value)}`;
    case "string":
      if (typeof value === "string") return undefined;
      return `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case "boolean":
      return typeof value === "boolean" ? undefined : `expected boolean, got &{${goText(value)}}`;
    case "untyped":
      return isList(value) || isObject(value) ? `expected any scalar, got &{${goText(value)}}` : undefined;
  }
}
