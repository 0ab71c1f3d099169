// SPDX-License-Identifier: Apache-2.0
import type { MachineRequest } from "../api/index.ts";
import { type Clock, parseKeyText } from "../kube/index.ts";
import type { ToldTrouble } from "./account.ts";
import type { Connected, ConnectionState, Connections, SeenAt } from "./connections.ts";
import { hindranceOf } from "./hindrance.ts";
import {
  ANNOTATIONS,
  abandonIds,
  finalizerOf,
  holderOf,
  type Identity,
  identityOf,
  isKin,
  isOurs,
  isTraced,
  isWhole,
  type Launch,
  launchIdOf,
  ownerOf,
} from "./identity.ts";
import { type MachineRecord, meetCircumstances, nextLookInMs } from "./machine-memory.ts";
import { launchHashOf, wantOf } from "./machine-want.ts";
import type { Found, MachineHave, MachineWant, Mark } from "./provider.ts";
import { nextTryInMs } from "./shortage.ts";
import { BLIND_AFTER_LOOKS } from "./sightings.ts";
import { believableFrom, type Look, latestFrom, type Situation } from "./situation.ts";

/** All that is known about one machine before anything is done. */
export interface Survey {
  readonly situation: Situation;
  readonly identity: Identity | undefined;
  readonly hash: string;
  /** The infrastructure of the launch, or where there is none that of the spec. */
  readonly home: Connected | undefined;
  /** The infrastructure that the spec names. */
  readonly target: Connected | undefined;
  /** What to look for, where there is something to look with. */
  readonly sought: MachineWant | undefined;
  /** Why the infrastructure cannot be talked to. */
  readonly hindrances: { readonly launch: ToldTrouble | undefined; readonly target: ToldTrouble | undefined };
}

/** Not for this provider to say anything about; or nobody's, which every manager says alike. */
export type Elsewhere =
  | { readonly is: "not-ours" }
  | { readonly is: "nobody's"; readonly reason: string; readonly message: string };

/** What a survey is taken with. */
export interface SurveyOptions {
  readonly provider: string;
  /** Those that can run, in all managers there may be. */
  readonly providers: readonly string[];
  readonly connections: Pick<Connections, "of" | "ofLaunch" | "configKeyOf" | "whereSeen">;
  readonly clock: Clock;
  readonly record: MachineRecord;
  readonly signal: AbortSignal;
}

/** What was determined less than so long ago still counts. */
const BLIND_AFTER_MS = 5 * 60_000;

/** A try to change labels is repeated after so long where it made no difference. */
const ALIGN_AGAIN_MS = 10 * 60_000;

/** Finds out everything a decision depends on. Sends nothing to the infrastructure. */
export async function survey(request: MachineRequest, options: SurveyOptions): Promise<Survey | Elsewhere> {
  const { provider, connections, signal } = options;
  const holder = holderOf(request);
  // Its machine has to go first.
  if (holder !== undefined && holder !== provider)
    return options.providers.includes(holder) ? { is: "not-ours" } : heldByNobody(request, holder, options.providers);
  const isDeleting = request.metadata.deletionTimestamp !== undefined;
  if (holder === undefined && isDeleting) return { is: "not-ours" };
  const identity = identityOf(request);
  const configKey = connections.configKeyOf(request);
  const maker = makerOf(request, identity, options.providers);
  // A machine that was launched is looked after by the ProviderConfig it was launched with, also when that may not be used any more.
  const target = isDeleting ? undefined : await connections.of(request, { signal });
  if (holder === undefined && target !== undefined && maker !== provider) {
    if (target.state === "absent" || target.state === "not-runnable") return { is: "nobody's", ...target };
    if (target.state === "other-provider" || maker !== undefined) return { is: "not-ours" };
  }
  const isKnown = identity !== undefined || request.status?.providerID !== undefined;
  const seen = isTraced(identity) || !isKnown ? undefined : connections.whereSeen(request, identity);
  const launchKey = seen?.at.config.key ?? (identity?.launch?.providerConfig || configKey);
  const isElsewhere = target === undefined || identity?.launch !== undefined;
  const home = seen?.at ?? (isElsewhere ? await homeOf(request, { ...options, identity, launchKey }) : target);
  const stand: Stand = { identity, seen, home, target: target ?? home, launchKey, configKey, isDeleting };
  return takeStock(request, { ...options, ...stand, isHeld: holder === provider });
}

