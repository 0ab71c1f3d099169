// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "./decide.ts";
import { believableFrom, type Evidence, type Situation, type Step } from "./situation.ts";
import {
  ABSENT,
  ending,
  found,
  identity,
  kin,
  LATER,
  launch,
  machine,
  mark,
  picture,
  strange,
  twin,
  unmarked,
  usual,
} from "./testing/situations.ts";

const told = (is: string) => `tell ${is}`;

/** A step in a few words. */
function words(step: Step): string {
  if (step.do === "tell") return told(step.verdict.is);
  if (step.do === "launch") return `launch ${step.why} ${step.attempt}`;
  if (step.do === "let-go") return `let-go ${step.why}`;
  return step.do;
}

const running = { phase: "Running", wasSeen: true } as const;
const failed = { phase: "Failed" } as const;
const damaged = { ...identity, launch: { ...launch, place: "" } };

interface Row {
  readonly promise: string;
  readonly given: Partial<Situation>;
  readonly step: string;
}

const rows: readonly Row[] = [
  // Paused.
  { promise: "a paused request is left alone", given: { isPaused: true }, step: "pause" },
  { promise: "pausing stops deletion too", given: { isPaused: true, isDeleting: true }, step: "pause" },
  // Beginning.
  {
    promise: "a brand-new request is launched without a look",
    given: { identity: undefined, isHeld: false },
    step: "launch first 1",
  },
  {
    promise: "nothing is launched at an infrastructure that has never answered: it may be the wrong one",
    given: { identity: undefined, isHeld: false, isTargetSighted: false },
    step: told("unsighted"),
  },
  {
    promise: "nor is another attempt",
    given: { ...failed, isEdited: true, look: ABSENT, isTargetSighted: false },
    step: told("unsighted"),
  },
  {
    promise: "bad input is told before anything is sent",
    given: { identity: undefined, problems: ["x"] },
    step: told("invalid"),
  },
  {
    promise: "without an infrastructure nothing begins",
    given: { identity: undefined, isLinked: false },
    step: told("unreachable"),
  },
  {
    promise: "an id that was there before us is looked for first",
    given: { identity: { ...identity, launch: undefined } },
    step: "look",
  },
  {
    promise: "nothing carries that id: it is launched in its attempt",
    given: { identity: { ...identity, launch: undefined }, isHeld: false, look: ABSENT },
    step: "launch first 2",
  },
  {
    promise: "an id that is held and has lost its launch makes nothing: nobody knows where it was launched",
    given: { identity: { ...identity, launch: undefined }, look: ABSENT },
    step: told("untraced"),
  },
  {
    promise: "a machine with that id and our mark is adopted",
    given: { identity: { ...identity, launch: undefined }, look: found(machine("running")) },
    step: "adopt",
  },
  {
    promise: "a machine with that id and another owner is a conflict",
    given: { identity: { ...identity, launch: undefined }, look: twin },
    step: told("stranger"),
  },
  {
    promise: "copied annotations are a conflict",
    given: { identity: { ...identity, launch: undefined, copiedFrom: "ns/a" } },
    step: told("copied"),
  },
  {
    promise: "a first create that failed is waited out",
    given: { identity: undefined, retryInMs: 5 },
    step: told("waiting"),
  },
  // Launched, not seen.
  { promise: "a lost finalizer is put back before anything else", given: { isHeld: false }, step: "hold" },
  { promise: "after a restart a launch is looked for before it is repeated", given: {}, step: "look" },
  {
    promise: "a launch that made nothing is repeated in its attempt, though absence is not proven",
    given: { look: ABSENT, believableAt: LATER },
    step: "launch again 2",
  },
  {
    promise: "a create call that failed is repeated without a look",
    given: { hasTriedCreate: true },
    step: "launch again 2",
  },
  {
    promise: "a create call that failed is repeated when its time has come",
    given: { hasTriedCreate: true, retryInMs: 1 },
    step: told("waiting"),
  },
  {
    promise: "a create call that succeeded may show its machine later",
    given: { look: ABSENT, isExpected: true },
    step: told("unchanged"),
  },
  { promise: "a name taken by a stranger is a conflict", given: { look: strange }, step: told("stranger") },
  {
    promise: "a spec that became invalid is not launched again",
    given: { look: ABSENT, problems: ["x"] },
    step: told("invalid"),
  },
  { promise: "a failed look is waited out", given: { retryInMs: 5 }, step: told("waiting") },
  {
    promise: "looks that show nothing new are not taken at once again",
    given: { lookInMs: 5 },
    step: told("unchanged"),
  },
  {
    promise: "what an interrupted create left is continued",
    given: { look: found(machine("remains")), believableAt: LATER },
    step: "launch again 2",
  },
  {
    promise: "remains in the picture are looked at directly",
    given: { look: picture(machine("remains")) },
    step: "look",
  },
  // Seen.
  {
    promise: "a machine whose create call nobody saw succeed is finished by another, for parts of it may be missing",
    given: { look: picture(machine("pending")), isUnfinished: true },
    step: "launch again 2",
  },
  {
    promise: "a machine is finished when the time for another create call has come",
    given: { look: picture(machine("pending")), isUnfinished: true, retryInMs: 5 },
    step: told("waiting"),
  },
  {
    promise: "a machine that runs lacks nothing",
    given: { look: picture(machine("running")), isUnfinished: true },
    step: told("seen"),
  },
  { promise: "a machine on its way is told of", given: { look: picture(machine("pending")) }, step: told("seen") },
  {
    promise: "a running machine is told of",
    given: { ...running, look: picture(machine("running")) },
    step: told("seen"),
  },
  {
    promise: "a stopped machine is told of, not rebuilt",
    given: { ...running, look: picture(machine("stopped")) },
    step: told("seen"),
  },
  {
    promise: "a machine that the infrastructure gave up on is told of",
    given: { look: picture(machine("failed")) },
    step: told("seen"),
  },
  {
    promise: "a machine that somebody else deletes is told of",
    given: { ...running, look: picture(machine("deleting")) },
    step: told("seen"),
  },
  {
    promise: "changed labels are brought in line",
    given: { ...running, look: picture(machine("running")), labels: { a: "b" } },
    step: "launch align 2",
  },
  {
    promise: "labels that make no difference are not tried again at once",
    given: { ...running, look: picture(machine("running")), labels: { a: "b" }, isAlignmentTried: true },
    step: told("seen"),
  },
  {
    promise: "labels that were refused are tried again in time",
    given: { ...running, look: picture(machine("running")), labels: { a: "b" }, retryInMs: 9 },
    step: told("seen"),
  },
  {
    promise: "bad labels are told, and nothing happens to the machine",
    given: { ...running, look: picture(machine("running")), labels: { a: "?" }, problems: ["x"] },
    step: told("seen"),
  },
  {
    promise: "the machine of an older attempt is deleted first",
    given: { look: picture(machine("running", { mark: { ...mark, attempt: 1 } })) },
    step: "delete",
  },
  {
    promise: "annotations from an old backup are brought up to the machine's attempt",
    given: { look: picture(machine("running", { mark: { ...mark, attempt: 3 } })) },
    step: "adopt",
  },
  // Not in the picture any more.
  { promise: "a machine that vanished from the picture is looked for directly", given: running, step: "look" },
  {
    promise: "after a start the picture is waited for, not each machine asked for",
    given: { ...running, isPictureWhole: false },
    step: told("unchanged"),
  },
  { promise: "a machine that is not found is lost", given: { ...running, look: ABSENT }, step: told("lost") },
  {
    promise: "absence is not believed at once",
    given: { ...running, look: ABSENT, believableAt: LATER },
    step: told("unproven"),
  },
  {
    promise: "a lost machine whose name a stranger took is lost",
    given: { ...running, look: strange },
    step: told("lost"),
  },
  {
    promise: "a machine of which only disks remain is lost",
    given: { ...running, look: found(machine("remains")) },
    step: told("lost"),
  },
  {
    promise: "a lost machine is not looked for again and again",
    given: { ...failed, isLost: true, wasSeen: true },
    step: told("lost"),
  },
  {
    promise: "a lost machine that came back is told of",
    given: { ...failed, isLost: true, wasSeen: true, look: picture(machine("running")) },
    step: told("seen"),
  },
  { promise: "what cannot be seen is not lost", given: { ...running, isBlind: true }, step: told("unknown") },
  {
    promise: "what was seen before nothing could be seen counts no more",
    given: { ...running, isBlind: true, look: picture(machine("running")) },
    step: told("unknown"),
  },
  {
    promise: "a machine on its way is not unknown",
    given: { phase: "Creating", wasSeen: true, isBlind: true, look: picture(machine("pending")) },
    step: told("seen"),
  },
  // Links.
  {
    promise: "without the infrastructure nothing is done",
    given: { ...running, isLinked: false },
    step: told("unreachable"),
  },
  {
    promise: "absence elsewhere is no absence",
    given: { ...running, isPlaceSame: false, look: ABSENT },
    step: told("elsewhere"),
  },
  {
    promise: "a launch that left nothing may go elsewhere",
    given: { ...failed, isPlaceSame: false, isVoid: true, hasTriedCreate: true },
    step: "launch again 2",
  },
  // Another machine is wanted.
  {
    promise: "an edited spec: the old machine goes first",
    given: { ...failed, isEdited: true, look: picture(machine("running")) },
    step: "delete",
  },
  { promise: "an edited spec: the old machine is looked for", given: { ...failed, isEdited: true }, step: "look" },
  {
    promise: "an edited spec: its absence must be believed",
    given: { ...failed, isEdited: true, look: ABSENT, believableAt: LATER },
    step: told("unproven"),
  },
  {
    promise: "an edited spec: then comes another attempt",
    given: { ...failed, isEdited: true, look: ABSENT },
    step: "launch anew 3",
  },
  {
    promise: "an edited spec while Pending is the same",
    given: { isEdited: true, look: ABSENT },
    step: "launch anew 3",
  },
  {
    promise: "an edited spec that is wrong deletes nothing",
    given: { ...failed, isEdited: true, problems: ["x"], look: picture(machine("running")) },
    step: told("invalid"),
  },
  {
    promise: "an edited reference that leads nowhere deletes nothing",
    given: { ...failed, isEdited: true, isTargetLinked: false, look: picture(machine("running")) },
    step: told("unreachable"),
  },
  {
    promise: "a spec that is frozen is not compared",
    given: { ...running, isEdited: true, look: picture(machine("running")) },
    step: told("seen"),
  },
  {
    promise: "a machine that another request owns stops a new attempt",
    given: { ...failed, isEdited: true, look: twin },
    step: told("stranger"),
  },
  {
    promise: "a request that went to another provider is handed over clean",
    given: { ...failed, isEdited: true, isMovedAway: true, look: ABSENT },
    step: "hand-over",
  },
  {
    promise: "handing over deletes the machine first",
    given: { ...failed, isEdited: true, isMovedAway: true, look: picture(machine("pending")) },
    step: "delete",
  },
  {
    promise: "a launch that left nothing needs no proof elsewhere",
    given: { ...failed, isEdited: true, isVoid: true, isPlaceSame: false },
    step: "launch anew 3",
  },
  // Retry.
  {
    promise: "retry of a lost machine looks once more",
    given: { ...failed, isLost: true, wasSeen: true, isRetryAsked: true },
    step: "look",
  },
  {
    promise: "retry of a lost machine is another attempt",
    given: { ...failed, isLost: true, wasSeen: true, isRetryAsked: true, look: ABSENT },
    step: "launch anew 3",
  },
  {
    promise: "retry of a machine that is there, but failed, deletes it first",
    given: { ...failed, wasSeen: true, isRetryAsked: true, look: picture(machine("pending")) },
    step: "delete",
  },
  {
    promise: "retry where nothing was made is the same attempt, at once",
    given: { ...failed, isRetryAsked: true, hasTriedCreate: true, believableAt: LATER },
    step: "launch again 2",
  },
  {
    promise: "retry of what runs is nothing",
    given: { ...running, isRetryAsked: true, look: picture(machine("running")) },
    step: "drop-retry",
  },
  // Deleting.
  { promise: "deleting, not held: others hold it", given: { isDeleting: true, isHeld: false }, step: "nothing" },
  {
    promise: "deleting, held and stripped of its annotations: a create call may be under way, and it is looked for",
    given: { isDeleting: true, identity: undefined },
    step: "look",
  },
  {
    promise: "nothing is found, and an earlier call may still come late: waits",
    given: { isDeleting: true, identity: undefined, look: ABSENT, believableAt: LATER },
    step: told("unproven"),
  },
  {
    promise: "nothing is found, and no call can come late: released",
    given: { isDeleting: true, identity: undefined, look: ABSENT },
    step: "release",
  },
  {
    promise: "what was made for it is found under the id that it has lost: taken on at once, whatever may come late",
    given: { isDeleting: true, identity: undefined, look: kin, believableAt: LATER },
    step: "recover",
  },
  {
    promise: "deleting, stripped, and its infrastructure cannot be asked: waits",
    given: { isDeleting: true, identity: undefined, isLinked: false },
    step: told("unreachable"),
  },
  {
    promise: "deleting, stripped, given up: released",
    given: { isDeleting: true, identity: undefined, isLinked: false, letsGo: "abandon" },
    step: "release",
  },
  {
    promise: "deleting, without its launch and its infrastructure: waits",
    given: { isDeleting: true, identity: { ...identity, launch: undefined }, isLinked: false },
    step: told("unreachable"),
  },
  {
    promise: "deleting, a recorded machine and copied annotations: looked for",
    given: { ...running, isDeleting: true, identity: { ...identity, launch: undefined, copiedFrom: "ns/a" } },
    step: "look",
  },
  {
    promise: "deleting, copied annotations: looked for, as they may stand over its own",
    given: { isDeleting: true, identity: { ...identity, launch: undefined, copiedFrom: "ns/a" } },
    step: "look",
  },
  {
    promise: "deleting, copied annotations, nothing found: released",
    given: { isDeleting: true, identity: { ...identity, launch: undefined, copiedFrom: "ns/a" }, look: ABSENT },
    step: "release",
  },
  {
    promise: "deleting, abandoned by the name of another machine: nothing is done",
    given: { ...running, isDeleting: true, letsGo: "unclear", look: picture(machine("running")) },
    step: told("unclear"),
  },
  {
    promise: "deleting, abandoned: let go of, whatever the link",
    given: { isDeleting: true, letsGo: "abandon", isLinked: false },
    step: "let-go abandon",
  },
  {
    promise: "abandon does nothing to a request that is wanted",
    given: { ...running, letsGo: "abandon", look: picture(machine("running")) },
    step: told("seen"),
  },
  {
    promise: "deleting, retained: let go of",
    given: { isDeleting: true, letsGo: "Retain", look: picture(machine("running")) },
    step: "let-go Retain",
  },
  {
    promise: "deleting, retained, link down: let go of",
    given: { isDeleting: true, letsGo: "Retain", isLinked: false },
    step: "let-go Retain",
  },
  {
    promise: "deleting, retained, nothing there: released",
    given: { isDeleting: true, letsGo: "Retain", look: ABSENT },
    step: "release",
  },
  { promise: "deleting, link down: waits", given: { isDeleting: true, isLinked: false }, step: told("unreachable") },
  {
    promise: "deleting, link down, nothing was left: released",
    given: { isDeleting: true, isLinked: false, isVoid: true },
    step: "release",
  },
  { promise: "deleting, elsewhere: waits", given: { isDeleting: true, isPlaceSame: false }, step: told("elsewhere") },
  {
    promise: "deleting, seen: deleted",
    given: { isDeleting: true, look: picture(machine("running")) },
    step: "delete",
  },
  {
    promise: "deleting, on its way out: waits",
    given: { isDeleting: true, look: picture(machine("deleting")), sinceDeleteMs: 59_999 },
    step: told("going"),
  },
  {
    promise: "deleting, on its way out for long: looked at, for the picture may have missed its end",
    given: { isDeleting: true, look: picture(machine("deleting")), sinceDeleteMs: 60_000 },
    step: "look",
  },
  {
    promise: "deleting, on its way out for long and still found: asked again",
    given: { isDeleting: true, look: found(machine("deleting")), sinceDeleteMs: 60_000 },
    step: "delete",
  },
  {
    promise: "deleting, on its way out since before our time: asked",
    given: { isDeleting: true, look: picture(machine("deleting")) },
    step: "delete",
  },
  {
    promise: "deleting, refused: waited out",
    given: { isDeleting: true, look: picture(machine("running")), retryInMs: 7 },
    step: told("waiting"),
  },
  { promise: "deleting, not in the picture: looked for", given: { isDeleting: true }, step: "look" },
  {
    promise: "deleting, remains: looked at",
    given: { isDeleting: true, look: picture(machine("remains")) },
    step: "look",
  },
  {
    promise: "deleting, remains found: deleted",
    given: { isDeleting: true, look: found(machine("remains")) },
    step: "delete",
  },
  { promise: "deleting, absent: released", given: { isDeleting: true, look: ABSENT }, step: "release" },
  {
    promise: "deleting, absent, not believed: waits",
    given: { isDeleting: true, look: ABSENT, believableAt: LATER },
    step: told("unproven"),
  },
  {
    promise: "deleting, a stranger has the name: released, the stranger untouched",
    given: { isDeleting: true, look: strange },
    step: "release",
  },
  // What annotations were made of it.
  {
    promise: "a launch that is not the spec's is not launched again",
    given: { isEdited: true, phase: "Creating", look: ABSENT },
    step: "launch anew 3",
  },
  {
    promise: "a launch whose ProviderConfig may not be used is not launched again",
    given: { isHomeUsable: false, look: ABSENT },
    step: told("unreachable"),
  },
  {
    promise: "a machine whose ProviderConfig may not be used any more is looked at, and not touched",
    given: { ...running, isHomeUsable: false, look: picture(machine("running")), labels: { a: "b" } },
    step: told("seen"),
  },
  {
    promise: "a launch that was damaged is read from the machine",
    given: { ...failed, isLaunchWhole: false, isEdited: true, look: picture(machine("pending")) },
    step: "adopt",
  },
  {
    promise: "a recorded machine whose id is not known is looked for",
    given: { ...running, identity: undefined },
    step: "look",
  },
  { promise: "and taken on", given: { ...running, identity: undefined, look: kin }, step: "recover" },
  {
    promise: "and not called lost where there is none: it may be elsewhere",
    given: { ...running, identity: undefined, look: ABSENT },
    step: told("untraced"),
  },
  {
    promise: "nor where its name is a stranger's",
    given: { ...running, identity: undefined, look: strange },
    step: told("untraced"),
  },
  {
    promise: "nor is it made anew",
    given: { ...running, ...failed, identity: undefined, look: ABSENT, isRetryAsked: true },
    step: told("untraced"),
  },
  {
    promise: "nor where the launch is damaged and does not say where",
    given: { ...running, identity: damaged, isLaunchWhole: false, look: ABSENT },
    step: told("untraced"),
  },
  {
    promise: "nor is it replaced",
    given: { ...failed, wasSeen: true, identity: damaged, isLaunchWhole: false, isEdited: true, look: ABSENT },
    step: told("untraced"),
  },
  {
    promise: "deleting: nor is it let go of",
    given: { ...running, isDeleting: true, identity: undefined, look: ABSENT },
    step: told("untraced"),
  },
  {
    promise: "unless it is to be kept",
    given: { ...running, isDeleting: true, letsGo: "Retain", identity: undefined, look: ABSENT },
    step: "let-go Retain",
  },
  {
    promise: "deleting: once it is seen, that is written down first",
    given: { ...running, isDeleting: true, identity: undefined, look: picture(machine("running")) },
    step: "adopt",
  },
  {
    promise: "a recorded machine that is held by nobody is held first, wherever it is",
    given: { ...running, identity: undefined, isHeld: false, isLinked: false },
    step: "hold",
  },
  {
    promise: "one that is known to be lost is made anew when that is asked for, without its launch too",
    given: { ...running, ...failed, isLost: true, identity: undefined, look: ABSENT, isRetryAsked: true },
    step: "launch anew 1",
  },
  {
    promise: "deleting, without its id: looked for",
    given: { ...running, isDeleting: true, identity: undefined },
    step: "look",
  },
  {
    promise: "deleting, without its launch: looked for",
    given: { isDeleting: true, identity: { ...identity, launch: undefined } },
    step: "look",
  },
  {
    promise: "deleting, our own machine without its mark: waits",
    given: { ...running, isDeleting: true, recordedId: "vm-1", look: unmarked },
    step: told("stranger"),
  },
  {
    promise: "our own machine without its mark is not lost",
    given: { ...running, recordedId: "vm-1", look: unmarked },
    step: told("stranger"),
  },
  {
    promise: "nor are its disks deleted",
    given: { ...running, isDeleting: true, recordedId: "vm-1", look: { ...unmarked, have: machine("remains") } },
    step: told("stranger"),
  },
  {
    promise: "nor is it lost where its disks have their mark",
    given: { ...running, recordedId: "vm-1", look: { ...unmarked, have: machine("remains") } },
    step: told("stranger"),
  },
  {
    promise: "but it is let go of where it is to be kept",
    given: { ...running, isDeleting: true, letsGo: "Retain", recordedId: "vm-1", look: unmarked },
    step: "let-go Retain",
  },
  {
    promise: "another that has the name of a recorded machine: lost",
    given: { ...running, recordedId: "vm-0", look: unmarked },
    step: told("lost"),
  },
  {
    promise: "a replacement that was begun goes on when the edit is taken back",
    given: { phase: "Creating", identity: ending, look: ABSENT, wasSeen: true },
    step: "launch anew 3",
  },
  {
    promise: "a recorded machine that runs is not an earlier attempt's",
    given: { ...running, recordedId: "vm-1", look: picture(machine("running", { mark: { ...mark, attempt: 1 } })) },
    step: "adopt",
  },
];

for (const { promise, given, step } of rows)
  test(`decide: ${promise}`, () => {
    assert.equal(words(decide({ ...usual, ...given })), step);
  });

test("absence is believed after the lag, and after the last create call that nobody knows the answer of can come late", () => {
  const lag = { visibilityLagMs: 30_000, callLimitMs: 60_000 };
  const launched = Date.parse(launch.time);
  const from = (given: typeof launch, more: Pick<Evidence, "isAnswered" | "answeredAt">) =>
    believableFrom(given, { ...lag, ...more }) - launched;
  assert.equal(from(launch, { isAnswered: true, answeredAt: launched + 5_000 }), 35_000);
  assert.equal(from(launch, { isAnswered: true }), 90_000);
  assert.equal(from(launch, { isAnswered: false }), 150_000);
  const doubtful = { ...launch, tries: 2, doubt: new Date(launched - 10_000).toISOString() };
  assert.equal(from(doubtful, { isAnswered: true, answeredAt: launched + 5_000 }), 140_000);
  assert.equal(from(doubtful, { isAnswered: false }), 150_000);
  const noLag = { visibilityLagMs: 0, callLimitMs: 60_000 };
  assert.equal(believableFrom(launch, { ...noLag, isAnswered: true }), launched);
});
