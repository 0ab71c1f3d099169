// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { MachineRequest } from "../../src/api/index.ts";
import type { SimulatedAccess } from "../../src/engine/testing/simulator.ts";
import { systemClock } from "../../src/kube/index.ts";
import { type HarvesterSimulation, harvesterSimulator } from "../../src/providers/harvester/simulator.ts";
import { accessObjects, requestObject } from "./life-objects.ts";
import { type LifeStage, type LifeTarget, sharedStage } from "./life-stage.ts";
import { type ManagerProcess, startManager } from "./manager-process.ts";

const PACE = 0.1;
/** A little less than a call of kubectl may take. */
const PATIENCE_SECONDS = 55;
const PATIENCE = [`--timeout=${PATIENCE_SECONDS}s`] as const;

interface Machine {
  readonly name: string;
  readonly namespace: string;
  readonly spec: Partial<MachineRequest["spec"]>;
}

/** Requests stand beside the ProviderConfig and elsewhere: the manager's rights must do for both. */
function machinesOf(config: string): readonly [Machine, Machine, Machine] {
  const namespace = "butler-system";
  return [
    { name: `${config}-cp-0`, namespace, spec: { role: "control-plane", labels: { tier: "silver" } } },
    { name: `${config}-w-0`, namespace, spec: { extraDisks: [{ sizeGB: 5, storageClass: "longhorn" }] } },
    { name: `${config}-w-1`, namespace: "default", spec: { networkData: "version: 1\n" } },
  ];
}

/** One performance. */
interface Life {
  readonly stage: LifeStage;
  readonly simulator: HarvesterSimulation;
  readonly manager: ManagerProcess;
  /** The name of the ProviderConfig and its Secret; those of the machines begin with it. */
  readonly config: string;
  readonly machines: ReturnType<typeof machinesOf>;
}

/** Registers the lives: everything by kubectl, the manager in a process of its own with the rights of the manifests alone. */
export function runLives(target: LifeTarget): void {
  const stageOf = sharedStage(target);
  test("a whole life: requests become machines, change, and go without a trace", (t) =>
    perform(t, { stageOf, config: "full" }, async (life) => {
      await live(life, life.simulator);
      await changeLabels(life);
      await fail(life);
      await leave(life);
    }));
  test("a whole life on a Harvester that grants what the older controller had, and no more", (t) =>
    perform(t, { stageOf, config: "basic" }, async (life) => {
      await live(life, life.simulator.basicAccess);
      await beRefusedLabels(life);
      await leave(life);
    }));
}

interface Performance extends Pick<Life, "config"> {
  readonly stageOf: (t: TestContext) => Promise<LifeStage | undefined>;
}

async function perform(t: TestContext, { stageOf, config }: Performance, act: (life: Life) => Promise<void>) {
  const stage = await stageOf(t);
  if (stage === undefined) return;
  const options = { clock: systemClock, random: Math.random, listens: true, pace: PACE };
  const simulator = await harvesterSimulator.start(options);
  t.after(() => simulator.stop());
  const manager = await startManager(await stage.managerKubeconfig(), ["--providers", "harvester"]);
  t.after(() => manager.end("killed"));
  try {
    await act({ stage, simulator, manager, config, machines: machinesOf(config) });
  } catch (error) {
    t.diagnostic((await manager.log()).trimEnd().split("\n").slice(-30).join("\n"));
    throw error;
  }
}

/** From nothing to three machines that run, looked at from every side. */
async function live(life: Life, access: SimulatedAccess): Promise<void> {
  const { stage, simulator, config, machines } = life;
  await stage.apply(accessObjects(config, access));
  await stage.apply(machines.map((machine) => requestObject({ ...machine, config })));
  await waitFor(stage, "jsonpath={.status.ready}=true", [{ kind: "providerconfig", name: config }]);
  await waitFor(stage, "jsonpath={.status.phase}=Running", machines);
  for (const machine of machines) await checkRunning(life, machine);
  const table = await stage.kubectl(["get", "mr", "-n", "butler-system"]);
  assert.match(table, /^NAME +MACHINE +ROLE +PHASE +IP +AGE\n/);
  assert.match(table, new RegExp(`^(${config}-cp-0) +\\1 +control-plane +Running +127\\.\\S+ +\\d+s$`, "m"));
  assert.match(table, new RegExp(`^(${config}-w-0) +\\1 +worker +Running +127\\.\\S+ +\\d+s$`, "m"));
  assert.equal(simulator.machines().length, machines.length);
}

