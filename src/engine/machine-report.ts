// SPDX-License-Identifier: Apache-2.0
import { isDeepStrictEqual } from "node:util";
import type { MachineRequest } from "../api/index.ts";
import { type Clock, type EventNews, redactText } from "../kube/index.ts";
import type { AccountInput, Outcome, ToldTrouble } from "./account.ts";
import { awaitIpv4 } from "./address-patience.ts";
import { diagnose } from "./ailment.ts";
import { unclearTrouble, untracedTrouble } from "./hindrance.ts";
import { identityOf, ownerOf, tokenOf } from "./identity.ts";
import { accountOf } from "./machine-account.ts";
import { saidIn } from "./machine-conditions.ts";
import { newsOf } from "./machine-events.ts";
import { type MachineRecord, nextLookInMs, wasOurs } from "./machine-memory.ts";
import { isSameStatus, type MachineStatus, pausedStatus, statusOf, timeText, writeInMs } from "./machine-status.ts";
import type { Survey } from "./machine-survey.ts";
import type { MachineHave, Operation } from "./provider.ts";
import { isTimeout, isTold, type Trouble } from "./retry-plan.ts";
import { secretForms } from "./secret-forms.ts";
import { nextTryInMs, toldShortage, withShortage } from "./shortage.ts";
import { BLIND_AFTER_LOOKS, type Blindness } from "./sightings.ts";

/** What there is to tell. */
export interface Told {
  readonly status: MachineStatus;
  /** How long it can wait; 0 means now. Infinite where nothing differs. */
  readonly writeInMs: number;
  /** When the machine should be seen to again by itself. */
  readonly againInMs: number | undefined;
  /** What has happened, to be recorded once it is written. */
  readonly news: () => readonly EventNews[];
}

/** What a report is made of. */
export interface ReportInput {
  readonly outcome: Outcome;
  readonly operation?: Operation | undefined;
  readonly surveyed: Survey;
  readonly record: MachineRecord;
  readonly clock: Clock;
}

/** A request that nothing leads to is looked at again after so long. */
const RECHECK_MS = 60_000;
const SOON_MS = 10_000;
const BLIND_MS = 5 * 60_000;

/** What the status should say now, and when to look again. Undefined where it should stay as it is and nothing is waited for. */
export function tellOf(request: MachineRequest, given: ReportInput): Told | undefined {
  const { input, countsInMs } = diagnosed(request, given);
  const { surveyed, clock, record } = input;
  const now = clock.now();
  const waits = [againInMs(request, input), countsInMs].filter((ms) => ms !== undefined);
  const again = waits.length === 0 ? undefined : Math.min(...waits);
  const old = request.status;
  const next = nextStatus(request, input);
  if (next === undefined) {
    const status = old ?? { phase: "Pending" };
    return again === undefined ? undefined : { status, writeInMs: Infinity, againInMs: again, news: () => [] };
  }
  const isSame = isSameStatus(old, next);
  const status = isSame ? next : { ...next, lastUpdated: timeText(now) };
  return {
    status,
    writeInMs: isSame ? Infinity : writeInMs(request, next, now),
    againInMs: again,
    news: () =>
      newsOf({
        name: nameOf(request, input),
        old,
        next,
        isDeleting: surveyed.situation.isDeleting,
        isCreationTold: record.answered !== undefined,
      }),
  };
}

function nextStatus(request: MachineRequest, input: ReportInput): MachineStatus | undefined {
  const now = input.clock.now();
  if (input.outcome.is === "paused") return pausedStatus(request, now);
  const account = accountOf(accountInput(request, input, troubleOf(request, input)));
  return account && statusOf({ request, account, now, operation: operationOf(request, input) });
}

interface Diagnosed {
  readonly input: ReportInput;
  readonly countsInMs: number | undefined;
}

/** The same without what may pass in a moment. */
function diagnosed(request: MachineRequest, input: ReportInput): Diagnosed {
  const { outcome, record, clock } = input;
  if (outcome.is !== "seen") return { input, countsInMs: undefined };
  const told = saidIn(request.status?.conditions, "Degraded");
  const toldReason = told?.status === "True" ? told.reason : undefined;
  const patient = { record, toldReason, hasRun: hasRun(request), now: clock.monotonic() };
  const addressed = awaitIpv4(withShortage(outcome.have, record, clock.now()), patient);
  const { have, countsInMs } = diagnose(addressed.have, patient);
  const soonest = Math.min(addressed.countsInMs ?? Infinity, countsInMs ?? Infinity);
  return {
    input: { ...input, outcome: { ...outcome, have } },
    countsInMs: Number.isFinite(soonest) ? soonest : undefined,
  };
}

