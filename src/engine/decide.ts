// SPDX-License-Identifier: Apache-2.0
import { isDeepStrictEqual } from "node:util";
import { isTraced } from "./identity.ts";
import type { MachineHave, Stranger } from "./provider.ts";
import { isShort } from "./shortage.ts";
import type { Situation, Step, Verdict } from "./situation.ts";

/** A machine that is on its way out is asked again to go after so long. */
const NUDGE_MS = 60_000;

const LOOK: Step = { do: "look" };

const tell = (verdict: Verdict): Step => ({ do: "tell", verdict });

/** What is to be done next for a machine. Pure, and defined for every situation. */
export function decide(situation: Situation): Step {
  if (situation.isPaused) return { do: "pause" };
  if (situation.isDeleting) return situation.isHeld ? end(situation) : { do: "nothing" };
  const { identity } = situation;
  return identity?.launch === undefined ? begin(situation) : live(situation, identity.attempt);
}

/** The request is being deleted and held by us. */
function end(situation: Situation): Step {
  const { letsGo, isLinked, isPlaceSame, isVoid } = situation;
  if (isBare(situation)) return endBare(situation);
  if (letsGo === "abandon") return { do: "let-go", why: letsGo };
  // A slip of the pen must not cost the machine that was to be kept.
  if (letsGo === "unclear") return tell({ is: "unclear" });
  if (!isLinked || !isPlaceSame) {
    if (isVoid) return { do: "release" };
    if (letsGo === "Retain") return { do: "let-go", why: letsGo };
    return tell(isLinked ? { is: "elsewhere" } : { is: "unreachable", of: "launch" });
  }
  const have = machineIn(situation);
  if (have === undefined || isWorthALook(situation, have)) {
    const first = lookFirst(situation);
    if (first !== undefined) return first;
  }
  return leave(situation, have);
}

/** The same, once it is known what stands there. */
function leave(situation: Situation, have: MachineHave | undefined): Step {
  const { letsGo } = situation;
  const claimed = claim(situation);
  if (claimed !== undefined && (claimed.do === "recover" || letsGo !== "Retain")) return claimed;
  if (have === undefined && claimed === undefined) {
    const doubt = doubtOf(situation);
    if (doubt === undefined) return { do: "release" };
    return letsGo === "Retain" && isUntraced(situation) ? { do: "let-go", why: letsGo } : doubt;
  }
  // Where it stood must be known when it is gone.
  if (have !== undefined && isUntraced(situation)) return { do: "adopt", have };
  return letsGo === "Retain" || have === undefined ? { do: "let-go", why: "Retain" } : remove(situation, have);
}

/**
 * The same where nothing tells of a machine. The finalizer and the annotations are written in one, before the first create call: they
 * are gone, or another's, and a call may be under way.
 */
function endBare(situation: Situation): Step {
  const { letsGo, isLinked, look, now, believableAt } = situation;
  if (letsGo === "abandon") return { do: "release" };
  if (!isLinked) return tell({ is: "unreachable", of: "launch" });
  const first = lookFirst(situation);
  if (first !== undefined) return first;
  if (look.by === "find" && look.kin !== undefined) return { do: "recover", mark: look.kin, stranger: look.stranger };
  return now < believableAt ? tell({ is: "unproven", until: believableAt }) : { do: "release" };
}

/** Whether neither a launch nor an id of its own nor the status tells of a machine. */
function isBare({ identity, wasSeen }: Situation): boolean {
  if (identity?.launch !== undefined || wasSeen) return false;
  return identity === undefined || identity.copiedFrom !== undefined;
}

/** Why it is not to be believed that there is nothing; undefined where it is. */
function doubtOf(situation: Situation): Step | undefined {
  const { now, believableAt } = situation;
  if (now < believableAt) return tell({ is: "unproven", until: believableAt });
  return isUntraced(situation) ? tell({ is: "untraced" }) : undefined;
}

/** Whether there may be a machine, and nobody knows where: absence anywhere proves nothing then. */
function isUntraced({ identity, wasSeen, isLost, isHeld }: Situation): boolean {
  if (isTraced(identity) || isLost) return false;
  // The finalizer and the launch are written in one: an id that is held and has no launch has lost it.
  return wasSeen || (isHeld && identity !== undefined && identity.copiedFrom === undefined);
}

/** Nothing was launched yet, as far as the request tells. */
function begin(situation: Situation): Step {
  const { identity, isLinked, problems, wasSeen } = situation;
  if (wasSeen && !situation.isHeld) return { do: "hold" };
  const have = machineIn(situation);
  if (wasSeen && have !== undefined) return { do: "adopt", have };
  if (identity?.copiedFrom !== undefined) return tell({ is: "copied", from: identity.copiedFrom });
  if (!isLinked) return tell({ is: "unreachable", of: "launch" });
  if (!situation.isPlaceSame) return tell({ is: "elsewhere" });
  const invalid = problems.length > 0 ? tell({ is: "invalid", problems }) : undefined;
  if (invalid !== undefined && !wasSeen) return invalid;
  // Brand-new: nothing can carry an id that does not exist yet, and a name in use is refused by the create call itself.
  if (identity === undefined && !wasSeen) return fresh(situation, { do: "launch", why: "first", attempt: 1 });
  if (have !== undefined) return { do: "adopt", have };
  return pickUp(situation, invalid);
}

