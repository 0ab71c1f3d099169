// SPDX-License-Identifier: Apache-2.0
import type { Path } from "./types.ts";

/**
 * Where a value stands, as a chain from the value up to the root (undefined), so that walking costs nothing
 * and text is made only for problems.
 */
export type Place = PlaceStep | undefined;

interface PlaceStep {
  readonly parent: Place;
  readonly step: string | number;
  readonly style: "child" | "key" | "index";
}

/** The place of a named property. */
export function child(parent: Place, name: string): Place {
  return { parent, step: name, style: "child" };
}

/** The place of a map's value: printed in brackets, because keys may contain dots. */
export function key(parent: Place, name: string): Place {
  return { parent, step: name, style: "key" };
}

/** The place of a list's item. */
export function index(parent: Place, at: number): Place {
  return { parent, step: at, style: "index" };
}

/** The place as property names and indexes from the root. */
export function pathOf(place: Place): Path {
  const path: (string | number)[] = [];
  for (let at = place; at !== undefined; at = at.parent) path.push(at.step);
  return path.reverse();
}

/** The place as the server's validations outside OpenAPI print it: `spec.labels[a.b/c]`, `<nil>` for the root. */
export function fieldOf(place: Place): string {
  if (place === undefined) return "<nil>";
  let text = "";
  for (let at: Place = place; at !== undefined; at = at.parent) {
    if (at.style !== "child") text = `[${at.step}]${text}`;
    else text = (at.parent === undefined ? "" : ".") + at.step + text;
  }
  return text;
}

/** The place as OpenAPI validation prints it: `spec.labels.a.b/c`, nothing for the root. */
export function dottedOf(place: Place): string {
  let text = "";
  for (let at = place; at !== undefined; at = at.parent) {
    if (at.style === "index") text = `[${at.step}]${text}`;
    else text = (at.parent === undefined ? "" : ".") + at.step + text;
  }
  return text;
}
