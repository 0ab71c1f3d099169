// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { after, describe, it, type TestContext } from "node:test";
import { readGoldens, writeGoldens } from "./goldens.ts";
import { installCrds } from "./install-crds.ts";
import { type Connections, connections, runCase } from "./target.ts";
import type { Case, Endpoint, Suite, Transcript } from "./types.ts";

/** Where to run. */
export interface RunOptions {
  /** The server, the same one at every call; undefined skips the test. */
  readonly open: (t: TestContext) => Promise<Endpoint | undefined>;
  /** Whether answers become goldens instead of being compared with them. Only a real server may. */
  readonly update?: boolean;
}

/** Registers every case of the suites as a test that compares the server's answers with the goldens. */
export function runConformance(suites: readonly Suite[], { open, update = false }: RunOptions): void {
  let connected: Connections | undefined;
  const connect = async (t: TestContext) => {
    const endpoint = await open(t);
    if (endpoint !== undefined) connected ??= connections(endpoint);
    return connected;
  };
  for (const suite of suites) {
    const concurrency = suite.atOnce ?? 1;
    describe(suite.category, { concurrency }, () => registerSuite(suite, { connect, update }));
  }
  after(() => connected?.close());
}

interface SuiteOptions {
  readonly connect: (t: TestContext) => Promise<Connections | undefined>;
  readonly update: boolean;
}

function registerSuite(suite: Suite, { connect, update }: SuiteOptions): void {
  const goldens = readGoldens(suite.category);
  const answered = new Map<string, Transcript>();
  let installed: Promise<void> | undefined;
  for (const testCase of suite.cases) {
    it(testCase.name, async (t) => {
      const connected = await connect(t);
      if (connected === undefined) return;
      installed ??= prepareSuite(suite, connected);
      await installed;
      const transcript = await runCase(connected, suite, testCase);
      checkAnswers(testCase, transcript);
      if (update) answered.set(testCase.name, transcript);
      else assert.deepEqual(transcript, goldens[testCase.name] ?? "no golden: record one from a real server");
    });
  }
  after(() => {
    if (update && answered.size > 0) writeGoldens(suite, answered);
  });
}

/** In this order: the real server's controllers see new kinds soon only while they start. */
async function prepareSuite({ crds, controllers = false }: Suite, connected: Connections): Promise<void> {
  await installCrds(await connected.as("admin"), crds);
  if (controllers) await connected.endpoint.startControllers?.();
}

/** A golden tells what a server answered; the codes in a case tell what it has to answer. */
function checkAnswers({ answers }: Case, transcript: Transcript): void {
  if (answers === undefined) return;
  const asked = transcript.filter(({ request, status }) => request !== undefined && status !== undefined);
  const said = asked.map(({ request, status, message }) => `  ${request}: ${status} ${message ?? ""}`).join("\n");
  const codes = asked.map(({ status }) => status);
  assert.deepEqual(codes, answers, `expected ${answers.join(", ")}; the server said\n${said}\n`);
}
