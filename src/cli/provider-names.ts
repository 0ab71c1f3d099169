// SPDX-License-Identifier: Apache-2.0
import type { ProviderEntry } from "../engine/provider-entry.ts";
import { didYouMean } from "../lib/suggest.ts";
import { UsageError } from "./io.ts";

/** The providers that `--providers` names, separated by commas; all that can run where it is left out. */
export function chosenProviders(text: string | undefined, entries: readonly ProviderEntry[]): readonly string[] {
  const runnable = entries.filter(({ load }) => load !== undefined).map(({ name }) => name);
  if (text === undefined) return runnable;
  const names = words(text);
  if (names.length === 0) throw new UsageError(`--providers: name at least one of ${runnable.join(", ")}`);
  for (const name of names) {
    if (runnable.includes(name)) continue;
    if (entries.some((entry) => entry.name === name))
      throw new UsageError(`--providers: "${name}" cannot make machines yet; those that can: ${runnable.join(", ")}`);
    throw new UsageError(
      `--providers: there is no provider "${name}"${didYouMean(name, runnable)}; there are ${runnable.join(", ")}`,
    );
  }
  return [...new Set(names)];
}

/** The namespaces that `--namespaces` names besides `butler-system`, separated by commas, or `all`. */
export function chosenNamespaces(text: string | undefined): "all" | readonly string[] {
  if (text === "all") return "all";
  const names = words(text ?? "");
  for (const name of names)
    if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name))
      throw new UsageError(`--namespaces: "${name}" is no name of a namespace; write a,b or all`);
  return [...new Set(["butler-system", ...names])];
}

function words(text: string): readonly string[] {
  return text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}