/** There is an id, or a recorded machine, and no launch to go by. */
function pickUp(situation: Situation, invalid: Step | undefined): Step {
  const { identity, look, wasSeen } = situation;
  if (look.by !== "find") return lookFirst(situation) ?? LOOK;
  const claimed = claim(situation);
  if (claimed !== undefined) return claimed;
  const { stranger } = look;
  if (isUntraced(situation) && (wasSeen || stranger === undefined)) return tell({ is: "untraced" });
  if (stranger !== undefined) return tell({ is: "stranger", stranger });
  const { attempt } = identity ?? { attempt: 0 };
  if (!wasSeen) return fresh(situation, { do: "launch", why: "first", attempt });
  if (!situation.isRetryAsked) return tell({ is: "lost" });
  return invalid ?? fresh(situation, { do: "launch", why: "anew", attempt: attempt + 1 });
}

/** What to do about a stranger that is our own machine all the same: it must be neither given up nor made again. */
function claim(situation: Situation): Step | undefined {
  const { look, identity, recordedId, now, believableAt } = situation;
  if (look.by !== "find" || look.stranger === undefined) return undefined;
  const { stranger, kin, have } = look;
  if (have !== undefined && have.state !== "remains") return undefined;
  if (kin !== undefined && have === undefined && now >= believableAt) return { do: "recover", mark: kin, stranger };
  const isRecorded = recordedId !== undefined && stranger.providerId === recordedId;
  const { mark } = stranger;
  const isMarked =
    mark !== undefined && mark.machineId === identity?.machineId && mark.owner === identity.launch?.owner;
  return isRecorded || isMarked ? tell({ is: "stranger", stranger }) : undefined;
}

/** A machine was launched, and is wanted. */
function live(situation: Situation, attempt: number): Step {
  const { isHeld, isLinked, isPlaceSame, isVoid, isEdited, isRetryAsked, phase } = situation;
  if (!isHeld) return { do: "hold" };
  if (!isLinked) return tell({ is: "unreachable", of: "launch" });
  if (!isPlaceSame && (!isVoid || situation.wasSeen)) return tell({ is: "elsewhere" });
  const standing = machineIn(situation);
  // What the annotation does not say any more, the machine's own mark does.
  const isReadable = standing !== undefined && (standing.state !== "remains" || standing.mark.attempt >= attempt);
  if (!situation.isLaunchWhole && isReadable) return { do: "adopt", have: standing };
  const isOpen = phase === "Pending" || phase === "Failed";
  // A replacement once begun is finished: the machine is on its way out, whatever is wanted by now.
  if (situation.identity?.launch?.isEnding || (isOpen && isEdited)) return replace(situation, attempt);
  if (isRetryAsked && !isOpen) return { do: "drop-retry" };
  const have = machineIn(situation);
  if (isRetryAsked && phase === "Failed" && (have !== undefined || situation.wasSeen))
    return replace(situation, attempt);
  return have === undefined ? missing(situation, attempt) : present(situation, { have, attempt });
}

/** Another machine is wanted: the one that is there goes first, for good. */
function replace(situation: Situation, attempt: number): Step {
  const { problems, identity, isTargetLinked, isMovedAway, isVoid, isPlaceSame } = situation;
  if (!isMovedAway) {
    if (!isTargetLinked) return tell({ is: "unreachable", of: "target" });
    if (problems.length > 0) return tell({ is: "invalid", problems });
  }
  const next: Step = isMovedAway ? { do: "hand-over" } : { do: "launch", why: "anew", attempt: attempt + 1 };
  if (isVoid && !isPlaceSame) return fresh(situation, next);
  const claimed = claim(situation);
  if (claimed !== undefined) return claimed;
  const have = machineIn(situation);
  if (have !== undefined && !isWorthALook(situation, have)) return remove(situation, have, { isReplaced: true });
  const first = lookFirst(situation);
  if (first !== undefined) return first;
  const twin = strangerIn(situation);
  if (twin?.mark !== undefined && twin.mark.machineId === identity?.machineId)
    return tell({ is: "stranger", stranger: twin });
  return doubtOf(situation) ?? fresh(situation, next);
}

/** No machine is in sight. */
function missing(situation: Situation, attempt: number): Step {
  const { look, wasSeen, isLost, isPictureWhole, isBlind, hasTriedCreate } = situation;
  if (look.by !== "find") {
    if (isLost) return tell({ is: "lost" });
    if (wasSeen && isBlind) return tell({ is: "unknown" });
    // The picture will tell of all machines at once; asking for each would cost a call per machine.
    if (wasSeen && !isPictureWhole) return tell({ is: "unchanged" });
    // A create call that failed is simply repeated: names and tokens collide.
    if (wasSeen || !hasTriedCreate) return lookFirst(situation) ?? LOOK;
  } else {
    const claimed = claim(situation);
    if (claimed !== undefined) return claimed;
    if (wasSeen) return doubtOf(situation) ?? tell({ is: "lost" });
    if (look.stranger !== undefined) return tell({ is: "stranger", stranger: look.stranger });
    if (situation.isExpected) return tell({ is: "unchanged" });
  }
  return again(situation, attempt);
}

