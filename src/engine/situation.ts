// SPDX-License-Identifier: Apache-2.0
import type { MachineRequest } from "../api/index.ts";
import type { Identity, Launch } from "./identity.ts";
import type { MachineHave, Mark, Stranger } from "./provider.ts";

/** A phase of a machine's life. */
export type Phase = NonNullable<MachineRequest["status"]>["phase"];

/** How it is known what stands on the infrastructure: not at all, from the batched picture, or from a direct look. */
export type Look =
  | { readonly by: "nothing" }
  | { readonly by: "picture"; readonly have: MachineHave }
  | {
      readonly by: "find";
      readonly have?: MachineHave | undefined;
      readonly stranger?: Stranger | undefined;
      /** The mark of a machine with our name that names this very request as its owner, under another machine id. */
      readonly kin?: Mark | undefined;
      /** There is such a machine, and it was let go of: it is not the request's to take on. */
      readonly isKinLetGo?: boolean;
    };

/** Everything a decision about one machine depends on. */
export interface Situation {
  readonly now: number;
  readonly isPaused: boolean;
  readonly isDeleting: boolean;
  /** Whether our finalizer is on the request. */
  readonly isHeld: boolean;
  /** How the user wants the machine to be let go of instead of deleted, if at all. `unclear`: `abandon` names another machine. */
  readonly letsGo: "abandon" | "Retain" | "unclear" | undefined;
  readonly isRetryAsked: boolean;
  readonly phase: Phase;
  /** The machine is known to be lost. */
  readonly isLost: boolean;
  /** A machine of this attempt was seen: its providerID is recorded. */
  readonly wasSeen: boolean;
  /** The providerID that is recorded. */
  readonly recordedId: string | undefined;
  readonly identity: Identity | undefined;
  /** Whether the infrastructure of the launch, or where there is none that of the spec, can be talked to. */
  readonly isLinked: boolean;
  /** Whether the infrastructure that the spec names now can be talked to, and may be used. */
  readonly isTargetLinked: boolean;
  /** Whether that infrastructure has ever shown what is there. What never answered may be the wrong one altogether. */
  readonly isTargetSighted: boolean;
  /** Whether something may be made at the infrastructure of the launch: the spec names it still, and it may be used. */
  readonly isHomeUsable: boolean;
  /** Whether the launch says all that it should. Annotations are the user's to change. */
  readonly isLaunchWhole: boolean;
  /** Every create call of this attempt was refused, and a direct look has shown that nothing was left. */
  readonly isVoid: boolean;
  /** No create call of this launch was answered with success, nor was a machine recorded, as far as is known: parts may be missing. */
  readonly isUnfinished: boolean;
  /** Create was answered with success a moment ago; the machine need not be seen yet. */
  readonly isExpected: boolean;
  /** Whether the connection leads to where the machine was launched. */
  readonly isPlaceSame: boolean;
  /** The spec asks for another machine than was launched, or for one elsewhere. */
  readonly isEdited: boolean;
  /** The spec names another provider's ProviderConfig now. */
  readonly isMovedAway: boolean;
  /** What the user must change before a machine can be made. */
  readonly problems: readonly string[];
  readonly look: Look;
  /** The labels that the machine should have. */
  readonly labels: Readonly<Record<string, string>>;
  /** These labels were tried on this very machine and made no difference. */
  readonly isAlignmentTried: boolean;
  /** Whether the picture has been whole once. */
  readonly isPictureWhole: boolean;
  /** Nothing could be determined for a while. */
  readonly isBlind: boolean;
  /** From when on absence may be believed. */
  readonly believableAt: number;
  /** This process has sent a create call for this launch, and it failed. */
  readonly hasTriedCreate: boolean;
  /** Until the next call after an error. */
  readonly retryInMs: number;
  /** Until create is called again for a machine that does not start for want of something; infinite where nothing is short. */
  readonly nudgeInMs: number;
  /** Until the next direct look after one that showed nothing new. */
  readonly lookInMs: number;
  /** Since this process has asked to delete the machine as it is now seen. */
  readonly sinceDeleteMs: number | undefined;
}

