// SPDX-License-Identifier: Apache-2.0
import { isDeepStrictEqual } from "node:util";
import type { MachineRequest } from "../../../api/index.ts";
import type { SimulatedMachine } from "../simulator.ts";
import type { Canaries } from "./canaries.ts";
import { kubernetesState, withoutTraces } from "./kubernetes-state.ts";
import type { World } from "./world.ts";

/** What must never be, and was. */
export interface Violation {
  /**
   * `duplicate`: more machines than requests, or a second one for the same request. `leftover`: something stays on the infrastructure,
   * or in Kubernetes. `status`: a status that is not true. `leak`: a secret was seen. `calls`: too many calls. `stuck`: it does not go on.
   * `point`: the request at a point is not the one that was recorded.
   */
  readonly kind: "duplicate" | "leftover" | "status" | "leak" | "calls" | "stuck" | "point";
  readonly text: string;
}

/** Looks at the complete state of the servers, not at what carries a mark, and writes down what must never be. */
export interface Oracle {
  readonly violations: readonly Violation[];
  /** Most machines that ever stood at once. */
  readonly mostMachines: number;
  blame(kind: Violation["kind"], text: string): void;
  /** Has the request exactly one machine, which runs, and does its status say so and nothing else? */
  checkRunning(name: string): void;
  /** Does the machine run that the status tells of, with the address that it tells? */
  checkStanding(name: string): void;
  /** Are the infrastructure and Kubernetes as they should be without any request? */
  checkGone(): void;
  /** Is there no secret in logs and objects? */
  checkLeaks(): void;
}

/** What an oracle goes by. */
export interface OracleOptions {
  /** The requests there may be. Machines that were there before are not theirs. */
  readonly names: readonly string[];
  readonly canaries: Canaries;
  /** What Kubernetes should be like in the end; as it was in the beginning, besides what managers leave for good, unless told otherwise. */
  readonly kubernetes?: ReadonlyMap<string, string> | undefined;
  /** Phases that must not be seen; `Failed` and `Unknown` unless told otherwise. */
  readonly never?: readonly string[];
  /** How many machines there may be in all, one after the other; as many as requests unless told otherwise. */
  readonly mostEver?: number;
  /** How many there may be at this moment; as many as there are requests unless told otherwise. */
  readonly most?: () => number;
  /** Whether a machine that came later is not theirs either. */
  readonly isStranger?: (machine: SimulatedMachine) => boolean;
  /** What may be there in the end and was not, or was another way, by its key on either side; nothing unless told otherwise. */
  readonly mayDiffer?: (key: string) => boolean;
}

/** Begins to look, before the first request is made. */
export function createOracle(world: World, options: OracleOptions): Oracle {
  const { names, canaries, never = ["Failed", "Unknown"], mostEver = names.length } = options;
  const { sim } = world;
  const before = sim.state();
  const kubernetesNow = () => kubernetesState(world.plane, world.access);
  const kubernetesBefore = kubernetesNow();
  const strangers = new Set(sim.machines().map(({ id }) => id));
  const ever = new Set<string>();
  const violations: Violation[] = [];
  const blamed = new Set<string>();
  let mostMachines = 0;
  const blame: Oracle["blame"] = (kind, text) => {
    if (blamed.has(`${kind} ${text}`)) return;
    blamed.add(`${kind} ${text}`);
    violations.push({ kind, text });
  };
  const own = () =>
    sim.machines().filter((machine) => !strangers.has(machine.id) && options.isStranger?.(machine) !== true);
  const look = () => {
    const machines = own();
    for (const { id } of machines) ever.add(id);
    mostMachines = Math.max(mostMachines, machines.length);
    const wanted = options.most?.() ?? names.filter((name) => world.requestNow(name) !== undefined).length;
    if (machines.length > wanted) blame("duplicate", `${listed(machines)} for ${wanted} requests`);
    if (ever.size > mostEver) blame("duplicate", `${ever.size} machines were made, one after the other`);
  };
  world.onServed((side, { method }, { body }) => {
    if (method === "GET") return;
    if (side === "infrastructure") look();
    else if (typeof body === "string" && canaries.isShownBy(body)) blame("leak", `a secret was written: ${body}`);
  });
  world.onStill(() => {
    look();
    for (const name of names) {
      const { phase = "", failureReason } = world.requestNow(name)?.status ?? {};
      if (never.includes(phase)) blame("status", `${name} is ${phase} (${failureReason})`);
    }
  });
  return {
    violations,
    get mostMachines() {
      return mostMachines;
    },
    blame,
    checkRunning(name) {
      const request = world.requestNow(name);
      if (request === undefined) return blame("status", `${name} is gone`);
      const machines = own().filter((machine) => machine.name === request.spec.machineName);
      const [machine] = machines;
      if (machine === undefined || machines.length > 1) return blame("status", `${name} has ${listed(machines)}`);
      for (const lie of liesAbout(machine, request)) blame("status", `${name}: ${lie}`);
    },
    checkStanding(name) {
      const { providerID = "", ipAddress = "" } = world.requestNow(name)?.status ?? {};
      const machine = own().find(({ id }) => id === providerID);
      if (machine?.isRunning !== true || !machine.addresses.includes(ipAddress))
        blame(
          "status",
          `${name} tells of machine ${providerID} at ${ipAddress}, but there is ${JSON.stringify(machine)}`,
        );
    },
    checkGone() {
      const besides = <T>(state: ReadonlyMap<string, T>) =>
        new Map([...state].filter(([key]) => options.mayDiffer?.(key) !== true));
      for (const difference of differences(besides(before), besides(sim.state()))) blame("leftover", difference);
      const { kubernetes } = options;
      const [was, is] =
        kubernetes === undefined
          ? [withoutTraces(kubernetesBefore), withoutTraces(kubernetesNow())]
          : [kubernetes, kubernetesNow()];
      for (const difference of differences(besides(was), besides(is))) blame("leftover", `Kubernetes: ${difference}`);
    },
    checkLeaks() {
      for (const line of world.lines) if (canaries.isIn(line)) blame("leak", `a secret is in the log: ${line.trim()}`);
      for (const object of world.plane.dump().values())
        if (canaries.isShownBy(JSON.stringify(object))) blame("leak", `a secret is in ${JSON.stringify(object)}`);
    },
  };
}

