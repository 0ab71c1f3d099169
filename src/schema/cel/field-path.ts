// SPDX-License-Identifier: Apache-2.0
import { propertySchema, valueSchema } from "../json.ts";
import { child, key, type Place } from "../place.ts";
import type { Schema } from "../types.ts";

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "'": "'",
  "\\": "\\",
};

const STEP = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/y;

/**
 * The place a rule's fieldPath means below the value the rule stands on: `.spec.foo`, `.labels['a.b/c']`. Undefined when
 * the path is none, or the schema has nothing there.
 */
export function resolveFieldPath(path: string, schema: Schema, base: Place): Place | undefined {
  let at: Schema | undefined = schema;
  let place = base;
  STEP.lastIndex = 0;
  while (STEP.lastIndex < path.length) {
    const match = STEP.exec(path);
    if (match === null || at === undefined) return undefined;
    const name = match[1] ?? unquote(match[2] ?? "");
    if (name === undefined) return undefined;
    const isNamed: boolean = at.properties !== undefined;
    place = isNamed ? child(place, name) : key(place, name);
    at = isNamed ? propertySchema(at, name) : valueSchema(at);
    if (at === undefined) return undefined;
  }
  return place;
}

function unquote(text: string): string | undefined {
  let isFine = true;
  const plain = text.replace(/\\(.)/gs, (_, letter: string) => {
    const character = ESCAPES[letter];
    if (character === undefined) isFine = false;
    return character ?? "";
  });
  return isFine ? plain : undefined;
}