/** Only what was launched is launched again, and only where that may be done. */
function again(situation: Situation, attempt: number): Step {
  const { problems, isEdited, isHomeUsable } = situation;
  if (isEdited) return replace(situation, attempt);
  if (!isHomeUsable) return tell({ is: "unreachable", of: "target" });
  if (problems.length > 0) return tell({ is: "invalid", problems });
  return waitOut(situation) ?? { do: "launch", why: "again", attempt };
}

interface Present {
  readonly have: MachineHave;
  readonly attempt: number;
}

/** Our machine, or what remains of it, is there. */
function present(situation: Situation, { have, attempt }: Present): Step {
  const { look, isBlind, phase } = situation;
  if (have.mark.attempt > attempt) return { do: "adopt", have };
  // The machine that runs, and is recorded, is the one: whoever wrote another attempt down, it was not a launch.
  const isRecorded = phase === "Running" && have.providerId !== undefined && have.providerId === situation.recordedId;
  if (have.mark.attempt < attempt) return isRecorded ? { do: "adopt", have } : remove(situation, have);
  if (have.state === "remains") {
    if (look.by === "find")
      return claim(situation) ?? missing({ ...situation, look: { ...look, stranger: undefined } }, attempt);
    if (situation.isLost) return tell({ is: "lost" });
    return situation.lookInMs > 0 ? tell({ is: "unchanged" }) : (waitOut(situation) ?? LOOK);
  }
  const isPassedOver = phase !== "Running" && phase !== "Unknown";
  if (isBlind && look.by === "picture" && !isPassedOver) return tell({ is: "unknown" });
  return keep(situation, { have, attempt });
}

/** The machine of this attempt stands: what is missing of it is made, and what differs is brought in line. */
function keep(situation: Situation, { have, attempt }: Present): Step {
  const { labels, isAlignmentTried, problems } = situation;
  const isDrifted = have.state !== "deleting" && have.state !== "failed" && !isDeepStrictEqual(have.labels, labels);
  if (isDrifted && problems.length > 0) return tell({ is: "seen", have, labelProblems: problems });
  if (!situation.isHomeUsable) return tell({ is: "seen", have, labelProblems: [] });
  // Whoever made it was cut off, or still is to make the rest of it.
  if (situation.isUnfinished && have.state === "pending" && problems.length === 0)
    return waitOut(situation) ?? { do: "launch", why: "again", attempt };
  if (isDrifted && !isAlignmentTried && situation.retryInMs <= 0) return { do: "launch", why: "align", attempt };
  if (isShort(have) && situation.nudgeInMs <= 0 && situation.retryInMs <= 0)
    return { do: "launch", why: "nudge", attempt };
  return tell({ is: "seen", have, labelProblems: [] });
}

function remove(situation: Situation, have: MachineHave, { isReplaced = false } = {}): Step {
  const { sinceDeleteMs, look } = situation;
  const waiting = waitOut(situation);
  if (waiting !== undefined) return waiting;
  if (sinceDeleteMs !== undefined) {
    if (sinceDeleteMs < NUDGE_MS) return tell({ is: "going", have });
    // It should be gone by now. It may be, and the picture may have missed that.
    if (look.by === "picture") return lookFirst(situation) ?? LOOK;
  }
  return { do: "delete", have, isReplaced };
}

function machineIn({ look }: Situation): MachineHave | undefined {
  return look.by === "nothing" ? undefined : look.have;
}

function strangerIn({ look }: Situation): Stranger | undefined {
  return look.by === "find" ? look.stranger : undefined;
}

/** The picture may not show when the last piece of a machine is gone. */
function isWorthALook({ look }: Situation, have: MachineHave): boolean {
  return look.by === "picture" && have.state === "remains";
}

/** The step before a direct look, or the look itself; undefined where it has been taken. */
function lookFirst(situation: Situation): Step | undefined {
  const { look, lookInMs } = situation;
  if (look.by === "find") return undefined;
  const have = machineIn(situation);
  if (lookInMs > 0) return tell(have === undefined ? { is: "unchanged" } : { is: "going", have });
  return waitOut(situation) ?? LOOK;
}

/** A launch binds a request to its place: that must be one that answers. */
function fresh(situation: Situation, step: Step): Step {
  const waiting = waitOut(situation);
  if (waiting !== undefined) return waiting;
  return step.do === "launch" && !situation.isTargetSighted ? tell({ is: "unsighted" }) : step;
}

function waitOut({ retryInMs }: Situation): Step | undefined {
  return retryInMs > 0 ? tell({ is: "waiting" }) : undefined;
}
