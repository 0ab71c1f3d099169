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
  type ToldTrouble,
  yes,
} from "./account.ts";
import type { MachineHave } from "./provider.ts";

/** What the status should say of a machine that is there. Pure. */
export function seen(input: AccountInput, { have, labelProblems }: Extract<Outcome, { readonly is: "seen" }>): Account {
  const { name, hasRun, isOverdue, creationTimeout } = input;
  const trouble = input.trouble ?? labelTrouble(labelProblems) ?? have.trouble;
  if (have.state === "running" && (have.addresses.length > 0 || hasRun)) {
    const silent = {
      kind: "unavailable",
      reason: "AddressUnknown",
      message: "The machine reports no address at the moment; the last known is kept",
    } as const;
    const suffering = trouble ?? (have.addresses.length === 0 ? silent : undefined);
    return {
      phase: "Running",
      ready: RUNNING,
      progressing: no("VMRunning", RUNNING.message),
      degraded: suffering === undefined ? fine("VMRunning") : yes(suffering.reason, suffering.message),
      trouble,
      machine: have,
    };
  }
  const hasFailed = have.trouble?.kind === "invalid" || (have.state === "failed" && have.trouble === undefined);
  if (hasFailed && have.state !== "running") {
    const message =
      have.trouble?.message ?? `The infrastructure gave up on virtual machine "${name}"${inBrackets(have.detail)}`;
    const next = `Butler goes on by itself when the machine does; to have it made anew: ${retryCommand(input.request)}`;
    return { ...failed({ reason: have.trouble?.reason ?? "VMFailed", message }, next), trouble, machine: have };
  }
  const note = doing(have, name);
  if (hasRun) return interrupted(have, { note, trouble });
  if (!isOverdue) {
    const { progressing, ...rest } = creating(note, trouble ?? stopTrouble(have, note));
    const isOnItsWay = trouble === undefined && have.state === "pending";
    if (isOnItsWay) return { ...rest, progressing, machine: have };
    const next = `Waiting for the machine to come up; it is called Failed when it is not up ${creationTimeout} after its launch`;
    const waits = trouble?.kind === "exhausted" ? yes("Retrying", nextTries(trouble.kind)) : yes(note.reason, next);
    return { ...rest, progressing: waits, machine: have };
  }
  const message = `Not up within ${creationTimeout}: ${trouble?.message ?? note.message}`;
  const next = `The machine stays and may still come up; to have it made anew: ${retryCommand(input.request)}`;
  return { ...failed({ reason: "CreationTimeout", message }, next), trouble, machine: have };
}

/** What a machine that is not up is doing. */
function doing({ state, detail }: MachineHave, name: string): Failure {
  const more = inBrackets(detail);
  switch (state) {
    case "running":
      return {
        reason: "WaitingForIP",
        message: `Virtual machine "${name}" runs and has not reported an address yet${more}: check that its network gives it one (DHCP, or spec.networkData) and that its image has a guest agent to tell it`,
      };
    case "stopped":
      return {
        reason: "VMStopped",
        message: `Virtual machine "${name}" is stopped${more}: start it, or delete the request`,
      };
    case "deleting":
      return { reason: "VMDeleting", message: `Virtual machine "${name}" is being deleted by somebody else` };
    case "failed":
      return { reason: "VMFailed", message: `Virtual machine "${name}" has failed${more}` };
    default:
      return { reason: "Creating", message: `Virtual machine "${name}" is being created${more}` };
  }
}

function stopTrouble({ state }: MachineHave, { reason, message }: Failure): ToldTrouble | undefined {
  return state === "stopped" || state === "deleting" ? { kind: "unavailable", reason, message } : undefined;
}

/** A machine that is on its way up. */
export function creating({ reason, message }: Failure, trouble?: ToldTrouble): Account {
  const told = trouble ?? { reason, message };
  return {
    phase: "Creating",
    ready: no(told.reason, told.message),
    progressing: yes(reason, message),
    degraded: trouble === undefined ? fine(reason) : yes(trouble.reason, trouble.message),
    trouble,
  };
}

interface Interruption {
  readonly note: Failure;
  readonly trouble: ToldTrouble | undefined;
}

/** A machine that ran and does not now. It is not rebuilt: nobody asked for that. */
function interrupted(have: MachineHave, { note, trouble }: Interruption): Account {
  const isStarting = have.state === "pending";
  const { reason, message } = isStarting
    ? { reason: "VMStarting", message: `Virtual machine "${have.name}" is starting${inBrackets(have.detail)}` }
    : note;
  const suffering = trouble ?? (isStarting ? undefined : { reason, message });
  return {
    phase: "Running",
    ready: no(suffering?.reason ?? reason, suffering?.message ?? message),
    progressing: isStarting || have.state === "deleting" ? yes(reason, message) : no(reason, message),
    degraded: suffering === undefined ? fine(reason) : yes(suffering.reason, suffering.message),
    trouble,
    machine: have,
  };
}

function labelTrouble(problems: readonly string[]): ToldTrouble | undefined {
  if (problems.length === 0) return undefined;
  return { kind: "invalid", reason: "InvalidConfiguration", message: problems.join("; ") };
}
