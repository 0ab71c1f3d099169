// SPDX-License-Identifier: Apache-2.0
import { isDeepStrictEqual } from "node:util";
import type { ProviderConfig } from "../api/index.ts";
import { type Condition, findCondition, removeCondition, setCondition, type WantedCondition } from "../kube/index.ts";
import type { Closed } from "./closed-config.ts";
import type { CheckReport, Finding } from "./provider.ts";
import type { ProviderError } from "./provider-error.ts";
import type { UsedConfig } from "./used-config.ts";

/** The status of a ProviderConfig. */
export type ProviderConfigStatus = NonNullable<ProviderConfig["status"]>;

/** What is known about a ProviderConfig. */
export interface ConfigKnowledge {
  readonly config: UsedConfig;
  /**
   * `checked`: the infrastructure was asked. `refused`: it cannot be asked, or did not answer. `unsupported`: nobody can ask it.
   * `unchecked`: nobody has asked yet.
   */
  readonly outcome:
    | { readonly state: "checked"; readonly report: CheckReport }
    | { readonly state: "refused"; readonly error: ProviderError }
    | { readonly state: "unsupported"; readonly reason: string; readonly message: string }
    | { readonly state: "unchecked" };
  /** Undefined while not all have been seen. */
  readonly machines: { readonly total: number; readonly running: number } | undefined;
  /** The MachineRequests, as `namespace/name`, whose machines need it. */
  readonly neededBy: readonly string[];
  /** Why nothing new is made, where the ProviderConfig or its Secret is on its way out. */
  readonly closed: Closed | undefined;
  /** When the infrastructure was last asked. */
  readonly checkedAtMs: number | undefined;
}

const READY = "Ready";
const CREDENTIALS = "CredentialsValid";
export const DEPRECATED = "ShapeDeprecated";
export const DELETION_BLOCKED = "DeletionBlocked";

/** Times alone are worth a write after so long. */
const REFRESH_MS = 10 * 60_000;
const NAMED = 3;

/**
 * What the status says. Pure. The very status that was there comes back where nothing but times would change and those are not old
 * yet. Fields that are not ours stay as they are.
 */
export function providerConfigStatus(
  before: ProviderConfigStatus | undefined,
  known: ConfigKnowledge,
  { now }: { readonly now: number },
): ProviderConfigStatus {
  const { config, outcome, machines, checkedAtMs } = known;
  const conditions = conditionsOf(conditionsIn(before), known, now);
  const isReady = findCondition(conditions, READY)?.status === "True";
  const { providerVersion = before?.providerVersion } = outcome.state === "checked" ? outcome.report : {};
  const next: ProviderConfigStatus = {
    ...before,
    conditions: conditions.map(complete),
    ready: isReady,
    validated: isValidated(before, outcome),
    ...(config.object.metadata.generation === undefined
      ? {}
      : { observedGeneration: config.object.metadata.generation }),
    ...(providerVersion === undefined ? {} : { providerVersion }),
    ...(machines === undefined ? {} : { machines: { ...machines } }),
  };
  const isSame = before !== undefined && isDeepStrictEqual(withoutTimes(next), withoutTimes(before));
  const isFresh = checkedAtMs === undefined || ageMs(before?.lastProbeTime, now) < REFRESH_MS;
  if (isSame && isFresh) return before;
  if (checkedAtMs === undefined) return next;
  const time = `${new Date(checkedAtMs).toISOString().slice(0, 19)}Z`;
  const wasTried = outcome.state === "checked";
  return { ...next, lastProbeTime: time, ...(wasTried ? { lastValidationTime: time } : {}) };
}

/** The conditions of a status, as the runtime's functions take them. */
export function conditionsIn(status: ProviderConfigStatus | undefined): readonly Condition[] {
  return (status?.conditions ?? []).map(({ observedGeneration, ...rest }) => ({
    ...rest,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  }));
}

/** Credentials that worked once are not wrong because the infrastructure is away. */
function isValidated(before: ProviderConfigStatus | undefined, outcome: ConfigKnowledge["outcome"]): boolean {
  if (outcome.state === "checked") return blocking(outcome.report).length === 0;
  const mayPass = outcome.state === "refused" && ["unavailable", "throttled", "internal"].includes(outcome.error.kind);
  return (mayPass || outcome.state === "unchecked") && before?.validated === true;
}

function blocking({ findings }: CheckReport): readonly Finding[] {
  return findings.filter(({ result, isBlocking }) => result === "failed" && isBlocking);
}

function conditionsOf(before: readonly Condition[], known: ConfigKnowledge, now: number): readonly Condition[] {
  const { generation } = known.config.object.metadata;
  let conditions: readonly Condition[] = before;
  const set = (wanted: WantedCondition) => {
    const full = generation === undefined ? wanted : { ...wanted, observedGeneration: generation };
    conditions = setCondition(conditions, full, { clock: { now: () => now } });
  };
  for (const wanted of checkConditions(before, known)) set(wanted);
  for (const [type, wanted] of [
    [DEPRECATED, deprecation(known.config)],
    [DELETION_BLOCKED, deletion(known)],
  ] as const)
    if (wanted === undefined) conditions = removeCondition(conditions, type);
    else set(wanted);
  set(readiness(before, known));
  return conditions;
}

