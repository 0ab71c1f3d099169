// SPDX-License-Identifier: Apache-2.0
import { isDeepStrictEqual } from "node:util";
import type { MachineRequest } from "../api/index.ts";
import type { Account, Said, ToldTrouble } from "./account.ts";
import { conditionsOf, saidIn } from "./machine-conditions.ts";
import type { MachineHave } from "./provider.ts";

/** The status of a MachineRequest. */
export type MachineStatus = NonNullable<MachineRequest["status"]>;

/** What a status is made of besides the account. */
export interface StatusInput {
  readonly request: MachineRequest;
  readonly account: Account;
  readonly now: number;
  /** A long operation under way; left out, none is. */
  readonly operation?: MachineStatus["operation"];
}

/** The status that tells this account. `lastUpdated` stays as it was. Pure. */
export function statusOf({ request, account, now, operation }: StatusInput): MachineStatus {
  const old: MachineStatus = request.status ?? { phase: "Pending" };
  const { failureReason: _reason, failureMessage: _message, lastError: _error, operation: _operation, ...kept } = old;
  const lastError = lastErrorOf(old, { account, now, generation: request.metadata.generation });
  const told = withOldWords(account, old, lastError);
  const { failure } = told;
  return {
    ...forgetful(kept, account),
    ...machineFields(account.machine, { old, isRunning: account.phase === "Running" }),
    phase: account.phase,
    ...(failure === undefined ? {} : { failureReason: failure.reason, failureMessage: failure.message }),
    ...(lastError === undefined ? {} : { lastError }),
    ...(operation === undefined ? {} : { operation }),
    conditions: conditionsOf(request, told, now),
    ...generationOf(request),
  };
}

/** The status with no more than the news that nothing is done at the moment. Pure. */
export function pausedStatus(request: MachineRequest, now: number): MachineStatus {
  const old: MachineStatus = request.status ?? { phase: "Pending" };
  const message = "Paused by the annotation butler.butlerlabs.dev/paused: nothing is done until it is taken off";
  const said = (type: string, otherwise: Said): Said => saidIn(old.conditions, type) ?? otherwise;
  const nothing: Said = { status: "False", reason: "Paused", message };
  const account = {
    ready: said("Ready", nothing),
    progressing: nothing,
    degraded: said("Degraded", { ...nothing, message: "Nothing is wrong" }),
  };
  return { ...old, conditions: conditionsOf(request, account, now), ...generationOf(request) };
}

/** Whether two statuses differ in more than the time they were written. */
export function isSameStatus(left: MachineStatus | undefined, right: MachineStatus): boolean {
  const plain = (status: MachineStatus | undefined) => {
    const { lastUpdated: _time, ...rest } = status ?? { phase: "Pending" };
    return JSON.parse(JSON.stringify(rest));
  };
  return isDeepStrictEqual(plain(left), plain(right));
}

/** Details of a machine on its way are written at most so often. */
const DETAIL_MS = 60_000;
/** And up to so much later: times are kept in whole seconds, and all who were written in the same one would be again. */
const SPREAD_MS = 15_000;

/**
 * How long a write can wait: where the machine is on its way, up or out, and only words about how far it got differ, so that a fast
 * one costs no write for each little step. 0 means now.
 */
export function writeInMs({ metadata, status: old }: MachineRequest, next: MachineStatus, now: number): number {
  if (old?.lastUpdated === undefined || (old.phase !== "Creating" && old.phase !== "Deleting")) return 0;
  const isDetail = isDeepStrictEqual(essenceOf(old), essenceOf(next));
  const dueAt = Date.parse(old.lastUpdated) + DETAIL_MS + SPREAD_MS * shareOf(metadata.uid);
  return isDetail ? Math.max(0, dueAt - now) : 0;
}

/** From 0 up to 1, another for each and always the same: of an id whose digits are random the first ones do. */
function shareOf(uid = ""): number {
  return (Number.parseInt(uid.slice(0, 6), 16) || 0) / 0x1000000;
}

