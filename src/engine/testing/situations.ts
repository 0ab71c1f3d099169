// SPDX-License-Identifier: Apache-2.0
import type { Identity, Launch } from "../identity.ts";
import type { MachineHave, MachineState, Mark } from "../provider.ts";
import type { Look, Situation } from "../situation.ts";

/** The moment of every situation. */
export const NOW = Date.UTC(2026, 0, 1);

/** A launch a second ago, the first of its attempt. */
export const launch: Launch = {
  time: new Date(NOW - 1_000).toISOString(),
  hash: "h",
  providerConfig: "butler-system/prod",
  place: "here",
  owner: "ns/web",
  name: "web",
  tries: 1,
};

/** The second attempt of a machine. */
export const identity: Identity = { machineId: "id", attempt: 2, launch };

/** The same while it is being replaced. */
export const ending: Identity = { ...identity, launch: { ...launch, isEnding: true } };

/** The mark of that machine. */
export const mark: Mark = { machineId: "id", installation: "i", attempt: 2, launch: "h", owner: "ns/web" };

/** That machine in this state. */
export const machine = (state: MachineState, more: Partial<MachineHave> = {}): MachineHave => ({
  name: "web",
  mark,
  providerId: state === "remains" ? undefined : "vm-1",
  state,
  addresses: state === "running" ? ["10.0.0.1"] : [],
  labels: {},
  ...more,
});

/** Nobody has looked. */
export const NOTHING: Look = { by: "nothing" };
/** A direct look has found nothing. */
export const ABSENT: Look = { by: "find" };
/** Seen in the picture. */
export const picture = (have: MachineHave): Look => ({ by: "picture", have });
/** Found by a direct look. */
export const found = (have: MachineHave): Look => ({ by: "find", have });
/** Something without a mark. */
export const STRANGER = { what: "VirtualMachine default/web" };
/** Its name is a stranger's. */
export const strange: Look = { by: "find", stranger: STRANGER };
/** Its id is on another request's machine. */
export const twin: Look = {
  by: "find",
  stranger: { what: "VirtualMachine default/web", mark: { ...mark, owner: "ns/other" } },
};

/** That very machine without a mark. */
export const unmarked: Extract<Look, { readonly by: "find" }> = {
  by: "find",
  stranger: { ...STRANGER, providerId: "vm-1" },
};
/** A machine of this request's under another id. */
export const kin: Look = {
  by: "find",
  stranger: { ...STRANGER, mark: { ...mark, machineId: "lost" } },
  kin: { ...mark, machineId: "lost" },
};

/** A request that was launched and held, not seen yet, at the place it was launched, with nothing looked at. */
export const usual: Situation = {
  now: NOW,
  isPaused: false,
  isDeleting: false,
  isHeld: true,
  letsGo: undefined,
  isRetryAsked: false,
  phase: "Pending",
  isLost: false,
  wasSeen: false,
  recordedId: undefined,
  identity,
  isLinked: true,
  isTargetLinked: true,
  isTargetSighted: true,
  isHomeUsable: true,
  isLaunchWhole: true,
  isVoid: false,
  isExpected: false,
  isPlaceSame: true,
  isEdited: false,
  isMovedAway: false,
  problems: [],
  look: NOTHING,
  labels: {},
  isAlignmentTried: false,
  isPictureWhole: true,
  isBlind: false,
  believableAt: NOW - 1,
  hasTriedCreate: false,
  isUnfinished: false,
  retryInMs: 0,
  nudgeInMs: Infinity,
  lookInMs: 0,
  sinceDeleteMs: undefined,
};

/** Not yet. */
export const LATER = NOW + 60_000;