/** Every field that the reference shows of a machine that runs, compared with the machine itself. */
async function checkRunning({ stage, simulator }: Life, { name, namespace }: Machine): Promise<void> {
  const { metadata, status } = await read(stage, { name, namespace });
  const machine = simulator.machines().find((each) => each.name === name);
  assert.ok(machine?.isRunning);
  // IPv4 first.
  const addresses = machine.addresses.toSorted((one, other) => Number(one.includes(":")) - Number(other.includes(":")));
  const { lastUpdated, conditions, macAddress, ...rest } = status;
  assert.deepEqual(rest, {
    phase: "Running",
    providerID: machine.id,
    ipAddress: addresses[0],
    ipAddresses: addresses,
    observedGeneration: metadata.generation,
    ...(rest.failureDomain === undefined ? {} : { failureDomain: rest.failureDomain }),
  });
  assert.match(macAddress, /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i);
  assert.ok(Date.parse(lastUpdated) >= Date.parse(metadata.creationTimestamp));
  const said = conditions.map(({ type, status: is, reason, observedGeneration }: Record<string, unknown>) => [
    type,
    is,
    reason,
    observedGeneration,
  ]);
  assert.deepEqual(said.toSorted(), [
    ["Degraded", "False", "VMRunning", metadata.generation],
    ["Progressing", "False", "VMRunning", metadata.generation],
    ["Ready", "True", "VMRunning", metadata.generation],
  ]);
  const ready = conditions.find(({ type }: { type: string }) => type === "Ready");
  assert.equal(ready.message, "Virtual machine is running");
  assert.ok(Date.parse(ready.lastTransitionTime) > 0);
  assert.deepEqual(metadata.finalizers, ["machinerequest.butler.butlerlabs.dev/harvester-finalizer"]);
  await waitForEvents(stage, { name, namespace }, ["VMCreated", "VMRunning"]);
  const story = await stage.kubectl(["describe", "mr", name, "-n", namespace]);
  assert.match(story, /Events:.*VMCreated.*VMRunning/s);
}

/** Labels may change while a machine runs. */
async function changeLabels(life: Life): Promise<void> {
  const { stage, simulator, machines } = life;
  const [machine] = machines;
  await patchLabels(stage, machine);
  await waitFor(stage, "jsonpath={.status.observedGeneration}=2", [machine]);
  await until("the machine has its new label", () => {
    const labels = machineObject(simulator, machine).metadata.labels ?? {};
    return labels.tier === "gold" && labels.extra === "yes";
  });
  await checkRunning(life, machine);
}

/** Without the right to patch machines their labels stay, which is told, and nothing else suffers. */
async function beRefusedLabels({ stage, simulator, machines: [machine] }: Life): Promise<void> {
  await patchLabels(stage, machine);
  await waitFor(stage, "condition=Degraded", [machine]);
  const { status } = await read(stage, machine);
  assert.equal(status.phase, "Running");
  assert.deepEqual([status.lastError.kind, status.failureReason], ["denied", undefined]);
  const said = Object.fromEntries(status.conditions.map((each: Record<string, string>) => [each.type, each]));
  assert.equal(said.Ready.status, "True");
  assert.equal(said.Degraded.reason, "PermissionMissing");
  assert.match(said.Degraded.message, /may not patch virtualmachines\.kubevirt\.io in namespace "default"/);
  assert.equal(machineObject(simulator, machine).metadata.labels?.tier, "silver");
}

async function patchLabels(stage: LifeStage, { name, namespace }: Machine): Promise<void> {
  const patch = JSON.stringify({ spec: { labels: { tier: "gold", extra: "yes" } } });
  await stage.kubectl(["patch", "mr", name, "-n", namespace, "--type=merge", "-p", patch]);
}

