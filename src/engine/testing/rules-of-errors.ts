// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { inspect } from "node:util";
import type { Call } from "../call.ts";
import type { CheckReport, Connection, Machines, MachineWant } from "../provider.ts";
import { ProviderError } from "../provider-error.ts";
import type { MachineRule } from "./contract-rule.ts";
import { refusal, type Stage, USER_DATA_SECRET } from "./contract-stage.ts";
import { haveOf, isUp } from "./rules-of-existence.ts";
import type { FaultEffect } from "./simulator.ts";

/** What a provider says when something is wrong: M8, M9, M10 and M13. */
export const rulesOfErrors: readonly MachineRule[] = [
  { number: "M8", promise: "bad credentials give denied, without the secret in the message", play: badCredentials },
  { number: "M9", promise: "quota gives exhausted, and passes when there is room again", play: quota },
  { number: "M10", promise: "429 gives throttled, 5xx and a cut connection give unavailable", play: passingErrors },
  { number: "M13", promise: "an error names machine, vendor code and request id", play: namesInErrors },
];

type Verb = readonly [name: string, run: (call: Call) => Promise<unknown>];

function verbsOf(machines: Machines, stage: Stage): readonly Verb[] {
  const wanted = stage.want("web-1");
  return [
    ["find", (call) => machines.find(wanted, call)],
    ["list", (call) => machines.list(call)],
    ["create", (call) => machines.create(wanted, call)],
    ["delete", (call) => machines.delete(haveOf(wanted), call)],
  ];
}

async function badCredentials(stage: Stage): Promise<void> {
  const { connect, call, sim } = stage;
  const secrets = secretWords(sim.badAccess.secret);
  let connection: Connection;
  try {
    connection = await connect({ access: sim.badAccess });
  } catch (error) {
    judge("connect", error, secrets);
    return;
  }
  const { machines } = connection;
  for (const [verb, run] of verbsOf(machines, stage))
    judge(verb, await refusal(run(call()), `${verb} with bad credentials`), secrets);
  const outcome: unknown = await machines.check(call()).catch((error: unknown) => error);
  if (outcome instanceof Error) return judge("check", outcome, secrets);
  const { findings } = outcome as CheckReport;
  const finding = findings.find(({ condition }) => condition === "CredentialsValid");
  assert.equal(finding?.result, "failed", "check must find that the credentials are bad");
  assert.equal(finding?.kind, "denied", "check must find that the credentials are bad");
  requireNoSecrets("check", findings, secrets);
}

function judge(verb: string, error: unknown, secrets: readonly string[]): void {
  assert.ok(error instanceof ProviderError, `${verb}: ${String(error)}`);
  assert.equal(error.kind, "denied", `${verb}: ${error.message}`);
  assert.equal(error.mayHaveActed, false, `${verb}: it cannot have acted`);
  requireNoSecrets(verb, error, secrets);
}

function requireNoSecrets(verb: string, value: unknown, secrets: readonly string[]): void {
  // As a log would show it, causes included.
  const text = inspect(value, { depth: 10, maxStringLength: null, maxArrayLength: null });
  for (const secret of secrets) assert.ok(!text.includes(secret), `${verb}: a secret is in what it says`);
}

/** Every long word of the credentials, as it stands and decoded: a kubeconfig has its token in the middle. */
function secretWords(secret: Readonly<Record<string, string>>): readonly string[] {
  const words = Object.values(secret).flatMap((text) => text.match(/[A-Za-z0-9+/=_-]{20,}/g) ?? []);
  return [...words, USER_DATA_SECRET];
}

