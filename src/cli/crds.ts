// SPDX-License-Identifier: Apache-2.0
import { findKind, kinds } from "../kinds.ts";
import { didYouMean } from "../lib/suggest.ts";
import { printYamlStream } from "../lib/yaml-print.ts";
import type { Input } from "./command.ts";
import { exitCodes, type Io, UsageError } from "./io.ts";

/** Prints the CRDs as one YAML stream: all of them, or the one that `--kind` names. */
export async function run(io: Io, { options }: Input): Promise<number> {
  const chosen = options.kind === undefined ? kinds : [named(options.kind)];
  io.write(printYamlStream(chosen.map((kind) => kind.crd())));
  return exitCodes.fine;
}

function named(name: string): (typeof kinds)[number] {
  const kind = findKind(name);
  if (kind !== undefined) return kind;
  const names = kinds.flatMap(({ kind: own, plural, shortNames }) => [own, plural, ...shortNames]);
  const list = kinds.map(({ kind: own, shortNames }) => `${own} (${shortNames.join(", ")})`).join(", ");
  throw new UsageError(`--kind: there is no kind "${name}"${didYouMean(name, names)}; there are ${list}`);
}
