// SPDX-License-Identifier: Apache-2.0
import { type MachineRequest, machineRequest } from "../api/index.ts";
import { keyOf, LostLeadershipError } from "../kube/index.ts";
import type { Outcome } from "./account.ts";
import type { Connected } from "./connections.ts";
import {
  ANNOTATIONS,
  FIELD_MANAGER,
  finalizerOf,
  isKin,
  type Launch,
  launchIdOf,
  launchText,
  ownerOf,
} from "./identity.ts";
import { letGoMessage } from "./machine-conflict.ts";
import { type Kin, kinIn, kinshipOf } from "./machine-kin.ts";
import type { MachineRecord } from "./machine-memory.ts";
import type { Survey } from "./machine-survey.ts";
import { wantOf } from "./machine-want.ts";
import type { Created, Found, MachineHave, MachineWant, Stranger } from "./provider.ts";
import { ProviderError } from "./provider-error.ts";
import { planNextTry } from "./shortage.ts";
import type { Step } from "./situation.ts";
import { type StepResult, tryCall, type Workbench } from "./workbench.ts";

/** Where it took longer to write a launch down, create is not called for it. */
const FRESH_MS = 10_000;

/** Writes the launch down, then calls create, which is over within its time limit from what was written down. */
export async function launch(
  request: MachineRequest,
  { step, surveyed, bench }: { step: Extract<Step, { readonly do: "launch" }>; surveyed: Survey; bench: Workbench },
): Promise<StepResult> {
  const { identity } = surveyed;
  const { signal, record, clock } = bench;
  const place = step.why === "first" || step.why === "anew" ? surveyed.target : surveyed.home;
  if (place === undefined) throw new Error("a machine is launched where nothing is connected");
  // Somebody took its annotations off, and a machine may be on its way.
  if (step.why === "first" && identity === undefined && record.launched !== undefined) {
    const restored = await writeIdentity(request, { bench, ...record.launched });
    return { request: restored, outcome: { is: "unchanged" }, againInMs: 0 };
  }
  record.newId ??= bench.newId();
  const machineId = identity?.machineId ?? record.newId;
  const recovered = step.why === "first" ? await recoverKin(request, { machineId, place, bench }) : undefined;
  if (recovered !== undefined) return recovered;
  const entry = await place.guard.enter(machineId, { signal, owner: ownerOf(request) });
  if (entry.state === "refused") {
    const { reason, message, isTold, isOrderly, againInMs } = entry;
    const heldBack: Outcome = { is: "held-back", reason, message, isOrderly };
    return { request, outcome: isTold ? heldBack : { is: "unchanged" }, againInMs };
  }
  try {
    if (step.why === "first" || step.why === "anew") await place.protect(request, { signal });
    // Whoever finds the new attempt must not take the old machine's id for its own.
    const cleared = step.why === "anew" ? await bench.writeStatus(request, { is: "cleared" }) : request;
    const next = nextLaunch(request, { step, surveyed, place, record, now: clock.now() });
    const text = launchIdOf(next);
    const startedAt = clock.monotonic();
    const launched = await writeIdentity(cleared, { bench, machineId, attempt: step.attempt, launch: next });
    const spentMs = clock.monotonic() - startedAt;
    record.provenLaunch = text;
    if (spentMs > FRESH_MS) {
      // Whoever believes in absence counts from the time that was written down. Nothing was sent: it is written down anew.
      record.answered = { launch: text, time: clock.now() };
      return { request: launched, outcome: { is: "unchanged" }, againInMs: 0 };
    }
    const mark = { machineId, attempt: step.attempt, launch: next.hash, installation: place.installation };
    const want = wantOf(launched, mark, isUpkeep(step) ? standingId(surveyed) : undefined);
    record.tried = text;
    record.launched = { machineId, attempt: step.attempt, launch: next };
    if (step.why === "nudge") planNextTry(bench);
    else if (!isUpkeep(step)) record.shortage = undefined;
    record.lastDelete = undefined;
    record.lastLook = undefined;
    const what = `create machine "${want.name}"`;
    const since = place.sightings.told;
    const limitMs = place.provider.callLimitMs - spentMs;
    const created = await tryCall(bench, { place, verb: "create", what, machine: want.name, limitMs }, (call) =>
      place.connection.machines.create(want, call),
    );
    if (created instanceof ProviderError) {
      if (!created.mayHaveActed) record.answered = { launch: text, time: clock.now() };
      return await meetRefusal(launched, { created, launch: next, want, place, bench });
    }
    record.answered = { launch: text, time: clock.now() };
    record.welcomed = text;
    if (step.why === "align") record.lastAlignment = { at: clock.monotonic(), labels: JSON.stringify(want.labels) };
    record.tried = undefined;
    record.voided = undefined;
    if (want.existing !== undefined && created.have === undefined) {
      // It is not there any more, whatever the picture says: a look tells what has become of it.
      place.sightings.forget(want.mark, { since });
      return { request: launched, outcome: { is: "unchanged" }, againInMs: 0 };
    }
    return welcome(launched, { created, since, place, isNew: !isUpkeep(step), bench });
  } finally {
    entry.leave();
  }
}

