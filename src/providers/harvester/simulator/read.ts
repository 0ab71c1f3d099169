// SPDX-License-Identifier: Apache-2.0

/** What stands at a path in an object of any shape; undefined where the path leads nowhere. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here = value;
  for (const step of path) {
    if (typeof here !== "object" || here === null) return undefined;
    here = Reflect.get(here, step);
  }
  return here;
}

/** The text at a path; numbers as text, everything else as none. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path);
  return typeof found === "string" ? found : typeof found === "number" ? String(found) : "";
}

/** The list at a path; empty where there is none. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The map at a path; empty where there is none. */
export function mapAt(value: unknown, ...path: readonly (string | number)[]): Readonly<Record<string, unknown>> {
  const found = at(value, ...path);
  return typeof found === "object" && found !== null && !Array.isArray(found) ? { ...found } : {};
}

/** The map of texts at a path, without what is no text. */
export function textsAt(value: unknown, ...path: readonly (string | number)[]): Readonly<Record<string, string>> {
  const entries = Object.entries(mapAt(value, ...path));
  return Object.fromEntries(entries.flatMap(([name, text]) => (typeof text === "string" ? [[name, text]] : [])));
}