/** Every manager says the same of a request whose holder none of them is. */
function heldByNobody({ metadata }: MachineRequest, holder: string, providers: readonly string[]): Elsewhere {
  const { namespace, name } = metadata;
  return {
    is: "nobody's",
    reason: "ProviderNotSupported",
    message: `the finalizer ${finalizerOf(holder)} says that the machine is provider "${holder}"'s, which Butler does not run here (it runs ${providers.join(", ")}): nothing is made or deleted. Install a Butler that has that provider, or see yourself that its machine is gone and take the finalizer off: kubectl edit machinerequest -n ${namespace} ${name}`,
  };
}

/** Where the machine was launched, as far as that can be believed. What was seen there once is known to be there. */
async function homeOf(
  request: MachineRequest,
  { connections, record, signal, identity, launchKey }: SurveyOptions & Pick<Stand, "identity" | "launchKey">,
): Promise<ConnectionState> {
  const launchId = identity?.launch && launchIdOf(identity.launch);
  const isProven = launchId !== undefined && record.provenLaunch === launchId;
  const home = await connections.ofLaunch(request, { key: parseKeyText(launchKey), isProven, signal });
  const mark = { machineId: identity?.machineId ?? "", owner: ownerOf(request) };
  if (home.state === "connected" && home.sightings.get(mark) !== undefined) record.provenLaunch = launchId;
  return home;
}

/** Who has made the request's machine, where there may be one: only its manager can hold it, whatever else is gone. */
function makerOf(
  { status }: MachineRequest,
  identity: Identity | undefined,
  providers: readonly string[],
): string | undefined {
  const { launch } = identity ?? {};
  if (launch === undefined && status?.providerID === undefined) return undefined;
  const [first, ...others] = providers;
  if (launch?.provider === undefined) return others.length === 0 ? first : undefined;
  return providers.includes(launch.provider) ? launch.provider : undefined;
}

interface Stand {
  readonly identity: Identity | undefined;
  /** The machine, where the launch does not tell of it any more and it is seen all the same. */
  readonly seen: SeenAt | undefined;
  readonly home: ConnectionState;
  readonly target: ConnectionState;
  readonly launchKey: string;
  readonly configKey: string;
  readonly isDeleting: boolean;
}

function takeStock(request: MachineRequest, stand: SurveyOptions & Stand & { readonly isHeld: boolean }): Survey {
  const { identity, provider, seen } = stand;
  const home = stand.home.state === "connected" ? stand.home : undefined;
  const target = stand.target.state === "connected" ? stand.target : undefined;
  const hash = launchHashOf(request);
  // A machine that was recorded is looked for by its name and owner where the request does not know its id any more.
  const isBare = stand.isHeld && stand.isDeleting && isStripped(request, identity);
  const known = isBare ? NOBODY : (identity ?? (request.status?.providerID === undefined ? undefined : NOBODY));
  const soughtAs = seen === undefined ? known : { ...identityIn(seen.have.mark), launch: identity?.launch };
  const sought =
    home === undefined || soughtAs === undefined ? undefined : soughtWant(request, { identity: soughtAs, home, hash });
  const surveyed = { identity, hash, home, target, sought };
  const situation = situationOf(request, { ...stand, surveyed });
  const told = { request, provider, situation };
  return {
    ...surveyed,
    situation,
    hindrances: {
      launch: hindranceOf(stand.home, { ...told, identity, key: stand.launchKey, isOfLaunch: true }),
      target: hindranceOf(stand.target, { ...told, identity: undefined, key: stand.configKey, isOfLaunch: false }),
    },
  };
}