/** What is worth a write at once. */
function essenceOf({ phase, providerID, failureReason, lastError, observedGeneration, conditions }: MachineStatus) {
  const { status, reason } = saidIn(conditions, "Degraded") ?? {};
  const trouble = status === "True" ? reason : undefined;
  return {
    phase,
    providerID,
    failureReason,
    kind: lastError?.kind,
    code: lastError?.code,
    observedGeneration,
    trouble,
  };
}

/** A moment as the API has it. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function generationOf({ metadata }: MachineRequest): { observedGeneration?: number } {
  return metadata.generation === undefined ? {} : { observedGeneration: metadata.generation };
}

interface ErrorInput {
  readonly account: Account;
  readonly now: number;
  readonly generation: number | undefined;
}

/**
 * The error to show. The one that is there stays, with its words and times, while it is the same: what differs from try to try, such as
 * the id of a request, is not worth a write. Where tries are far apart each is.
 */
function lastErrorOf(old: MachineStatus, { account, now, generation }: ErrorInput): MachineStatus["lastError"] {
  const { trouble } = account;
  if (trouble === undefined) return undefined;
  const { lastError: before } = old;
  if (before !== undefined && !trouble.isSlow && isSameTrouble(old, trouble) && old.observedGeneration === generation)
    return before;
  return {
    kind: trouble.kind,
    ...(trouble.code === undefined ? {} : { code: trouble.code }),
    ...(trouble.requestId === undefined ? {} : { requestID: trouble.requestId }),
    message: trouble.message,
    time: timeText(trouble.failedTime ?? now),
    ...(trouble.retryTime === undefined ? {} : { nextRetryTime: timeText(trouble.retryTime) }),
  };
}

function isSameTrouble({ lastError, conditions }: MachineStatus, { kind, code, reason }: ToldTrouble): boolean {
  return lastError?.kind === kind && lastError.code === code && saidIn(conditions, "Degraded")?.reason === reason;
}

/** The account in the words that the error was first told with, so that conditions and error say the same. */
function withOldWords(account: Account, old: MachineStatus, lastError: MachineStatus["lastError"]): Account {
  const { trouble } = account;
  const isKept = trouble !== undefined && lastError === old.lastError && lastError?.message !== undefined;
  if (!isKept || lastError.message === trouble.message) return account;
  const again = <T extends { readonly message: string }>(said: T): T => ({
    ...said,
    message: said.message.replaceAll(trouble.message, lastError.message ?? ""),
  });
  return {
    ...account,
    ready: again(account.ready),
    progressing: again(account.progressing),
    degraded: again(account.degraded),
    ...(account.failure === undefined ? {} : { failure: again(account.failure) }),
  };
}

function forgetful(kept: MachineStatus, { forgets }: Account): MachineStatus {
  if (forgets === undefined) return kept;
  const { ipAddress: _ip, ipAddresses: _ips, ...rest } = kept;
  if (forgets === "addresses") return rest;
  const { providerID: _id, macAddress: _mac, failureDomain: _domain, instanceType: _type, ...others } = rest;
  return others;
}

interface FieldsInput {
  readonly old: MachineStatus;
  readonly isRunning: boolean;
}

function machineFields(have: MachineHave | undefined, { old, isRunning }: FieldsInput): Partial<MachineStatus> {
  if (have === undefined) return {};
  const { providerId, addresses, macAddress, failureDomain, instanceType } = have;
  const hasAddress = isRunning && addresses.length > 0;
  return {
    ...(providerId === undefined ? {} : { providerID: providerId }),
    ...(hasAddress ? { ipAddress: addresses[0] ?? old.ipAddress, ipAddresses: [...addresses] } : {}),
    ...(macAddress === undefined ? {} : { macAddress }),
    ...(failureDomain === undefined ? {} : { failureDomain }),
    ...(instanceType === undefined ? {} : { instanceType }),
  };
}
