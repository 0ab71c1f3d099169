// SPDX-License-Identifier: Apache-2.0
import { isDeepStrictEqual } from "node:util";
import { type MachineRequest, machineRequest } from "../api/index.ts";
import type { Cache, Clock, EventRecorder, Log, Random, Reconcile, ReconcileContext, Result } from "../kube/index.ts";
import type { Connections } from "./connections.ts";
import { decide } from "./decide.ts";
import { FIELD_MANAGER } from "./identity.ts";
import { meetConflict } from "./machine-conflict.ts";
import { withOwnKin } from "./machine-kin.ts";
import { adopt, launch, recover, writeEnding } from "./machine-launch.ts";
import { createMachineMemory, expectChange, type MachineMemory, type MachineRecord } from "./machine-memory.ts";
import { type Told, tellOf } from "./machine-report.ts";
import { dropRetry, handOver, hold, letGo, look, release, remove } from "./machine-steps.ts";
import { afterFailedLook, afterLook, type Survey, survey } from "./machine-survey.ts";
import { tellNobodys } from "./nobodys-status.ts";
import { ProviderError } from "./provider-error.ts";
import type { Released } from "./released.ts";
import { meetShortage } from "./shortage.ts";
import type { Step, Verdict } from "./situation.ts";
import type { StepResult, Workbench } from "./workbench.ts";

/** What the reconciler of one provider's machines works with. */
export interface MachineReconcilerOptions {
  /** The provider's name, which its finalizer carries. */
  readonly provider: string;
  /** Those that can run, in all managers there may be. */
  readonly providers: readonly string[];
  readonly cache: Pick<Cache<MachineRequest>, "get" | "list">;
  readonly connections: Pick<Connections, "of" | "ofLaunch" | "configKeyOf" | "whereSeen">;
  /** The record of machines let go of in a ProviderConfig's namespace, also where the ProviderConfig is gone. */
  readonly releasedIn: (namespace: string) => Released;
  readonly events: EventRecorder;
  /** For news that every manager may tell: made with `hasFixedNames`. */
  readonly sharedEvents: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  /** A new random UUID. */
  readonly newId: () => string;
  readonly log: Log;
}

/**
 * Brings machines in line with MachineRequests: reads, looks, decides, does one thing and writes the status once, where it differs. It
 * never waits for a machine, and stands being killed at any point: what must survive is written down before it is needed.
 */
export function createMachineReconciler(options: MachineReconcilerOptions): Reconcile {
  const memory = createMachineMemory();
  return async (key, context) => {
    const request = options.cache.get(key);
    if (request === undefined) {
      memory.forget(key);
      return "done";
    }
    return await reconcileMachine(request, { options, memory, context });
  };
}

interface Surroundings {
  readonly options: MachineReconcilerOptions;
  readonly memory: MachineMemory;
  readonly context: ReconcileContext;
}

async function reconcileMachine(request: MachineRequest, { options, memory, context }: Surroundings): Promise<Result> {
  const { clock } = options;
  const { client, signal } = context;
  const record = memory.of(request);
  const first = await survey(request, { ...options, record, signal });
  if ("is" in first) {
    if (first.is === "nobody's") await tellNobodys(request, first, { ...options, client, signal });
    return "done";
  }
  const bench: Workbench = {
    ...options,
    client,
    signal,
    record,
    writeStatus: async (now, outcome) => {
      const told = tellOf(now, { outcome, surveyed: first, record, clock });
      const isNew = told !== undefined && told.writeInMs < Number.POSITIVE_INFINITY;
      return isNew ? await write(now, told, { options, context }) : now;
    },
  };
  const known = await sayDeleting(request, { first, bench });
  const { step, surveyed } = await decideOn(known, { first, bench });
  const result = await take(known, { step, surveyed, bench });
  if (result === undefined) return "done";
  if (result.outcome.is === "seen") meetShortage(result.outcome.have, bench);
  settleTrouble(record, { result, surveyed });
  const told = tellOf(result.request, { ...result, surveyed, record, clock });
  awaitChange(record, { told, surveyed });
  // What was told before the call was a promise: what came of it is told at once.
  const patienceMs = known === request ? 0 : Number.MAX_VALUE;
  const isDue = told !== undefined && told.writeInMs <= patienceMs;
  if (isDue) await write(result.request, told, { options, context });
  // What is never due is not waited for: it would be remembered for ever.
  const waits = [result.againInMs, isDue ? undefined : told?.writeInMs, told?.againInMs].filter(
    (ms): ms is number => ms !== undefined && ms < Number.POSITIVE_INFINITY,
  );
  return waits.length === 0 ? "done" : { againInMs: Math.max(0, Math.min(...waits)) };
}

interface Deciding {
  readonly first: Survey;
  readonly bench: Workbench;
}