interface Kinship extends Pick<Refusal, "place" | "bench"> {
  readonly machineId: string;
}

/** A machine, or a part of one, that was made for this very request and whose id it has lost is neither made again nor left behind. */
async function recoverKin(request: MachineRequest, kinship: Kinship): Promise<StepResult | undefined> {
  const { machineId, place, bench } = kinship;
  for (const kin of kinIn(place, { machineId, installation: place.installation, owner: ownerOf(request) })) {
    const recovered = await recover(request, { kin, home: place, bench });
    if (recovered !== undefined) return recovered;
  }
  return undefined;
}

interface Refusal {
  readonly created: ProviderError;
  readonly launch: Launch;
  readonly want: MachineWant;
  readonly place: Connected;
  readonly bench: Workbench;
}

/** Create has failed. A name that is taken by this request's own machine, whose id it has lost, is taken on. */
async function meetRefusal(request: MachineRequest, refusal: Refusal): Promise<StepResult> {
  const { created, launch: tried, want, place, bench } = refusal;
  const isSettled = !created.mayHaveActed && tried.doubt === undefined;
  const found = isSettled ? await lookAfterRefusal(refusal) : undefined;
  const isVoid = found !== undefined && found.have === undefined;
  bench.record.voided = isVoid ? launchIdOf(tried) : undefined;
  if (!isVoid) return { request, outcome: { is: "waiting" } };
  const { stranger } = found;
  if (stranger?.mark !== undefined && isKin(stranger.mark, want.mark)) {
    const kin = { mark: stranger.mark, providerId: stranger.providerId };
    const recovered = await recover(request, { kin, home: place, bench });
    if (recovered !== undefined) return recovered;
    await tellLetGo(request, { kin, stranger, refusal });
  }
  const { machineId } = want.mark;
  const recovered = await recoverKin(request, { machineId, place, bench });
  if (recovered !== undefined) return recovered;
  const voided = await patchLaunch(request, { launch: { ...tried, isVoid: true }, bench });
  return { request: voided, outcome: { is: "waiting" } };
}

interface LetGo {
  readonly kin: Kin;
  readonly stranger: Stranger;
  readonly refusal: Refusal;
}

/** The infrastructure knows no more than that the name is taken. By what, and how to get it back, is for us to say. */
async function tellLetGo(request: MachineRequest, { kin, stranger, refusal }: LetGo): Promise<void> {
  const { created, want, place, bench } = refusal;
  const { trouble } = bench.record;
  if (trouble === undefined || created.reason !== "NameConflict") return;
  if ((await kinshipOf(request, kin, { home: place, bench })) !== "let go") return;
  const { kind, code, requestId } = created;
  const message = letGoMessage({ name: want.name, stranger, home: place });
  const error = new ProviderError({ kind, reason: "NameConflict", message, code, requestId, mayHaveActed: false });
  bench.record.trouble = { ...trouble, error };
}