/** Whether the request tells of no machine, neither by its own annotations nor by its status. */
function isStripped({ status }: MachineRequest, identity: Identity | undefined): boolean {
  return status?.providerID === undefined && (identity === undefined || identity.copiedFrom !== undefined);
}

function identityIn({ machineId, attempt }: Mark) {
  return { machineId, attempt };
}

/** No machine has this id. */
const NOBODY: Identity = { machineId: "00000000-0000-0000-0000-000000000000", attempt: 1, launch: undefined };

interface SituationInput extends Omit<SurveyOptions & Stand, "home" | "target"> {
  readonly target: ConnectionState;
  readonly isHeld: boolean;
  readonly surveyed: Omit<Survey, "situation" | "hindrances">;
}

function situationOf(request: MachineRequest, input: SituationInput): Situation {
  const { identity, record, clock, isDeleting, isHeld, surveyed } = input;
  const { home, target, hash, sought } = surveyed;
  const { launch } = identity ?? {};
  const now = clock.monotonic();
  const isPlaceSame = launch === undefined || launch.place === "" || launch.place === home?.connection.place;
  // What is remembered is brought up to date first: the rest goes by it.
  record.downSince = home === undefined || !isPlaceSame ? (record.downSince ?? now) : undefined;
  meetCircumstances(record, { text: circumstancesOf(request, input), connection: home?.connection });
  const look = pictured(home, sought);
  const have = look.by === "nothing" ? undefined : look.have;
  // A machine that is in the picture again, with its mark, has nobody in its way.
  if (isStanding(have) && record.trouble?.verb === "find" && record.trouble.error.kind === "invalid")
    record.trouble = undefined;
  const labels = request.spec.labels ?? {};
  const hasMoved = input.launchKey !== input.configKey;
  const isLaunchWhole = launch !== undefined && isWhole(launch);
  const isEdited = launch !== undefined && (!isLaunchWhole || launch.hash !== hash || hasMoved);
  return {
    ...wishesOf(request, identity),
    now: clock.now(),
    isDeleting,
    isHeld,
    identity,
    isLinked: home !== undefined,
    isTargetLinked: target !== undefined,
    isTargetSighted: target?.sightings.isComplete ?? false,
    isHomeUsable: target !== undefined && !hasMoved,
    isLaunchWhole,
    isVoid: launch !== undefined && (isVoidIn(request, launch) || record.voided === launchIdOf(launch)),
    isUnfinished:
      launch !== undefined && request.status?.providerID === undefined && record.welcomed !== launchIdOf(launch),
    isExpected: isExpected(record, { launch, home, now: clock.now() }),
    isPlaceSame,
    isEdited,
    isMovedAway: isEdited && !isDeleting && input.target.state === "other-provider",
    problems: target === undefined ? [] : problemsAt(target, { request, identity, hash }),
    look,
    labels,
    isAlignmentTried: isTried(record, labels, now),
    isPictureWhole: home?.sightings.isComplete ?? false,
    isBlind: isBlind(record, home, now),
    believableAt: home === undefined ? Infinity : believableAt({ request, identity, home, record, have }),
    hasTriedCreate: launch !== undefined && record.tried === launchIdOf(launch),
    retryInMs: Math.max(0, (record.trouble?.retryAt ?? 0) - now),
    nudgeInMs: nextTryInMs(record, now),
    lookInMs: Math.max(
      nextLookInMs(record, { now, isTold: home?.sightings.isTold ?? false, have }),
      settlesInMs(record, have, now),
    ),
    sinceDeleteMs: sinceDelete(record, have, now),
  };
}

/** Annotations are the user's to write: what was seen was made, whatever they say. */
function isVoidIn({ status }: MachineRequest, { isVoid }: Launch): boolean {
  return isVoid === true && status?.providerID === undefined;
}