function listed(machines: readonly SimulatedMachine[]): string {
  return `${machines.length} machines (${machines.map(({ name, id }) => `${name} ${id}`).join(", ")})`;
}

/** What the status of a request at rest says that is not so. */
export function liesAbout(machine: SimulatedMachine, { metadata, spec, status }: MachineRequest): readonly string[] {
  const { id, isRunning, isDeleting, addresses, cpu, memoryMb } = machine;
  const said = status?.conditions?.map(({ type, status: is, reason }) => `${type}=${is} ${reason}`).sort() ?? [];
  const ready = said.find((each) => each.startsWith("Ready"));
  const quiet = said.filter((each) => !each.startsWith("Ready")).map((each) => each.replace(/ .*/, ""));
  const truths: readonly (readonly [string, boolean])[] = [
    [`the machine does not run`, isRunning && !isDeleting],
    [`the machine has ${cpu} cpu, and not ${spec.cpu}`, cpu === spec.cpu],
    [`the machine has ${memoryMb} MB of memory, and not ${spec.memoryMB}`, memoryMb === spec.memoryMB],
    [`phase is ${status?.phase}`, status?.phase === "Running"],
    [`providerID is ${status?.providerID} and not ${id}`, status?.providerID === id],
    [`ipAddress is ${status?.ipAddress} and not one of ${addresses}`, addresses.includes(status?.ipAddress ?? "")],
    [
      `ipAddresses are ${status?.ipAddresses} and not ${addresses}`,
      isDeepStrictEqual(status?.ipAddresses?.toSorted(), addresses.toSorted()),
    ],
    [`conditions are ${said}`, ready === "Ready=True VMRunning"],
    [`conditions are ${said}`, isDeepStrictEqual(quiet, ["Degraded=False", "Progressing=False"])],
    [`lastError is ${JSON.stringify(status?.lastError)}`, status?.lastError === undefined],
    [`failureReason is ${status?.failureReason}`, status?.failureReason === undefined],
    [`operation is ${JSON.stringify(status?.operation)}`, status?.operation === undefined],
    [`observedGeneration is ${status?.observedGeneration}`, status?.observedGeneration === metadata.generation],
  ];
  return truths.filter(([, isSo]) => !isSo).map(([lie]) => lie);
}

/** What differs between two states, by key; of texts that differ no more than where they do. */
export function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
    const [was, is] = [before.get(key), after.get(key)];
    if (was === is) return [];
    if (was === undefined) return [`${key} is there: ${is}`];
    if (is === undefined) return [`${key} is gone: ${was}`];
    const [one, other] = apart(was, is);
    return [`${key}: ${one} became ${other}`];
  });
}

const CONTEXT = 40;

/** Both without what they begin and end with alike, a little of that left for people. */
function apart(one: string, other: string): readonly [string, string] {
  let begin = 0;
  while (begin < one.length && one[begin] === other[begin]) begin += 1;
  let end = 0;
  while (end < Math.min(one.length, other.length) - begin && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const part = (text: string) => text.slice(Math.max(0, begin - CONTEXT), text.length - Math.max(0, end - CONTEXT));
  return [part(one), part(other)];
}
