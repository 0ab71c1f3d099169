// SPDX-License-Identifier: Apache-2.0
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { coreCases } from "./core-cases.ts";
import type { KindCase } from "./kind-case.ts";
import type { Answer } from "./local-judge.ts";
import { otherCases } from "./other-cases.ts";

const FILE = join(import.meta.dirname, "answers.jsonl");

/** Every case there is. */
export const allCases: readonly KindCase[] = [...coreCases, ...otherCases];

/** What a real server answered to each case, by its name. A line of the file is a name and its answer. */
export function readAnswers(): Readonly<Record<string, unknown>> {
  const lines = readFileSync(FILE, "utf8").split("\n");
  return Object.fromEntries(lines.filter((line) => line !== "").map((line) => JSON.parse(line)));
}

/** Keeps what a real server answered. */
export function writeAnswers(answers: Readonly<Record<string, unknown>>): void {
  const lines = Object.entries(answers).map((entry) => JSON.stringify(entry));
  writeFileSync(FILE, `${lines.join("\n")}\n`);
}

/** An answer as JSON has it, without what two servers cannot agree about: identities, times, versions. */
export function comparable({ object, ...answer }: Answer): unknown {
  const { metadata, ...rest } = Object(object);
  const { uid, creationTimestamp, resourceVersion, managedFields, ...known } = Object(metadata);
  return JSON.parse(
    JSON.stringify({ ...answer, ...(object === undefined ? {} : { object: { ...rest, metadata: known } }) }),
  );
}
