// SPDX-License-Identifier: Apache-2.0
import type { Kind } from "../api/kind.ts";
import { kinds } from "../kinds.ts";
import { compileResource, type Resource } from "../schema/index.ts";
import { type Catalogue, isKubernetesObject } from "./catalogue.ts";
import { checkManifest, type Finding } from "./check-manifest.ts";
import type { Input } from "./command.ts";
import { findManifests } from "./find-manifests.ts";
import { exitCodes, type Io } from "./io.ts";

/**
 * Checks manifests offline. Problems go to the output, one line each or as JSON; the summary and what could not be read
 * go to the error stream. Exit code 2 if anything could not be read, 1 if there are problems, else 0.
 */
export async function run(io: Io, { program, arguments: names, options }: Input): Promise<number> {
  const { manifests, failures } = await findManifests(names, io);
  const catalogue = ourCatalogue();
  const results = manifests.map((manifest) => checkManifest(manifest, catalogue));
  const findings = results.flatMap((result) => result.findings);
  if (options.output === "json") io.write(`${JSON.stringify(findings, null, 2)}\n`);
  else for (const finding of findings) io.write(`${line(finding, io.hasColour)}\n`);
  for (const failure of failures) io.complain(`${program}: ${failure}\n`);
  const total = (count: "checked" | "skipped"): number => results.reduce((sum, result) => sum + result[count], 0);
  io.complain(`${summary(findings, total("checked"), total("skipped"))}\n`);
  if (failures.length > 0) return exitCodes.usage;
  return findings.some(({ severity }) => severity === "error") ? exitCodes.problems : exitCodes.fine;
}

function ourCatalogue(): Catalogue {
  const compiled = new Map<Kind, Resource>();
  return {
    kinds,
    admit(kind, object) {
      const resource = compiled.get(kind) ?? compileResource(kind.schema(), { scope: kind.scope });
      compiled.set(kind, resource);
      const { warnings, ...verdict } = resource.admit(object);
      return { ...verdict, warnings: warnings.map((message) => ({ path: [], message })) };
    },
    normalise: (kind, object) => (isKubernetesObject(object) ? kind.normalise(object).warnings : []),
  };
}

function line({ file, line: row, column, field, message, severity }: Finding, hasColour: boolean): string {
  const paint = (code: number, text: string): string => (hasColour ? `\u001B[${code}m${text}\u001B[0m` : text);
  const place = paint(1, `${visible(file)}:${row}:${column}:`);
  if (severity === "warning") return `${place} ${paint(33, "warning:")} ${visible(message)}`;
  const words = visible(message);
  return field === "" ? `${place} ${words}` : `${place} ${paint(31, `${visible(field)}:`)} ${words}`;
}

/** What a manifest or a file is called must neither drive the reader's terminal nor forge lines. */
function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function summary(findings: readonly Finding[], checked: number, skipped: number): string {
  const warnings = findings.filter(({ severity }) => severity === "warning").length;
  return [
    `${counted(checked, "object")} checked`,
    findings.length === warnings ? "no problems" : counted(findings.length - warnings, "problem"),
    ...(warnings === 0 ? [] : [counted(warnings, "warning")]),
    ...(skipped === 0 ? [] : [`${counted(skipped, "document")} skipped: not a Butler kind`]),
  ].join(", ");
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
