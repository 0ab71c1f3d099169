// SPDX-License-Identifier: Apache-2.0
import type { Mutant } from "./mutant.ts";

const CREATE_VM = "infrastructure POST .*/virtualmachines$";

/** Engines that do not reckon with calls that take effect late. */
export const LATE_MUTANTS: readonly Mutant[] = [
  {
    name: "stale launch used",
    breaks: "a create call is sent for a launch that took a minute to be written down, with its whole time limit",
    replacements: [
      {
        file: "src/engine/machine-launch.ts",
        from: "if (spentMs > FRESH_MS) {",
        to: "if (spentMs > Number.POSITIVE_INFINITY) {",
      },
      {
        file: "src/engine/machine-launch.ts",
        from: "const limitMs = place.provider.callLimitMs - spentMs;",
        to: "const limitMs = place.provider.callLimitMs;",
      },
    ],
    life: { at: CREATE_VM, fault: "late-cut", deletes: "before", launchHangs: true },
    rule: "leftover",
  },
  {
    name: "late margin forgotten",
    breaks: "a create call that was not answered is believed to have had its effect within its time limit",
    replacements: [{ file: "src/engine/situation.ts", from: "const LATE_MS = 60_000;", to: "const LATE_MS = 1_000;" }],
    life: { at: CREATE_VM, fault: "latest-cut", deletes: "before" },
    rule: "leftover",
  },
  {
    name: "doubt forgotten",
    breaks: "that an earlier create call was never answered is forgotten with the next one",
    replacements: [
      {
        file: "src/engine/machine-launch.ts",
        from: "doubt: isAnswered ? before.doubt : before.time,",
        to: "doubt: undefined,",
      },
    ],
    life: { at: CREATE_VM, fault: "late-cut", deletesLaterBy: 1 },
    rule: "leftover",
  },
];