/** A call may take long: that the machine goes is told before the first one that is sent for it. */
async function sayDeleting(request: MachineRequest, { first, bench }: Deciding): Promise<MachineRequest> {
  const { isDeleting, phase } = first.situation;
  if (!isDeleting || phase === "Deleting") return request;
  const step = decide(first.situation);
  if (step.do === "delete") return await bench.writeStatus(request, { is: "going", have: step.have });
  return step.do === "look" ? await bench.writeStatus(request, { is: "waiting" }) : request;
}

async function decideOn(
  request: MachineRequest,
  { first, bench }: Deciding,
): Promise<{ step: Step; surveyed: Survey }> {
  const step = decide(first.situation);
  if (step.do !== "look") return { step, surveyed: first };
  const found = await look(first, bench);
  const { record } = bench;
  const now = bench.clock.monotonic();
  const surveyed =
    found instanceof ProviderError
      ? afterFailedLook(first, record, now)
      : await withOwnKin(request, afterLook(request, first, { found, record, now }), bench);
  const next = decide(surveyed.situation);
  // One look is enough for one reconcile, whatever came of it.
  return { step: next.do === "look" ? { do: "tell", verdict: { is: "waiting" } } : next, surveyed };
}

interface Taking {
  readonly step: Step;
  readonly surveyed: Survey;
  readonly bench: Workbench;
}

/** Takes the step. Undefined where the request needs nothing more for now: what was written brings it back. */
async function take(request: MachineRequest, { step, surveyed, bench }: Taking): Promise<StepResult | undefined> {
  switch (step.do) {
    case "tell": {
      const { verdict } = step;
      if (verdict.is !== "stranger" && verdict.is !== "copied") return { request, outcome: verdict };
      meetConflict(request, { verdict, surveyed, bench });
      return { request, outcome: { is: "waiting" } };
    }
    case "pause":
      return { request, outcome: { is: "paused" } };
    case "launch":
      return await launch(request, { step, surveyed, bench });
    case "adopt":
      return await adopt(request, { have: step.have, surveyed, bench });
    case "recover": {
      const { home } = surveyed;
      const { mark, stranger } = step;
      const isIt = stranger?.mark?.machineId === mark.machineId;
      const kin = { mark, providerId: isIt ? stranger?.providerId : undefined };
      const recovered = home === undefined ? undefined : await recover(request, { kin, home, bench });
      if (recovered !== undefined) return recovered;
      const verdict: Verdict = stranger === undefined ? { is: "waiting" } : { is: "stranger", stranger };
      return await take(request, { step: { do: "tell", verdict }, surveyed, bench });
    }
    case "delete": {
      const known = step.isReplaced ? await writeEnding(request, { surveyed, bench }) : request;
      return await remove(known, { have: step.have, surveyed, bench });
    }
    case "release":
      return await release(request, surveyed, bench);
    case "hand-over":
      await handOver(request, surveyed, bench);
      return undefined;
    case "let-go":
      return await letGo(request, { why: step.why, surveyed, bench });
    case "hold":
      await hold(request, bench);
      return undefined;
    case "drop-retry":
      await dropRetry(request, bench);
      return undefined;
    default:
      return undefined;
  }
}

/** A machine that is seen has no trouble with being found or made; only its labels may. */
function settleTrouble(record: MachineRecord, { result, surveyed }: { result: StepResult; surveyed: Survey }): void {
  const { outcome } = result;
  if (outcome.is !== "seen") return;
  const isAligned = isDeepStrictEqual(outcome.have.labels, surveyed.situation.labels);
  const isFine = isAligned && record.shortage === undefined;
  if (isFine || record.trouble?.verb === "find") record.trouble = undefined;
}

/** Looks come often while a machine is on its way, up or out. */
function awaitChange(record: MachineRecord, { told, surveyed }: { told: Told | undefined; surveyed: Survey }): void {
  const { home, target, sought, situation } = surveyed;
  const phase = told?.status.phase ?? situation.phase;
  const isOnItsWay = phase === "Creating" || phase === "Deleting" || phase === "Pending";
  const sightings = (home ?? target)?.sightings;
  const machineId = sought?.mark.machineId;
  const isAwaited = isOnItsWay && sightings !== undefined && machineId !== undefined;
  expectChange(record, isAwaited ? { sightings, machineId } : undefined);
}

interface Writing {
  readonly options: MachineReconcilerOptions;
  readonly context: ReconcileContext;
}

/** Writes the status of the very version that was looked at, and tells what has happened. */
async function write(request: MachineRequest, told: Told, { options, context }: Writing) {
  const { client, signal } = context;
  // Bound to that version: somebody who changed the spec in between must be heard before a phase freezes it.
  const whole = { ...request, status: told.status };
  const how = { signal, fieldManager: FIELD_MANAGER, subresource: "status" };
  const written = await client.update<MachineRequest>(machineRequest, whole, how);
  for (const news of told.news()) options.events.record(request, news);
  return written;
}