/**
 * What a refused create call has left, parts included; undefined where that is not known. That nothing is left lets the request go
 * elsewhere or away, also when the infrastructure cannot be asked any more.
 */
async function lookAfterRefusal({ created, want, place, bench }: Refusal): Promise<Found | undefined> {
  if (created.kind !== "invalid" && created.kind !== "denied" && created.kind !== "exhausted") return undefined;
  const { signal } = bench;
  const call = {
    what: `look for machine "${want.name}"`,
    machine: want.name,
    signal,
    limitMs: place.provider.callLimitMs,
  };
  try {
    return await place.calls.run(call, (each) => place.connection.machines.find(want, each));
  } catch (error) {
    if (signal.aborted || error instanceof LostLeadershipError) throw error;
    return undefined;
  }
}

interface Welcome {
  readonly created: Created;
  /** What had been told when the call began. */
  readonly since: number;
  readonly place: Connected;
  readonly isNew: boolean;
  readonly bench: Workbench;
}

function welcome(request: MachineRequest, { created, since, place, isNew, bench }: Welcome): StepResult {
  const { have, operation } = created;
  const { events, record } = bench;
  if (have !== undefined) {
    record.seenAttempt = have.mark.attempt;
    place.sightings.note(have, { since });
  }
  if (isNew) {
    const id = have?.providerId === undefined ? "" : ` (${have.providerId})`;
    const note = `Virtual machine "${request.spec.machineName}"${id} was created`;
    events.record(request, { type: "Normal", reason: "VMCreated", note });
  }
  return {
    request,
    outcome: have === undefined ? { is: isNew ? "created" : "unchanged" } : { is: "seen", have, labelProblems: [] },
    operation,
  };
}

interface NextLaunch {
  readonly step: Extract<Step, { readonly do: "launch" }>;
  readonly surveyed: Survey;
  readonly place: Connected;
  readonly record: MachineRecord;
  readonly now: number;
}

function nextLaunch(request: MachineRequest, { step, surveyed, place, record, now }: NextLaunch): Launch {
  const { hash } = surveyed;
  const before = surveyed.identity?.launch;
  const fresh: Launch = {
    time: new Date(now).toISOString(),
    hash,
    providerConfig: place.config.key,
    place: place.connection.place,
    owner: ownerOf(request),
    name: request.spec.machineName,
    tries: 1,
    attempt: step.attempt,
    installation: place.installation,
    provider: place.provider.name,
  };
  if (before === undefined || step.why === "first" || step.why === "anew") return fresh;
  const isAnswered = before.isVoid || record.answered?.launch === launchIdOf(before);
  return {
    ...fresh,
    // Labels are not launch parameters: what the machine was made from stays what it was.
    hash: isUpkeep(step) ? before.hash : hash,
    name: isUpkeep(step) ? before.name : fresh.name,
    tries: before.tries + 1,
    doubt: isAnswered ? before.doubt : before.time,
    since: isUpkeep(step) ? (before.since ?? before.time) : undefined,
  };
}

/** The machine is there and stays what it is. */
function isUpkeep({ why }: NextLaunch["step"]): boolean {
  return why === "align" || why === "nudge";
}

/** The machine that is to be brought in line. */
function standingId({ situation: { look } }: Survey): string | undefined {
  return look.by === "nothing" ? undefined : look.have?.providerId;
}

/** Writes down that the machine is being replaced, before it is deleted: that must not be taken for its loss. */
export async function writeEnding(
  request: MachineRequest,
  { surveyed: { identity }, bench }: { surveyed: Survey; bench: Workbench },
): Promise<MachineRequest> {
  if (identity?.launch === undefined || identity.launch.isEnding) return request;
  return await patchLaunch(request, { launch: { ...identity.launch, isEnding: true }, bench });
}