/** What is to be done next, one thing at a time. */
export type Step =
  | { readonly do: "nothing" }
  /** Say that it is paused. */
  | { readonly do: "pause" }
  /** Look directly, then decide again. */
  | { readonly do: "look" }
  /** Put our finalizer back on. */
  | { readonly do: "hold" }
  /** Write the launch down and call create. */
  | { readonly do: "launch"; readonly why: LaunchReason; readonly attempt: number }
  /** Take on a machine that carries our mark and that we know of from its mark alone. */
  | { readonly do: "adopt"; readonly have: MachineHave }
  /** Take on a machine that names this request as its owner, and whose id the request has lost. */
  | { readonly do: "recover"; readonly mark: Mark; readonly stranger: Stranger | undefined }
  /** `isReplaced`: another one is to be made afterwards. */
  | { readonly do: "delete"; readonly have: MachineHave; readonly isReplaced: boolean }
  /** Nothing is left: let the request go. */
  | { readonly do: "release" }
  /** Nothing is left: leave the request to the provider that it names now. */
  | { readonly do: "hand-over" }
  /** Let go of the machine without touching it. */
  | { readonly do: "let-go"; readonly why: "abandon" | "Retain" }
  /** Take the retry annotation off: there is nothing to retry. */
  | { readonly do: "drop-retry" }
  | { readonly do: "tell"; readonly verdict: Verdict };

/**
 * `first`: no launch before. `again`: the same attempt once more. `anew`: another attempt. Of a machine that is there: `align`: its
 * labels. `nudge`: it did not start for want of something.
 */
export type LaunchReason = "first" | "again" | "anew" | "align" | "nudge";

/** What the status is to say where nothing is to be done. */
export type Verdict =
  | { readonly is: "unchanged" }
  /** The user must change these. */
  | { readonly is: "invalid"; readonly problems: readonly string[] }
  /** The infrastructure cannot be talked to. */
  | { readonly is: "unreachable"; readonly of: "launch" | "target" }
  /** The ProviderConfig leads elsewhere than the machine was launched. */
  | { readonly is: "elsewhere" }
  /** The infrastructure that the spec names has not shown yet what is there. */
  | { readonly is: "unsighted" }
  /** Nothing was found, and nothing says any more where there may be something. */
  | { readonly is: "untraced" }
  /** The machine is to be let go of, it seems, and the annotation `abandon` does not name it. */
  | { readonly is: "unclear" }
  /** Nothing was found, which is not believed yet. */
  | { readonly is: "unproven"; readonly until: number }
  /** An error is waited out. */
  | { readonly is: "waiting" }
  | { readonly is: "seen"; readonly have: MachineHave; readonly labelProblems: readonly string[] }
  /** Being deleted, by us. */
  | { readonly is: "going"; readonly have: MachineHave }
  | { readonly is: "lost" }
  /** Something else has the machine's name, or its id. */
  | { readonly is: "stranger"; readonly stranger: Stranger }
  /** The annotations are another request's. */
  | { readonly is: "copied"; readonly from: string }
  | { readonly is: "unknown" };

/** What absence is judged by. */
export interface Evidence {
  /** The answer to the latest create call is known, whatever it was; or the only call there was has had its effect. */
  readonly isAnswered: boolean;
  /** When it was answered, where that is known. */
  readonly answeredAt?: number | undefined;
  readonly visibilityLagMs: number;
  readonly callLimitMs: number;
}

/** How much later than its time limit a create call may still take effect. */
const LATE_MS = 60_000;

/** From when on a create call that was begun at this time, in RFC 3339, cannot come late, and looks cannot lag behind it. */
export function latestFrom(time: string, limits: Pick<Evidence, "visibilityLagMs" | "callLimitMs">): number {
  return Date.parse(time) + limits.callLimitMs + LATE_MS + limits.visibilityLagMs;
}

/**
 * From when on it may be believed that there is no machine: once no create call can come late, and looks cannot lag behind the last
 * that was made.
 */
export function believableFrom(launch: Launch, evidence: Evidence): number {
  const { isAnswered, answeredAt, visibilityLagMs, callLimitMs } = evidence;
  const launched = Date.parse(launch.time);
  const latestEffect = (time: string) => Date.parse(time) + callLimitMs + LATE_MS;
  if (!isAnswered) return latestEffect(launch.time) + visibilityLagMs;
  // Where only its effect was seen the call may have taken its whole time; without a lag that does not matter.
  const settled = answeredAt ?? (visibilityLagMs > 0 ? launched + callLimitMs : launched);
  const doubted = launch.doubt === undefined ? settled : latestEffect(launch.doubt);
  return Math.max(settled, doubted) + visibilityLagMs;
}