/** One condition for each thing that was looked at; without a look, what was said before is no longer known. */
function checkConditions(before: readonly Condition[], { outcome }: ConfigKnowledge): readonly WantedCondition[] {
  if (outcome.state === "checked") {
    const types = Map.groupBy(outcome.report.findings, ({ condition }) => condition);
    const gone = checkTypes(before).filter((type) => !types.has(type));
    return [
      ...[...types].map(([type, findings]) => worstOf(type, findings)),
      ...gone.map((type) => unknown(type, "was not looked at")),
    ];
  }
  if (outcome.state !== "refused") return [];
  const { kind, reason, message } = outcome.error;
  if (kind !== "denied" && kind !== "invalid") return [];
  const others = checkTypes(before).filter((type) => type !== CREDENTIALS);
  const rest = others.map((type) => unknown(type, "cannot be looked at until the ProviderConfig can be used"));
  if (kind === "denied") return [{ type: CREDENTIALS, status: "False", reason, message }, ...rest];
  return rest;
}

function checkTypes(conditions: readonly Condition[]): readonly string[] {
  return conditions.map(({ type }) => type).filter((type) => ![READY, DEPRECATED, DELETION_BLOCKED].includes(type));
}

function unknown(type: string, message: string): WantedCondition {
  return { type, status: "Unknown", reason: "NotChecked", message };
}

const WORSE = ["fine", "unverified", "failed"] as const;
const STATUS = { fine: "True", unverified: "Unknown", failed: "False" } as const;

/** The worst finding speaks; others that are as bad are told along. */
function worstOf(type: string, findings: readonly Finding[]): WantedCondition {
  const worst = Math.max(...findings.map(({ result }) => WORSE.indexOf(result)));
  const speaking = findings.filter(({ result }) => WORSE.indexOf(result) === worst);
  const result = WORSE[worst] ?? "unverified";
  return {
    type,
    status: STATUS[result],
    reason: speaking[0]?.reason ?? "NotChecked",
    message: [...new Set(speaking.map(({ message }) => message))].join("; "),
  };
}

function readiness(before: readonly Condition[], { outcome, closed }: ConfigKnowledge): WantedCondition {
  const no = (reason: string, message: string): WantedCondition => ({ type: READY, status: "False", reason, message });
  if (closed !== undefined) return no(closed.reason, closed.message);
  if (outcome.state === "unsupported") return no(outcome.reason, outcome.message);
  if (outcome.state === "refused") return no(outcome.error.reason, outcome.error.message);
  if (outcome.state === "unchecked") {
    const {
      status = "Unknown",
      reason = "NotChecked",
      message = "not looked at yet",
    } = findCondition(before, READY) ?? {};
    return { type: READY, status, reason, message };
  }
  const [first, ...others] = blocking(outcome.report);
  if (first !== undefined) return no(first.reason, [first.message, ...others.map(({ message }) => message)].join("; "));
  return { type: READY, status: "True", reason: "Checked", message: "machines can be made here" };
}

function deprecation({ warnings }: UsedConfig): WantedCondition | undefined {
  const deprecated = warnings.filter(({ message }) => message.includes("deprecated"));
  if (deprecated.length === 0) return undefined;
  const message = deprecated.map((each) => each.message).join("; ");
  return { type: DEPRECATED, status: "True", reason: "OlderShape", message };
}

function deletion({ config, neededBy }: ConfigKnowledge): WantedCondition | undefined {
  if (!config.isDeleting || neededBy.length === 0) return undefined;
  return { type: DELETION_BLOCKED, status: "True", reason: "MachinesExist", message: blockedBy(neededBy) };
}

/** Names the first few and counts the rest. */
export function blockedBy(requests: readonly string[]): string {
  const sorted = [...requests].sort();
  const more = sorted.length - NAMED;
  const names = `${sorted.slice(0, NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  if (sorted.length === 1) return `MachineRequest ${names} needs it until its machine is gone; delete that first`;
  return `${sorted.length} MachineRequests need it until their machines are gone: ${names}; delete those first`;
}

function ageMs(time: string | undefined, now: number): number {
  const at = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(at) ? Number.POSITIVE_INFINITY : now - at;
}

function withoutTimes({ lastProbeTime, lastValidationTime, ...rest }: ProviderConfigStatus): unknown {
  return JSON.parse(JSON.stringify(rest));
}

/** The API wants what the runtime's type leaves open. */
function complete({ reason = "Unknown", message = "", lastTransitionTime = "", ...rest }: Condition) {
  return { ...rest, reason, message, lastTransitionTime };
}