function hasRun({ status }: MachineRequest): boolean {
  return status?.phase === "Running" || status?.phase === "Unknown" || status?.ipAddress !== undefined;
}

function accountInput(
  request: MachineRequest,
  { outcome, surveyed, clock, record }: ReportInput,
  trouble: ToldTrouble | undefined,
): AccountInput {
  const { situation, home, target } = surveyed;
  const { status } = request;
  const timeoutMs = (home ?? target)?.config.creationTimeoutMs ?? Infinity;
  const deadline = deadlineOf(identityOf(request)?.launch, timeoutMs);
  const { namespace = "", name = "" } = request.metadata;
  return {
    request: { namespace, name },
    name: nameOf(request, { outcome, surveyed }),
    outcome,
    trouble,
    isDeleting: situation.isDeleting,
    phase: status?.phase ?? "Pending",
    failure:
      status?.failureReason === undefined
        ? undefined
        : { reason: status.failureReason, message: status.failureMessage ?? "" },
    ready: saidIn(status?.conditions, "Ready"),
    progressing: saidIn(status?.conditions, "Progressing"),
    hasRun: hasRun(request),
    wasOurs: wasOurs(request, record),
    isBlind: situation.isBlind,
    isOverdue: clock.now() >= deadline,
    creationTimeout: (home ?? target)?.config.object.spec.timeouts?.creation ?? "20m",
  };
}

/** The machine's name: as it was launched, which the step that was just taken may have changed. */
function nameOf(request: MachineRequest, { outcome, surveyed }: Pick<ReportInput, "outcome" | "surveyed">): string {
  const { machineName } = request.spec;
  if (outcome.is === "cleared") return machineName;
  return identityOf(request)?.launch?.name ?? surveyed.sought?.name ?? machineName;
}

type LaunchTimes = { readonly time: string; readonly since?: string | undefined } | undefined;

function deadlineOf(launch: LaunchTimes, timeoutMs: number): number {
  return launch === undefined ? Infinity : Date.parse(launch.since ?? launch.time) + timeoutMs;
}

/** The trouble that people should hear of. */
function troubleOf(
  request: MachineRequest,
  { outcome, surveyed, record, clock }: ReportInput,
): ToldTrouble | undefined {
  const { hindrances, home } = surveyed;
  switch (outcome.is) {
    case "invalid":
      return { kind: "invalid", reason: "InvalidConfiguration", message: outcome.problems.join("; ") };
    case "unreachable":
      return hindrances[outcome.of];
    case "elsewhere":
      return hindrances.launch;
    case "untraced":
      return untracedTrouble(request, surveyed.identity, home?.config.key ?? "");
    case "unclear":
      return unclearTrouble(request, surveyed.identity);
    case "unsighted":
      return unsightedTrouble(request, surveyed);
    case "created":
    case "cleared":
    case "deleted":
    case "lost":
      return undefined;
    case "held-back":
      if (outcome.isOrderly) return undefined;
      return { kind: "exhausted", reason: outcome.reason, message: outcome.message };
    default: {
      const { trouble } = record;
      if (trouble !== undefined && isTold(trouble, clock.monotonic())) return toTold(trouble, request);
      const short = outcome.is === "seen" ? toldShortage(outcome.have, record.shortage) : undefined;
      if (short !== undefined) return short;
      const unlabelled = outcome.is === "seen" ? waitingLabels(outcome.have, surveyed) : undefined;
      if (unlabelled !== undefined) return unlabelled;
      const { isBlind, look } = surveyed.situation;
      const blindness = isBlind && look.by !== "find" ? home?.sightings.blindness : undefined;
      return blindness === undefined ? undefined : toldBlindness(blindness, request);
    }
  }
}

/** Why the labels of a machine that stands are not brought in line: nothing may be changed where it is. */
function waitingLabels({ state, name, labels }: MachineHave, surveyed: Survey): ToldTrouble | undefined {
  const { situation, hindrances, home, target } = surveyed;
  if (situation.isHomeUsable || situation.isDeleting || state === "deleting" || state === "failed") return undefined;
  if (isDeepStrictEqual(labels, situation.labels)) return undefined;
  const { kind, reason, message } = hindrances.target ?? {
    kind: "invalid",
    reason: "ProviderConfigPointsElsewhere",
    message: `spec.providerRef means ProviderConfig "${target?.config.key ?? ""}", and the machine was made through "${home?.config.key ?? ""}"`,
  };
  return { kind, reason, message: `the labels of machine "${name}" wait to be brought in line: ${message}` };
}

function toldBlindness({ error }: Blindness, request: MachineRequest): ToldTrouble {
  const { kind, reason, message, code, requestId } = error;
  return { kind, reason, message: safeText(message, request), code, requestId };
}

