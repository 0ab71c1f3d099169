// SPDX-License-Identifier: Apache-2.0
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Replacement } from "./mutant.ts";

const ROOT = join(import.meta.dirname, "../..");

/** What has become of replacements. */
export interface Replaced {
  /** Throws where a file was never loaded: the product would have been tested instead of the mutant. */
  assertUsed(): void;
}

/**
 * From now on modules of this process are loaded with these pieces of their source replaced. Loading throws where a piece is not there
 * exactly once: a mutant that equals the product would prove nothing.
 */
export function replaceSources(replacements: readonly Replacement[]): Replaced {
  const byUrl = Map.groupBy(replacements, ({ file }) => pathToFileURL(join(ROOT, file)).href);
  const unused = new Set(byUrl.keys());
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const own = byUrl.get(url);
      if (own === undefined) return loaded;
      unused.delete(url);
      return { ...loaded, source: own.reduce(replaced, textOf(loaded.source)) };
    },
  });
  return {
    assertUsed() {
      if (unused.size > 0) throw new Error(`these files were replaced and never loaded: ${[...unused].join(", ")}`);
    },
  };
}

/** The text with one piece of it replaced. */
export function replaced(text: string, { file, from, to }: Replacement): string {
  const pieces = text.split(from);
  if (pieces.length !== 2)
    throw new Error(`${file} has ${pieces.length - 1} times, and not once: ${JSON.stringify(from)}`);
  return pieces.join(to);
}

function textOf(source: unknown): string {
  if (typeof source === "string") return source;
  if (source instanceof Uint8Array) return new TextDecoder().decode(source);
  throw new Error("a module was loaded without its source");
}
