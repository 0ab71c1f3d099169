// SPDX-License-Identifier: Apache-2.0
import {
  type Account,
  type AccountInput,
  type Failure,
  failed,
  fine,
  inBrackets,
  nextTries,
  no,
  type Outcome,
  RUNNING,
  retryCommand,
  yes,
} from "./account.ts";
import { creating, seen } from "./seen-account.ts";

/** What the status should say; undefined where it should stay as it is. Pure. */
export function accountOf(input: AccountInput): Account | undefined {
  if (input.outcome.is === "unchanged") return undefined;
  if (input.outcome.is === "paused") return undefined;
  if (input.isDeleting) return leaving(input);
  return living(input);
}

/** A request that is being deleted. */
function leaving({ outcome, trouble, name, wasOurs }: AccountInput): Account {
  if (outcome.is === "deleted") {
    const gone = wasOurs
      ? `Virtual machine "${name}" and all that belonged to it are gone`
      : "Nothing on the infrastructure belongs to this MachineRequest";
    return {
      phase: "Deleted",
      ready: no("Deleted", gone),
      progressing: no("Deleted", gone),
      degraded: fine("Deleted"),
    };
  }
  const isUnderWay = outcome.is === "going" || outcome.is === "unproven" || outcome.is === "letting-go";
  const isStuck = trouble !== undefined && !isUnderWay;
  const message = isStuck ? `Virtual machine "${name}" cannot be deleted yet` : leavingMessage(outcome, name);
  const next = isStuck ? nextTries(trouble.kind) : message;
  const base = { phase: "Deleting", ready: no("Deleting", message), progressing: yes("Deleting", next) } as const;
  const machine = outcome.is === "going" ? outcome.have : undefined;
  const suffering = trouble ?? machine?.trouble;
  if (suffering === undefined) return { ...base, degraded: fine("Deleting"), machine };
  const stuck = yes(suffering.reason, suffering.message);
  return { ...base, degraded: stuck, trouble: suffering, machine };
}

function leavingMessage(outcome: Outcome, name: string): string {
  if (outcome.is === "unproven")
    return `Nothing is found of virtual machine "${name}"; waiting until no earlier create call can bring it up any more`;
  if (outcome.is === "letting-go")
    return `Virtual machine "${name}" ${outcome.machine}; the MachineRequest is let go of`;
  if (outcome.is !== "going") return `Virtual machine "${name}" is being deleted`;
  const { have } = outcome;
  if (have.state === "remains")
    return `Virtual machine "${name}" is gone; what belonged to it is being deleted${inBrackets(have.detail)}`;
  return `Virtual machine "${name}" is being deleted${inBrackets(have.detail)}`;
}

/** A request whose machine is wanted. */
function living(input: AccountInput): Account | undefined {
  const { outcome, name, phase, trouble } = input;
  switch (outcome.is) {
    case "seen":
      return seen(input, outcome);
    case "created":
      return creating({ reason: "Creating", message: `Virtual machine "${name}" is being created` });
    case "lost":
      return lost(input);
    case "cleared": {
      const message = `A new virtual machine "${name}" is about to be made`;
      return {
        phase: "Pending",
        ready: no("Pending", message),
        progressing: yes("Creating", message),
        degraded: fine("Pending"),
        forgets: "machine",
      };
    }
    case "going": {
      const message = `The earlier virtual machine "${outcome.have.name}" is being deleted before a new one is made`;
      return waiting(input, { reason: "Replacing", message });
    }
    case "held-back":
      return waiting(input, { reason: outcome.reason, message: outcome.message });
    case "unproven": {
      const message = `Virtual machine "${name}" is not found; waiting until no earlier create call can bring it up any more`;
      return waiting(input, { reason: "VMNotFound", message });
    }
    case "unknown":
      return unknown(input);
    case "untraced":
      return phase === "Running" ? unknown(input) : waiting(input, undefined);
    case "unreachable":
    case "elsewhere":
      return phase === "Running" && input.isBlind ? unknown(input) : waiting(input, undefined);
    case "unsighted":
    case "waiting":
    case "invalid":
      return trouble === undefined ? undefined : waiting(input, undefined);
    default:
      return undefined;
  }
}

/** Nothing is under way but the wait for something. */
function waiting(input: AccountInput, note: Failure | undefined): Account {
  const { trouble, phase, failure, name } = input;
  if (phase === "Unknown") return unknown(input);
  const plain = note ?? { reason: "Pending", message: `Virtual machine "${name}" is about to be made` };
  const { reason, message } = trouble ?? plain;
  const isOpen = phase === "Pending" || phase === "Failed";
  if (trouble?.kind === "invalid" && isOpen && !trouble.keepsPhase)
    return { ...failed({ reason, message }, nextTries(trouble.kind)), trouble };
  const degraded = trouble === undefined ? fine(reason) : yes(reason, message);
  // What was seen a moment ago is taken to be so until that is known to be wrong.
  if (phase === "Running" && (note === undefined || input.outcome.is === "held-back")) {
    const { ready = RUNNING, progressing = no("VMRunning", RUNNING.message) } = input;
    return { phase, ready, progressing, degraded, trouble };
  }
  const isStillFailed = phase === "Failed" && note === undefined;
  const next = trouble === undefined ? message : nextTries(trouble.kind);
  return {
    phase,
    ready: no(reason, message),
    progressing: isStillFailed ? no(reason, next) : yes(trouble === undefined ? reason : "Retrying", next),
    degraded: isStillFailed ? yes(reason, message) : degraded,
    trouble,
    ...(phase === "Failed" ? { failure: failure ?? { reason, message } } : {}),
  };
}

function lost({ name, request }: AccountInput): Account {
  const message = `Virtual machine "${name}" is gone from the infrastructure, and Butler did not delete it. To have it made anew: ${retryCommand(request)}; otherwise delete the MachineRequest`;
  const next = "Nothing is done by itself: a machine that somebody removed is made anew only when that is asked for";
  return { ...failed({ reason: "VMLost", message }, next), forgets: "addresses" };
}

function unknown({ name, trouble }: AccountInput): Account {
  const why = trouble === undefined ? "" : `: ${trouble.message}`;
  const message = `The state of virtual machine "${name}" cannot be determined${why}`;
  return {
    phase: "Unknown",
    ready: { status: "Unknown", reason: "StateUnknown", message },
    progressing: no(
      "StateUnknown",
      "Looked at again by itself, every minute at the latest; nothing is changed meanwhile",
    ),
    degraded: yes(trouble?.reason ?? "StateUnknown", message),
    trouble,
  };
}