/** What people ask for, and what the status has said so far. */
function wishesOf(request: MachineRequest, identity: Identity | undefined) {
  const { metadata, spec, status } = request;
  const { annotations = {} } = metadata;
  const phase = status?.phase ?? "Pending";
  const abandoned = annotations[ANNOTATIONS.abandon];
  const isAbandoned = abandoned !== undefined && abandonIds(request, identity).includes(abandoned);
  const otherwise = isSet(abandoned) ? "unclear" : undefined;
  const letsGo: Situation["letsGo"] = isAbandoned ? "abandon" : spec.deletionPolicy === "Retain" ? "Retain" : otherwise;
  return {
    isPaused: isSet(annotations[ANNOTATIONS.paused]),
    isRetryAsked: annotations[ANNOTATIONS.retry] !== undefined,
    letsGo,
    phase,
    isLost: phase === "Failed" && status?.failureReason === "VMLost",
    wasSeen: status?.providerID !== undefined,
    recordedId: status?.providerID,
  };
}

function circumstancesOf({ metadata }: MachineRequest, input: SituationInput): string {
  const { identity, record, isDeleting, surveyed } = input;
  // That the id we have just given it stands in the annotations now is no change.
  const foreignId = identity?.machineId === record.newId ? undefined : identity?.machineId;
  const retry = metadata.annotations?.[ANNOTATIONS.retry];
  return JSON.stringify([metadata.generation, retry, isDeleting, foreignId, surveyed.home?.recoveries]);
}

function problemsAt(
  target: Connected,
  { request, identity, hash }: { request: MachineRequest; identity: Identity | undefined; hash: string },
): readonly string[] {
  return target.connection.machines.validate(wantOf(request, { ...markOf(target, identity), launch: hash }));
}

/** What a direct look has shown. */
export interface Looked {
  readonly found: Found;
  readonly record: MachineRecord;
  /** Monotonic. */
  readonly now: number;
}

/** The situation after a direct look. */
export function afterLook(request: MachineRequest, surveyed: Survey, { found, record, now }: Looked): Survey {
  const { identity, home, sought, situation } = surveyed;
  if (home === undefined || sought === undefined) return surveyed;
  const isOwn = found.have !== undefined && isOurs(found.have.mark, sought.mark);
  const have = isOwn ? found.have : undefined;
  // Annotations are the user's to copy: what another request owns is never ours.
  const foreign =
    found.have !== undefined && !isOwn ? { what: `machine "${found.have.name}"`, mark: found.have.mark } : undefined;
  const stranger = found.stranger ?? foreign;
  const kin = stranger?.mark !== undefined && isKin(stranger.mark, sought.mark) ? stranger.mark : undefined;
  const look: Look = { by: "find", have, stranger, kin };
  if (isStanding(have) && have.mark.attempt === identity?.attempt) record.seenAttempt = identity.attempt;
  return {
    ...surveyed,
    situation: {
      ...situation,
      look,
      believableAt: believableAt({ request, identity, home, record, have }),
      sinceDeleteMs: sinceDelete(record, have, now),
    },
  };
}

/** The situation after a direct look that failed. */
export function afterFailedLook(surveyed: Survey, record: MachineRecord, now: number): Survey {
  const retryInMs = Math.max(0, (record.trouble?.retryAt ?? 0) - now);
  const situation = { ...surveyed.situation, retryInMs, isBlind: isBlind(record, surveyed.home, now) };
  return { ...surveyed, situation };
}

function pictured(home: Connected | undefined, sought: MachineWant | undefined): Look {
  const have = sought === undefined ? undefined : home?.sightings.get(sought.mark);
  const isOwn = have !== undefined && sought !== undefined && isOurs(have.mark, sought.mark);
  return isOwn ? { by: "picture", have } : { by: "nothing" };
}

interface SoughtInput {
  readonly identity: Identity;
  readonly home: Connected;
  readonly hash: string;
}

/** What was launched, by the name that it was launched with. */
function soughtWant(request: MachineRequest, { identity, home, hash }: SoughtInput): MachineWant {
  const { launch } = identity;
  const want = wantOf(request, { ...markOf(home, identity), launch: launch?.hash || hash });
  return launch === undefined ? want : Object.freeze({ ...want, name: launch.name });
}

