// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { kinds } from "../../src/kinds.ts";
import { installCrds } from "../kubernetes/crds.ts";
import { createClient } from "../kubernetes/request.ts";
import { findKubectl } from "./find-kubectl.ts";
import { type Kubectl, kubectlFor } from "./kubectl.ts";
import { transcriptOf } from "./normalise.ts";
import { scenarios } from "./scenarios/index.ts";
import type { Endpoint, Scenario, Step } from "./types.ts";

const GOLDENS = join(import.meta.dirname, "goldens");

/** Where the scenarios run. */
export interface Target {
  /** The server; undefined where there is none, and then the test was skipped. */
  open(t: TestContext): Promise<Endpoint | undefined>;
  /** Whether what is answered becomes the golden file, instead of being compared with it. */
  readonly update?: boolean;
}

/**
 * Registers one test per scenario. All share one server with our CRDs; each compares what kubectl wrote with its golden
 * file, which a real server made. Without kubectl they are skipped, and one line says why.
 */
export function runScenarios({ open, update = false }: Target): void {
  let shared: Promise<Kubectl | string | undefined> | undefined;
  for (const scenario of scenarios)
    test(`kubectl: ${scenario.name}`, async (t) => {
      shared ??= start(t, open);
      const kubectl = await shared;
      if (kubectl === undefined || typeof kubectl === "string") return t.skip(kubectl ?? "no server");
      const parts = await transcriptsOf(kubectl, scenario);
      if (update) writeFileSync(pathOf(scenario), parts.join("\n"));
      else compare(scenario, parts);
    });
  after(async () => {
    const kubectl = await shared?.catch(() => undefined);
    if (typeof kubectl === "object") kubectl.close();
  });
}

async function start(t: TestContext, open: Target["open"]): Promise<Kubectl | string | undefined> {
  const found = await findKubectl();
  if ("missing" in found) {
    process.stderr.write(`skipped: ${found.missing}\n`);
    return found.missing;
  }
  const endpoint = await open(t);
  if (endpoint === undefined) return undefined;
  const client = createClient({ ...endpoint, ...endpoint.admin });
  try {
    await installCrds(
      client,
      kinds.map((kind) => kind.crd()),
    );
  } finally {
    await client.close();
  }
  return kubectlFor(found.path, endpoint);
}

/** What every step left, in their order; those that ran beside one come before it ends, and so before it. */
async function transcriptsOf(kubectl: Kubectl, { steps }: Scenario): Promise<string[]> {
  const kept = new Map([["home", kubectl.folder]]);
  const transcripts: string[] = [];
  const runStep = async (step: Step): Promise<void> => {
    const { during } = step;
    const runAll = async (besides: readonly Step[]) => {
      for (const beside of besides) await runStep(beside);
    };
    const outcome = await kubectl.run(wordsOf(step.run, kept), {
      input: step.input,
      lines: step.lines,
      whenWatching: during && (() => runAll(during)),
    });
    const transcript = transcriptOf(step, outcome);
    const expected = step.lines === undefined ? (step.exit ?? 0) : "ended";
    assert.equal(outcome.exit, expected, transcript);
    if (step.keep !== undefined) kept.set(step.keep, outcome.stdout.trim());
    transcripts.push(transcript.replaceAll(kubectl.folder, "{home}"));
  };
  for (const step of steps) await runStep(step);
  return transcripts;
}

/** Splits as a shell does: at spaces, and what stands in '...' is taken as it is. */
function wordsOf(line: string, kept: ReadonlyMap<string, string>): string[] {
  const words = line.match(/(?:'[^']*'|[^\s'])+/g) ?? [];
  return words.map((word) =>
    word.replaceAll("'", "").replace(/\{(\w+)\}/g, (text, name: string) => kept.get(name) ?? text),
  );
}

function compare(scenario: Scenario, parts: readonly string[]): void {
  const path = pathOf(scenario);
  assert.ok(existsSync(path), `nothing recorded for "${scenario.name}": UPDATE_GOLDENS=1 npm run test:kubernetes`);
  const recorded = readFileSync(path, "utf8").split(/\n(?=\$ kubectl )/);
  const partial = new Set(scenario.steps.filter(({ partly }) => partly === true).map(({ run }) => `$ kubectl ${run}`));
  assert.equal(parts.length, recorded.length, "another number of steps than recorded");
  const pairs = parts.map((part, index) => ({ part: part.trimEnd(), golden: (recorded[index] ?? "").trimEnd() }));
  const isPartial = ({ part }: { part: string }) => partial.has(part.split("\n")[0] ?? "");
  for (const { part, golden } of pairs.filter(isPartial)) assertLinesAmong(part, golden);
  const different = pairs.filter((pair) => !isPartial(pair) && pair.part !== pair.golden);
  assert.equal(different.map(({ part }) => part).join("\n\n"), different.map(({ golden }) => golden).join("\n\n"));
}

/** Columns are as wide as their widest value, so width does not count. */
function assertLinesAmong(part: string, golden: string): void {
  const known = new Set(golden.split("\n").map(withoutWidth));
  assert.deepEqual(
    part.split("\n").filter((line) => !known.has(withoutWidth(line))),
    [],
  );
}

function withoutWidth(line: string): string {
  return line.replace(/ +/g, " ").trimEnd();
}

function pathOf({ name }: Scenario): string {
  return join(GOLDENS, `${name.replaceAll(" ", "-")}.txt`);
}