/** Writes down what has become of a launch, and nothing else. */
async function patchLaunch(
  request: MachineRequest,
  { launch: known, bench }: { readonly launch: Launch; readonly bench: Workbench },
): Promise<MachineRequest> {
  const { client, signal } = bench;
  const { resourceVersion = "" } = request.metadata;
  const annotations = { [ANNOTATIONS.launch]: launchText(known) };
  const patch = { metadata: { resourceVersion, annotations } };
  return await client.mergePatch<MachineRequest>(machineRequest, keyOf(request), patch, {
    signal,
    fieldManager: FIELD_MANAGER,
  });
}

interface WrittenIdentity {
  readonly bench: Workbench;
  readonly machineId: string;
  readonly attempt: number;
  readonly launch: Launch;
}

/** One patch, bound to the version that was looked at: whoever changed the request in between is heard first. */
async function writeIdentity(
  request: MachineRequest,
  { bench, machineId, attempt, launch: next }: WrittenIdentity,
): Promise<MachineRequest> {
  const { client, signal, provider } = bench;
  const { finalizers = [], resourceVersion = "", annotations = {} } = request.metadata;
  const finalizer = finalizerOf(provider);
  const isRetry = annotations[ANNOTATIONS.retry] !== undefined;
  const metadata = {
    resourceVersion,
    ...(finalizers.includes(finalizer) ? {} : { finalizers: [...finalizers, finalizer] }),
    annotations: {
      [ANNOTATIONS.machineId]: machineId,
      [ANNOTATIONS.attempt]: String(attempt),
      [ANNOTATIONS.launch]: launchText(next),
      ...(isRetry ? { [ANNOTATIONS.retry]: null } : {}),
    },
  };
  return await client.mergePatch(machineRequest, keyOf(request), { metadata }, { signal, fieldManager: FIELD_MANAGER });
}

/** Takes on a machine that carries our mark: from now on it counts as launched by us. */
export async function adopt(
  request: MachineRequest,
  { have, surveyed, bench }: { have: MachineHave; surveyed: Survey; bench: Workbench },
): Promise<StepResult> {
  const { home } = surveyed;
  if (home === undefined) throw new Error("a machine is adopted where nothing is connected");
  await home.protect(request, { signal: bench.signal });
  const { machineId, attempt, launch: hash } = have.mark;
  const taken: Launch = {
    time: new Date(bench.clock.now()).toISOString(),
    hash,
    providerConfig: home.config.key,
    place: home.connection.place,
    owner: have.mark.owner,
    name: have.name,
    tries: 2,
    attempt,
    installation: home.installation,
    provider: home.provider.name,
  };
  const adopted = await writeIdentity(request, { bench, machineId, attempt, launch: taken });
  return { request: adopted, outcome: { is: "seen", have, labelProblems: [] } };
}

/**
 * Takes on a machine whose mark names this very request as its owner, and whose id the request has lost. Undefined where it was let go
 * of, or where another request carries its id.
 */
export async function recover(
  request: MachineRequest,
  { kin, home, bench }: { kin: Kin; home: Connected; bench: Workbench },
): Promise<StepResult | undefined> {
  const { mark } = kin;
  const { machineId, attempt } = mark;
  const { signal, record, clock } = bench;
  if ((await kinshipOf(request, kin, { home, bench })) !== "own") return undefined;
  await home.protect(request, { signal });
  const taken: Launch = {
    time: new Date(clock.now()).toISOString(),
    hash: mark.launch,
    providerConfig: home.config.key,
    place: home.connection.place,
    owner: mark.owner,
    name: request.spec.machineName,
    tries: 2,
    attempt,
    installation: mark.installation,
    provider: home.provider.name,
  };
  const recovered = await writeIdentity(request, { bench, machineId, attempt, launch: taken });
  record.trouble = undefined;
  record.lastLook = undefined;
  // From here on it is looked after by its id.
  return { request: recovered, outcome: { is: "unchanged" }, againInMs: 0 };
}
