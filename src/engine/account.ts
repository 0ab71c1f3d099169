// SPDX-License-Identifier: Apache-2.0
import type { ErrorKind, MachineHave } from "./provider.ts";
import type { Phase, Verdict } from "./situation.ts";

/** What a condition says. */
export interface Said {
  readonly status: "True" | "False" | "Unknown";
  /** One CamelCase word. */
  readonly reason: string;
  /** One plain sentence, without times. */
  readonly message: string;
}

/** Why a machine is not what it should be, ready to be told. */
export interface ToldTrouble {
  readonly kind: ErrorKind;
  readonly reason: string;
  readonly message: string;
  readonly code?: string | undefined;
  readonly requestId?: string | undefined;
  /** When it happened and when it is tried again, in milliseconds since 1970. */
  readonly failedTime?: number | undefined;
  readonly retryTime?: number | undefined;
  /** Tries are so far apart that each is worth telling. */
  readonly isSlow?: boolean;
  /** Nobody's fault: the phase stays, whatever the kind. */
  readonly keepsPhase?: boolean;
}

/** What came of one look at a machine, or of one step. */
export type Outcome =
  | Exclude<Verdict, { readonly is: "stranger" | "copied" }>
  | { readonly is: "paused" }
  /** Create was answered, without showing the machine. */
  | { readonly is: "created" }
  /** Another one is about to be made. */
  | { readonly is: "cleared" }
  /** It is not to be made now. `isOrderly`: it only waits for its turn. */
  | { readonly is: "held-back"; readonly reason: string; readonly message: string; readonly isOrderly: boolean }
  /** Nothing is left to do but to let the request go, which has not worked yet. */
  | { readonly is: "letting-go"; readonly machine: "stays" | "is gone" }
  | { readonly is: "deleted" };

/** Where a MachineRequest is. */
export interface RequestKey {
  readonly namespace: string;
  readonly name: string;
}

/** Everything there is to tell about a machine now. */
export interface AccountInput {
  readonly request: RequestKey;
  /** The machine's name. */
  readonly name: string;
  readonly outcome: Outcome;
  /** An error that people should hear of. */
  readonly trouble: ToldTrouble | undefined;
  readonly isDeleting: boolean;
  /** What the status says so far. */
  readonly phase: Phase;
  readonly failure: Failure | undefined;
  readonly ready: Said | undefined;
  readonly progressing: Said | undefined;
  readonly hasRun: boolean;
  /** Whether a machine, or a part of one, was ever this request's. */
  readonly wasOurs: boolean;
  /** Nothing could be determined for long. */
  readonly isBlind: boolean;
  /** Whether the machine should have been up by now, and the time that it was given, for people. */
  readonly isOverdue: boolean;
  readonly creationTimeout: string;
}

/** Why a request has failed. */
export interface Failure {
  readonly reason: string;
  readonly message: string;
}

/** What the status should say. */
export interface Account {
  readonly phase: Phase;
  readonly ready: Said;
  readonly progressing: Said;
  readonly degraded: Said;
  readonly failure?: Failure | undefined;
  readonly trouble?: ToldTrouble | undefined;
  /** The machine whose fields the status takes over. */
  readonly machine?: MachineHave | undefined;
  /** What of an earlier machine the status must not show any longer. */
  readonly forgets?: "addresses" | "machine";
}

/** It holds. */
export const yes = (reason: string, message: string): Said => ({ status: "True", reason, message });
/** It does not hold. */
export const no = (reason: string, message: string): Said => ({ status: "False", reason, message });

/** Nothing is wrong. */
export function fine(reason: string): Said {
  return no(reason, "Nothing is wrong");
}

/** The request has failed. `next` says what has to happen before that changes. */
export function failed(failure: Failure, next: string): Account {
  const { reason, message } = failure;
  return {
    phase: "Failed",
    ready: no(reason, message),
    progressing: no(reason, next),
    degraded: yes(reason, message),
    failure,
  };
}

const NEXT_TRIES: Readonly<Record<ErrorKind, string>> = {
  invalid:
    "Tried again as soon as the MachineRequest, its ProviderConfig or the Secret is changed, and every 10 minutes at the latest",
  denied: "Tried again as soon as the ProviderConfig or its Secret is changed, and every 5 minutes at the latest",
  exhausted: "Tried again every 10 minutes at the latest",
  throttled: "Tried again as soon as the infrastructure allows it",
  unavailable: "Tried again every minute at the latest",
  internal: "Tried again every minute at the latest",
};

/** What Butler does about an error of this kind by itself. */
export function nextTries(kind: ErrorKind): string {
  return NEXT_TRIES[kind];
}

/** The command that has a machine made anew. */
export function retryCommand({ namespace, name }: RequestKey): string {
  return `kubectl annotate mr -n ${namespace} ${name} butler.butlerlabs.dev/retry=now`;
}

/** Ready. */
export const RUNNING = yes("VMRunning", "Virtual machine is running");

/** A detail for people, where there is one. */
export function inBrackets(detail: string | undefined): string {
  return detail === undefined || detail === "" ? "" : ` (${detail})`;
}
