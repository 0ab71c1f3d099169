// SPDX-License-Identifier: Apache-2.0
import { createClient, createLog, type HandlerTransport, type Random } from "../../kube/index.ts";
import { createProcessLife, type ProcessLife } from "../../kube/manager/testing/process-life.ts";
import type { Call } from "../call.ts";
import { createManagers } from "../managers.ts";
import type { Machines, Provider, Sighting } from "../provider.ts";
import type { ProviderEntry } from "../provider-entry.ts";
import type { PlainCloud } from "./plain-provider.ts";
import type { Stage } from "./stage.ts";

/** Something that left a process: a write to Kubernetes, or any request to the infrastructure. */
export interface Sent {
  readonly what: string;
  readonly at: number;
  readonly to: "kubernetes" | "infrastructure";
}

/** A process with a manager in it, as `butleradm manager` is one. */
export interface Process {
  readonly name: string;
  /** Stops it with everything under way, as SIGSTOP does; time goes on. */
  pause(): void;
  resume(): void;
  /** As SIGKILL does: what it has sent is on its way, and nothing else ever leaves it. */
  kill(): void;
  /** As SIGTERM does. */
  stop(): void;
  /** Undefined while it runs, then how it ended. */
  outcome(): { readonly error: unknown } | "fine" | undefined;
  /** Everything that left it so far, its own claims to the lease left out. */
  readonly sent: readonly Sent[];
  /** Whether it stands for election, or leads. */
  readonly hasLooked: () => boolean;
}

/** What a process lives in. */
export interface Surroundings {
  readonly stage: Stage;
  readonly cloud: PlainCloud;
  readonly random: Random;
  /** Takes as long as a request or an answer is on its way. */
  travel(): Promise<void>;
  /** The lease as the server has it. */
  readonly lease: { holder: string; writtenAt: number };
  /** Told of what should never happen. */
  blame(fault: string): void;
}

/** How long a leader may act after a renewal had left whose answer it got. */
const RENEW_MS = 10_000;
const ADMIN = { name: "admin", groups: ["system:masters", "system:authenticated"] };

/** Starts a process. All that ever leaves it is checked to leave one that may act at that moment. */
export function startProcess(name: string, surroundings: Surroundings): Process {
  const { stage, cloud, random } = surroundings;
  const life = createProcessLife({ world: stage.clock });
  const kubernetes = watchfulKubernetes(name, life, surroundings);
  const { note, sent, hasLooked } = kubernetes;
  const killed = new AbortController();
  const stopping = new AbortController();
  const transport: HandlerTransport = (request) => kubernetes.handle(mortal(request, killed.signal));
  const { travel } = surroundings;
  const entry = entryOf(cloud, { life, travel, note: (verb) => note(verb, "infrastructure") });
  const log = createLog({ write: (line) => void stage.lines.push(line), clock: stage.clock });
  const managers = createManagers({
    providers: [cloud.provider.name],
    entries: [entry],
    client: createClient({ server: "http://plane" }, { clock: life.clock, random, transport }),
    clock: life.clock,
    random,
    log: log.with({ process: name }),
    identity: name,
    leaderElect: true,
  });
  let outcome: ReturnType<Process["outcome"]>;
  managers.run(stopping.signal).then(
    () => {
      outcome = "fine";
    },
    (error: unknown) => {
      outcome = { error };
    },
  );
  return {
    name,
    pause: life.pause,
    resume: life.resume,
    kill() {
      life.kill();
      killed.abort(new Error("killed"));
    },
    stop: () => stopping.abort(new Error("asked to stop")),
    outcome: () => outcome,
    sent,
    hasLooked,
  };
}

/** The way to Kubernetes, and a witness beside it. */
function watchfulKubernetes(name: string, life: ProcessLife, surroundings: Surroundings) {
  const { stage, lease, blame, travel } = surroundings;
  const { clock, plane } = stage;
  const sent: Sent[] = [];
  let mayActUntil = Number.NEGATIVE_INFINITY;
  let hasLooked = false;
  const note = (what: string, to: Sent["to"]) => {
    const at = clock.monotonic();
    if (life.isDead()) blame(`${name} sends "${what}" after it was killed`);
    if (at >= mayActUntil) blame(`${name} sends "${what}" ${at - mayActUntil} ms after its deadline`);
    if (lease.holder !== name) blame(`${name} sends "${what}" while "${lease.holder}" holds the lease`);
    sent.push({ what, at, to });
  };
  const handle: HandlerTransport = async (request) => {
    const sentAt = clock.monotonic();
    const isWrite = request.method !== "GET";
    const isLease = request.path.includes("/leases");
    if (isWrite && !isLease) note(`${request.method} ${request.path}`, "kubernetes");
    const hasLed = mayActUntil > Number.NEGATIVE_INFINITY;
    if (isWrite && isLease && hasLed && sentAt >= mayActUntil) blame(`${name} claims the lease after its deadline`);
    await travel();
    const response = await plane.handle({ ...request, user: ADMIN });
    const isKept = isWrite && isLease && response.status < 300;
    const holder = isKept ? holderIn(response.body) : "";
    if (isKept) Object.assign(lease, { holder, writtenAt: clock.monotonic() });
    await travel();
    await life.awake();
    hasLooked ||= isLease;
    if (holder === name) mayActUntil = sentAt + RENEW_MS;
    return typeof response.body === "string" ? response : { ...response, body: heard(response.body, life) };
  };
  return { handle, note, sent, hasLooked: () => hasLooked };
}

function holderIn(lease: unknown): string {
  return JSON.parse(String(lease)).spec?.holderIdentity ?? "";
}

/** The kernel closes what a killed process had open. A write that was sent takes effect all the same. */
function mortal(request: Parameters<HandlerTransport>[0], killed: AbortSignal): Parameters<HandlerTransport>[0] {
  if (request.method !== "GET") return request;
  return { ...request, signal: AbortSignal.any([request.signal, killed]) };
}

/** What a server tells piece by piece, as far as the process hears it. */
async function* heard<T>(pieces: AsyncIterable<T>, life: ProcessLife): AsyncGenerator<T> {
  for await (const piece of pieces) {
    await life.awake();
    yield piece;
  }
}

interface Reach {
  readonly life: ProcessLife;
  travel(): Promise<void>;
  /** Told of every request at the moment it leaves. */
  note(verb: string): void;
}

/** The infrastructure as one process reaches it. */
function entryOf({ entry, provider }: PlainCloud, reach: Reach): ProviderEntry {
  const reached: Provider = {
    ...provider,
    async connect(input) {
      const connection = await provider.connect(input);
      return { ...connection, machines: reachedMachines(connection.machines, reach) };
    },
  };
  return { ...entry, load: async () => ({ provider: reached }) };
}

function reachedMachines(machines: Machines, { life, travel, note }: Reach): Machines {
  const over = ({ signal, outside }: Call): Call => ({
    signal,
    outside: (verb, send) =>
      outside(verb, async () => {
        note(verb);
        await travel();
        const answer = await send();
        await travel();
        await life.awake();
        return answer;
      }),
  });
  const { watch } = machines;
  async function* watched(call: Call): AsyncGenerator<Sighting> {
    if (watch !== undefined) yield* heard(watch(over(call)), life);
  }
  return {
    ...machines,
    check: (call) => machines.check(over(call)),
    list: (call) => machines.list(over(call)),
    find: (want, call) => machines.find(want, over(call)),
    create: (want, call) => machines.create(want, over(call)),
    delete: (have, call) => machines.delete(have, over(call)),
    watch: watched,
  };
}