function markOf({ installation }: Connected, identity: Identity | undefined) {
  return { machineId: identity?.machineId ?? "", attempt: identity?.attempt ?? 1, installation };
}

function isSet(annotation: string | undefined): boolean {
  return annotation !== undefined && annotation !== "false";
}

function isTried({ lastAlignment }: MachineRecord, labels: object, now: number): boolean {
  return lastAlignment?.labels === JSON.stringify(labels) && now - lastAlignment.at < ALIGN_AGAIN_MS;
}

function isBlind({ downSince, trouble }: MachineRecord, home: Connected | undefined, now: number): boolean {
  if (downSince !== undefined) return now - downSince >= BLIND_AFTER_MS;
  if ((home?.sightings.blindness?.looks ?? 0) >= BLIND_AFTER_LOOKS) return true;
  const hasFailed = trouble?.verb === "find" && trouble.failures >= BLIND_AFTER_LOOKS;
  // When its time has come it is looked for again.
  return hasFailed && trouble.retryAt > now;
}

/** An infrastructure may show a machine a little later than it takes the order. */
const FIRST_SIGHT_MS = 60_000;

interface ExpectationInput {
  readonly launch: Launch | undefined;
  readonly home: Connected | undefined;
  readonly now: number;
}

function isExpected({ welcomed }: MachineRecord, { launch, home, now }: ExpectationInput): boolean {
  if (launch === undefined || home === undefined || welcomed !== launchIdOf(launch)) return false;
  return now < Date.parse(launch.time) + home.provider.visibilityLagMs + FIRST_SIGHT_MS;
}

interface BeliefInput {
  readonly request: MachineRequest;
  readonly identity: Identity | undefined;
  readonly home: Connected;
  readonly record: MachineRecord;
  readonly have: MachineHave | undefined;
}

function believableAt({ request, identity, home, record, have }: BeliefInput): number {
  const { attempt, launch } = identity ?? NOBODY;
  const { visibilityLagMs, callLimitMs } = home.provider;
  if (launch === undefined) {
    const { deletionTimestamp } = request.metadata;
    // A call may have been under way when the annotations that told of it were lost.
    const mayComeLate = deletionTimestamp !== undefined && isStripped(request, identity);
    return mayComeLate ? latestFrom(deletionTimestamp, home.provider) : 0;
  }
  const isSeen = isStanding(have) && have.mark.attempt === attempt;
  const wasSeen = request.status?.providerID !== undefined || record.seenAttempt === attempt || isSeen;
  // The only create call there was cannot come late once its machine was seen.
  const answered = record.answered?.launch === launchIdOf(launch) ? record.answered : undefined;
  const isAnswered = answered !== undefined || isVoidIn(request, launch) || (launch.tries === 1 && wasSeen);
  return believableFrom(launch, { isAnswered, answeredAt: answered?.time, visibilityLagMs, callLimitMs });
}

/** Parts may be made before the machine: that they are there does not prove that it was. */
function isStanding(have: MachineHave | undefined): have is MachineHave {
  return have !== undefined && have.state !== "remains";
}

/** What a machine leaves behind goes by itself, most of it a moment after the machine. */
const SETTLES_MS = 1_500;

/** Until what remains of a machine that we have deleted is worth a look. */
function settlesInMs(record: MachineRecord, have: MachineHave | undefined, now: number): number {
  if (have?.state !== "remains" || record.lastDelete === undefined) {
    record.remainsSince = undefined;
    return 0;
  }
  record.remainsSince ??= now;
  return Math.max(0, record.remainsSince + SETTLES_MS - now);
}

function sinceDelete({ lastDelete }: MachineRecord, have: MachineHave | undefined, now: number): number | undefined {
  if (lastDelete === undefined || have === undefined) return undefined;
  return have.state === "deleting" || have.state === lastDelete.state ? now - lastDelete.at : undefined;
}
