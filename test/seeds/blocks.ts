// SPDX-License-Identifier: Apache-2.0
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseYaml } from "../../src/lib/yaml.ts";
import type { JsonObject } from "../rules/changes.ts";

/** A YAML block of one of the documents that the product was asked for with. */
export interface SeedBlock {
  file: string;
  object: JsonObject;
  /** Set where the block is a status alone: it is then put into the object of the same document. */
  isStatus: boolean;
}

const suffix = "-status.yaml";

/**
 * Every YAML block of the seed documents. As they stand there, but for: indentation that was lost, placeholders that had to be filled,
 * the required fields of a condition, and the namespace `butler-system` of document 002's ProviderConfig.
 */
export function seedBlocks(): SeedBlock[] {
  const read = (file: string) =>
    parseYaml(readFileSync(join(import.meta.dirname, file), "utf8"))[0]?.value as JsonObject;
  return globSync("*.yaml", { cwd: import.meta.dirname })
    .sort()
    .map((file) => {
      if (!file.endsWith(suffix)) return { file, object: read(file), isStatus: false };
      return { file, object: { ...read(file.replace(suffix, ".yaml")), ...read(file) }, isStatus: true };
    });
}
