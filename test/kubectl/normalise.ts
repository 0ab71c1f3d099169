// SPDX-License-Identifier: Apache-2.0
import type { Outcome, Step } from "./types.ts";

/** What is another text in every run, in the order it is replaced. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/https:\/\/127\.0\.0\.1:\d+/g, "{server}"],
  [/127\.0\.0\.1:\d+/g, "{address}"],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, "{token}"],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "{uid}"],
  [/\/tmp\/((?:LIVE|MERGED)-)\d+/g, "/tmp/$1{number}"],
  // Times of any year but 2020: in that are those that steps write themselves.
  [/\b20(?!20)\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| \+0000)/g, "{time}"],
  [/\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} 20(?!20)\d\d \d\d:\d\d:\d\d \+0000/g, "{time}"],
  [/(resourceVersion: |Resource Version: +)"?\d+"?/g, "$1{version}"],
  [/("resourceVersion": ?)"\d+"/g, "$1{version}"],
  [/\bUPPER-[a-z0-9]{5}\b/g, "UPPER-{random}"],
  [/X509SHA256=[0-9a-f]+/g, "X509SHA256={fingerprint}"],
  [/^(Server Version: v[\d.]+)\+butler$/gm, "$1"],
  [/^AGE {2,}(?=\S)/gm, "AGE   "],
  [/(?<= )AGE {2,}(?=\S)/g, "AGE   "],
  // An age is as wide as it is old, and so is the space behind it and behind the name of its column.
  [/(?<=over )(?:\d+(?:y|d|h|m|s))+\) {2,}(?=\S)/gm, "{age})   "],
  [/^LAST SEEN {3,}/gm, "LAST SEEN   "],
  [/(?<=^|\s)(?:\d+(?:\.\d+)?(?:ms|y|d|h|m|s))+ {2,}(?=\S)/gm, "{age}   "],
  [/(?<=^|\s)(?:\d+(?:\.\d+)?(?:ms|y|d|h|m|s))+(?=\s|$)/gm, "{age}"],
];

/** Entries come in the order of their times, in whole seconds, and so in another one when a second passes between them. */
const MANAGED_FIELDS = /(^ {2}managedFields:\n)((?: {2}- .*\n(?: {4}.*\n)*)+)/gm;

/** What a step left, as it stands in the golden file. */
export function transcriptOf({ run, input, wordless = false }: Step, { exit, stdout, stderr }: Outcome): string {
  const typed = input === undefined ? `$ kubectl ${run}` : `$ kubectl ${run} <<'END'\n${lineEnded(input)}END`;
  const ending = exit === 0 ? "" : exit === "ended" ? "[ended]\n" : `[exit ${exit}]\n`;
  const shown = wordless ? stdout.replace(/^ {4}\S.*\n/gm, "") : stdout;
  return `${typed}\n${normalise(lineEnded(shown))}${normalise(lineEnded(stderr))}${ending}`;
}

/** The text without what differs from run to run. */
export function normalise(text: string): string {
  const replaced = VARYING.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);
  const sorted = replaced.replace(MANAGED_FIELDS, (_, head: string, entries: string) => {
    return (
      head +
      entries
        .split(/^(?= {2}- )/m)
        .sort()
        .join("")
    );
  });
  // Problems come in the order of a Go map, which is none.
  return sorted.replace(/(?:^\* .*\n)+/gm, (problems) => `${problems.trimEnd().split("\n").sort().join("\n")}\n`);
}

function lineEnded(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