/** What nobody has seen yet may be seen in a moment. */
function unsightedTrouble(request: MachineRequest, { target }: Survey): ToldTrouble | undefined {
  const blindness = target?.sightings.blindness;
  if (blindness === undefined) return undefined;
  const { kind } = blindness.error;
  const mayPass = kind === "unavailable" || kind === "internal" || kind === "throttled";
  if (mayPass && blindness.looks < BLIND_AFTER_LOOKS && !isTimeout(blindness.error)) return undefined;
  const told = toldBlindness(blindness, request);
  return {
    ...told,
    message: `machine "${request.spec.machineName}" waits for the infrastructure to answer: ${told.message}`,
  };
}

const MINUTE_MS = 60_000;

function toTold({ error, failedTime, retryTime, pauseMs }: Trouble, request: MachineRequest): ToldTrouble {
  const { kind, reason, code, requestId, message } = error;
  return {
    kind,
    reason,
    code,
    requestId,
    message: safeText(message, request),
    failedTime,
    // Of tries that are seconds apart only the first would be told, and be wrong a moment later.
    ...(kind === "unavailable" || kind === "internal" ? {} : { retryTime }),
    isSlow: pauseMs > MINUTE_MS,
  };
}

const LONGEST = 2_000;

/** One line, without what the request keeps secret. */
function safeText(text: string, { spec: { userData, networkData } }: MachineRequest): string {
  const line = redactText(text, secretForms([userData, networkData]))
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}...` : line;
}

/** A long operation stays in the status until the machine is where it should be. */
function operationOf(
  request: MachineRequest,
  { outcome, operation, surveyed, clock }: ReportInput,
): MachineStatus["operation"] {
  const { isDeleting } = surveyed.situation;
  if (operation !== undefined) {
    const kind = outcome.is === "going" ? "delete" : "create";
    const { machineId = "", attempt = 1 } = identityOf(request) ?? {};
    const token = tokenOf({ machineId, attempt, owner: ownerOf(request) });
    return { kind, id: operation.id, token, attempt, startedAt: timeText(clock.now()) };
  }
  const before = request.status?.operation;
  if (before === undefined) return undefined;
  const isOver = outcome.is === "seen" && outcome.have.state !== "pending";
  const isObsolete = isDeleting && before.kind === "create";
  return isOver || isObsolete || outcome.is === "deleted" || outcome.is === "cleared" ? undefined : before;
}

function lookAgainInMs({ surveyed, record, clock }: Pick<ReportInput, "surveyed" | "record" | "clock">): number {
  const { home, situation } = surveyed;
  const have = situation.look.by === "nothing" ? undefined : situation.look.have;
  return nextLookInMs(record, { now: clock.monotonic(), isTold: home?.sightings.isTold ?? false, have });
}

/** When the machine should be seen to again by itself, however little happens. */
function againInMs(request: MachineRequest, { outcome, surveyed, record, clock }: ReportInput): number | undefined {
  const { home, target, situation } = surveyed;
  const now = clock.monotonic();
  const retry = record.trouble === undefined ? undefined : Math.max(0, record.trouble.retryAt - now);
  switch (outcome.is) {
    case "seen": {
      const { state, addresses } = outcome.have;
      if (retry !== undefined && retry > 0) return retry;
      if (state === "running" && addresses.length > 0) return undefined;
      const deadline = deadlineOf(identityOf(request)?.launch, (home ?? target)?.config.creationTimeoutMs ?? Infinity);
      const untilDeadline = deadline > clock.now() ? deadline - clock.now() : Infinity;
      const again = Math.min(untilDeadline, nextTryInMs(record, now) || Infinity);
      return again < Infinity ? again : undefined;
    }
    case "unproven":
      return Math.max(0, outcome.until - clock.now());
    case "unreachable":
    case "elsewhere": {
      const { downSince } = record;
      const untilBlind = downSince === undefined ? RECHECK_MS : downSince + BLIND_MS - now;
      return untilBlind > 0 ? Math.min(RECHECK_MS, untilBlind) : RECHECK_MS;
    }
    case "untraced":
    case "unclear":
    case "unsighted":
      return RECHECK_MS;
    case "unknown":
      // What was to be tried again by now waits until something can be seen: at once would mean over and over.
      return retry === 0 ? RECHECK_MS : retry;
    case "waiting":
    case "letting-go":
      return retry;
    case "created":
      return SOON_MS / 5;
    case "going":
      return Math.max(situation.lookInMs, outcome.have.state === "remains" ? 0 : SOON_MS);
    case "unchanged":
      return lookAgainInMs({ surveyed, record, clock }) || RECHECK_MS;
    default:
      return undefined;
  }
}
