// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decide } from "./decide.ts";
import type { MachineState } from "./provider.ts";
import type { Look, Phase, Situation } from "./situation.ts";
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
  NOTHING,
  NOW,
  picture,
  strange,
  twin,
  unmarked,
  usual,
} from "./testing/situations.ts";

const phases: Phase[] = ["Pending", "Creating", "Running", "Failed", "Deleting", "Deleted", "Unknown"];
const states: MachineState[] = ["pending", "running", "stopped", "failed", "deleting", "remains"];
const anyMachine = fc.record({ state: fc.constantFrom(...states), attempt: fc.integer({ min: 1, max: 3 }) });
const anyLook: fc.Arbitrary<Look> = fc.oneof(
  fc.constantFrom(NOTHING, ABSENT, strange, twin, unmarked, kin),
  fc.tuple(fc.boolean(), anyMachine).map(([isDirect, { state, attempt }]) => {
    const have = machine(state, { mark: { ...mark, attempt } });
    return isDirect ? found(have) : picture(have);
  }),
);
const anySituation: fc.Arbitrary<Situation> = fc
  .record({
    isPaused: fc.boolean(),
    isDeleting: fc.boolean(),
    isHeld: fc.boolean(),
    letsGo: fc.constantFrom<Situation["letsGo"]>(undefined, "abandon", "Retain", "unclear"),
    isRetryAsked: fc.boolean(),
    phase: fc.constantFrom(...phases),
    isLost: fc.boolean(),
    wasSeen: fc.boolean(),
    identity: fc.constantFrom<Situation["identity"]>(
      undefined,
      identity,
      ending,
      { ...identity, launch: undefined },
      { ...identity, launch: undefined, copiedFrom: "ns/other" },
      { ...identity, launch: { ...launch, place: "" } },
    ),
    isLinked: fc.boolean(),
    isTargetLinked: fc.boolean(),
    isTargetSighted: fc.boolean(),
    isHomeUsable: fc.boolean(),
    isLaunchWhole: fc.boolean(),
    recordedId: fc.constantFrom(undefined, "vm-1", "vm-2"),
    isVoid: fc.boolean(),
    isExpected: fc.boolean(),
    isPlaceSame: fc.boolean(),
    isEdited: fc.boolean(),
    isMovedAway: fc.boolean(),
    problems: fc.constantFrom<readonly string[]>([], ["x"]),
    look: anyLook,
    isAlignmentTried: fc.boolean(),
    isPictureWhole: fc.boolean(),
    isBlind: fc.boolean(),
    believableAt: fc.constantFrom(NOW - 1, LATER),
    hasTriedCreate: fc.boolean(),
    isUnfinished: fc.boolean(),
    retryInMs: fc.constantFrom(0, 10),
    lookInMs: fc.constantFrom(0, 10),
    sinceDeleteMs: fc.constantFrom(undefined, 10, 70_000),
  })
  .map((parts) => ({ ...usual, ...parts }));

/** A direct look at the right place has found no machine, and that may be believed. */
function isProvenGone({ look, isLinked, isPlaceSame, believableAt }: Situation): boolean {
  const isAbsent = look.by === "find" && (look.have === undefined || look.have.state === "remains");
  return isAbsent && isLinked && isPlaceSame && believableAt <= NOW;
}

/** The same, and nothing remains either; or nothing was ever left. */
function isClean(situation: Situation): boolean {
  const { look, isVoid } = situation;
  return isVoid || (isProvenGone(situation) && look.by === "find" && look.have === undefined);
}

const always = (promise: string, holds: (situation: Situation) => void) =>
  test(`in every situation: ${promise}`, () =>
    fc.assert(fc.property(anySituation, holds), {
      numRuns: Number(process.env.DECIDE_RUNS ?? 2_000),
      seed: Number(process.env.DECIDE_SEED ?? 7),
    }));

always("a direct look is followed by a decision", (situation) => {
  if (situation.look.by === "find") assert.notEqual(decide(situation).do, "look");
});

always("a request is let go of only where nothing was launched or nothing is left", (situation) => {
  if (decide(situation).do === "release") assert.ok(situation.identity?.launch === undefined || isClean(situation));
});

always("a machine that may be anywhere is neither let go of, nor called lost, nor made again", (situation) => {
  const { identity: whose, wasSeen, isLost, letsGo, isVoid } = situation;
  if ((whose?.launch !== undefined && whose.launch.place !== "") || !wasSeen || isLost || letsGo !== undefined) return;
  const step = decide(situation);
  assert.ok((step.do !== "release" && step.do !== "hand-over") || isVoid);
  if (step.do === "launch")
    assert.notEqual(situation.look.by === "nothing" ? undefined : situation.look.have, undefined);
  if (step.do === "tell") assert.notEqual(step.verdict.is, "lost");
});

always("another attempt begins only where nothing of the last one is left", (situation) => {
  const step = decide(situation);
  if (step.do === "hand-over" || (step.do === "launch" && step.why === "anew")) assert.ok(isClean(situation));
});

always("a machine is called lost only where that is proven", (situation) => {
  const step = decide(situation);
  if (step.do === "tell" && step.verdict.is === "lost") assert.ok(situation.isLost || isProvenGone(situation));
});

always("only what carries our mark is deleted, and only where it is wanted away", (situation) => {
  const step = decide(situation);
  if (step.do !== "delete") return;
  const { isDeleting, isEdited, isRetryAsked, identity: whose } = situation;
  assert.equal(step.have.mark.owner, "ns/web");
  assert.ok(isDeleting || isEdited || isRetryAsked || step.have.mark.attempt < 2 || whose?.launch?.isEnding);
});

always("nothing is made while the request is deleted, paused or waits for a retry", (situation) => {
  const { isDeleting, isPaused, retryInMs } = situation;
  if (decide(situation).do === "launch") assert.ok(!isDeleting && !isPaused && retryInMs === 0);
});

always("nothing is made at the infrastructure of a launch that is not the spec's, or may not be used", (situation) => {
  const step = decide(situation);
  if (step.do !== "launch" || step.why === "first" || step.why === "anew") return;
  assert.ok(situation.isHomeUsable && (situation.isLaunchWhole || step.why !== "again"));
});

always("our own machine without its mark is neither called lost nor given up", (situation) => {
  const { look, recordedId, letsGo, identity: whose } = situation;
  if (look !== unmarked || recordedId !== "vm-1" || letsGo !== undefined || whose?.launch === undefined) return;
  const step = decide(situation);
  assert.ok(step.do !== "launch" && (step.do !== "release" || situation.isVoid));
  if (step.do === "tell" && step.verdict.is === "lost") assert.ok(situation.isLost);
});

always("a machine is let go of only where somebody asked for it", (situation) => {
  const { isDeleting, letsGo } = situation;
  if (decide(situation).do === "let-go") assert.ok(isDeleting && (letsGo === "abandon" || letsGo === "Retain"));
});

always("no machine is deleted with its request where it is unclear whether it was to be kept", (situation) => {
  if (situation.isDeleting && situation.letsGo === "unclear") assert.notEqual(decide(situation).do, "delete");
});