async function quota(stage: Stage): Promise<void> {
  const { connect, call, sim } = stage;
  const wanted = stage.want("web-1");
  const connection = await connect();
  const { machines } = connection;
  sim.setExhausted(true);
  const kindOfCreate = async () => {
    try {
      await machines.create(wanted, call());
      return undefined;
    } catch (error) {
      return error instanceof ProviderError ? error.kind : String(error);
    }
  };
  const first = await kindOfCreate();
  if (first !== undefined) assert.equal(first, "exhausted", "create");
  else {
    const told = await troublesOf(connection, wanted, stage);
    assert.ok(
      told.includes("exhausted"),
      `create took it, then find must tell of exhausted, not of ${told.join(", ")}`,
    );
  }
  sim.setExhausted(false);
  for (let tries = 0; tries < 20; tries += 1) {
    const kind = await kindOfCreate();
    if (kind !== undefined) assert.equal(kind, "exhausted", "create once there is room again");
    await stage.pass(60_000);
    if (isUp(await machines.find(wanted, call()))) break;
  }
  assert.ok(isUp(await machines.find(wanted, call())), "once there is room again, create must bring the machine up");
  await stage.deleteAll(connection, wanted);
  assert.deepEqual(sim.leftovers(), [], "nothing may be left");
}

/** The kinds of trouble that are told within ten minutes. */
async function troublesOf({ machines }: Connection, wanted: MachineWant, stage: Stage): Promise<readonly string[]> {
  const kinds = new Set<string>();
  for (let tries = 0; tries < 120 && !kinds.has("exhausted"); tries += 1) {
    await stage.pass(5_000);
    const { have } = await machines.find(wanted, stage.call());
    if (have?.trouble !== undefined) kinds.add(have.trouble.kind);
  }
  return [...kinds];
}

const FAULTS: readonly { readonly effect: FaultEffect; readonly kind: string }[] = [
  { effect: { type: "refuse", status: 429, retryAfterSeconds: 7 }, kind: "throttled" },
  { effect: { type: "refuse", status: 500 }, kind: "unavailable" },
  { effect: { type: "refuse", status: 502 }, kind: "unavailable" },
  { effect: { type: "refuse", status: 503 }, kind: "unavailable" },
  { effect: { type: "refuse", status: 504 }, kind: "unavailable" },
  { effect: { type: "cut-before" }, kind: "unavailable" },
  { effect: { type: "lose-answer" }, kind: "unavailable" },
];

async function passingErrors(stage: Stage): Promise<void> {
  const { connect, call, sim } = stage;
  const { machines } = await connect();
  for (const { effect, kind } of FAULTS)
    for (const [verb, run] of verbsOf(machines, stage)) {
      const what = `${verb} with ${JSON.stringify(effect)}`;
      const takeBack = sim.inject({ effect });
      const error = await refusal(run(call()), what);
      takeBack();
      assert.equal(error.kind, kind, `${what}: ${error.message}`);
      if (kind !== "throttled") continue;
      assert.equal(error.retryAfterMs, 7_000, `${what}: it must tell when to come back`);
      assert.equal(error.mayHaveActed, false, `${what}: it cannot have acted`);
    }
  // All of that was refused or cut: a machine can be made now, and only now there is one.
  const wanted = stage.want("web-1");
  const connection = await connect();
  await connection.machines.create(wanted, call());
  await stage.until(connection, wanted, isUp);
  assert.equal(sim.machines().length, 1, "there must be one machine");
}

async function namesInErrors(stage: Stage): Promise<void> {
  const { connect, call, sim } = stage;
  const { machines } = await connect();
  sim.inject({ effect: { type: "refuse", status: 503, message: "come back later" } });
  for (const [verb, run] of verbsOf(machines, stage)) {
    const { message, code, requestId } = await refusal(run(call()), verb);
    if (verb !== "list") assert.ok(message.includes('"web-1"'), `${verb}: the machine must be named: ${message}`);
    assert.ok(code !== undefined && code !== "", `${verb}: the code must be told`);
    assert.ok(message.includes(code), `${verb}: the code "${code}" must be in the message: ${message}`);
    assert.ok(requestId !== undefined && requestId !== "", `${verb}: the request id must be told`);
    assert.ok(!message.includes("\n"), `${verb}: the message must be one line`);
  }
}