/** A request that cannot be fulfilled says why, and makes nothing. */
async function fail({ stage, simulator, config }: Life): Promise<void> {
  const before = simulator.leftovers();
  const wish = { name: `${config}-bad`, namespace: "butler-system", config, spec: { image: "default/no-such" } };
  await stage.apply([requestObject(wish)]);
  await waitFor(stage, "jsonpath={.status.phase}=Failed", [wish]);
  const { status } = await read(stage, wish);
  assert.equal(status.failureReason, "ImageNotFound");
  assert.match(status.failureMessage, /default\/no-such/);
  await waitForEvents(stage, wish, ["VMCreationFailed"]);
  await stage.kubectl(["delete", "mr", wish.name, "-n", wish.namespace, ...PATIENCE]);
  assert.deepEqual(simulator.leftovers(), before);
}

/** Everything is deleted, the credentials too, and the manager ends when asked. */
async function leave({ stage, simulator, manager, config, machines }: Life): Promise<void> {
  for (const { name, namespace } of machines)
    await stage.kubectl(["delete", "mr", name, "-n", namespace, "--wait=false"]);
  await waitFor(stage, "delete", machines);
  assert.deepEqual(simulator.leftovers(), []);
  for (const machine of machines) await waitForEvents(stage, machine, ["VMDeleted"]);
  for (const kind of ["providerconfig", "secret"])
    await stage.kubectl(["delete", kind, config, "-n", "butler-system", ...PATIENCE]);
  const metrics = await (await fetch(`${manager.healthUrl}/metrics`)).text();
  const requests = metrics.split("\n").filter((line) => line.startsWith("rest_client_requests_total{"));
  assert.ok(requests.length > 0);
  assert.deepEqual(
    requests.filter((line) => /code="40[13]"/.test(line)),
    [],
  );
  await manager.end("asked");
  assert.equal(manager.ended(), "exit code 0");
  const lines = (await manager.log()).trimEnd().split("\n");
  // What Harvester refuses is a line of its own; the rights of the manifests are those on this Kubernetes.
  const ours = lines.filter((line) => JSON.parse(line).message !== "outside call");
  assert.deepEqual(
    ours.filter((line) => /\b403\b|forbidden|"level":"error"/i.test(line)),
    [],
  );
  assert.ok(!lines.some((line) => line.includes("#cloud-config")));
}

async function read(stage: LifeStage, { name, namespace }: Pick<Machine, "name" | "namespace">) {
  return JSON.parse(await stage.kubectl(["get", "mr", name, "-n", namespace, "-o", "json"]));
}

interface Waited {
  /** A MachineRequest unless told otherwise. */
  readonly kind?: string;
  readonly name: string;
  readonly namespace?: string;
}

async function waitFor(stage: LifeStage, what: string, objects: readonly Waited[]): Promise<void> {
  for (const { kind = "mr", name, namespace = "butler-system" } of objects)
    await stage.kubectl(["wait", `--for=${what}`, `${kind}/${name}`, "-n", namespace, ...PATIENCE]);
}

/** Events are written beside the status, and may come a moment after it. */
async function waitForEvents(
  stage: LifeStage,
  { name, namespace }: Pick<Machine, "name" | "namespace">,
  reasons: readonly string[],
): Promise<void> {
  const selector = `--field-selector=involvedObject.kind=MachineRequest,involvedObject.name=${name}`;
  const words = ["get", "events", "-n", namespace, selector, "-o", "jsonpath={.items[*].reason}"];
  await until(`events ${reasons.join(", ")} of ${name}`, async () => {
    const told = (await stage.kubectl(words)).split(" ");
    return reasons.every((reason) => told.includes(reason));
  });
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_SECONDS * 1000;
  while (!(await holds())) {
    assert.ok(performance.now() < deadline, `still not after ${PATIENCE_SECONDS} s: ${what}`);
    await delay(50);
  }
}

function machineObject({ plane }: HarvesterSimulation, { name }: Machine) {
  const all = [...plane.dump().values()];
  const found = all.find(({ kind, metadata }) => kind === "VirtualMachine" && metadata.name === name);
  return found ?? assert.fail(`no VirtualMachine ${name}`);
}
