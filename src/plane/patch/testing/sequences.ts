// SPDX-License-Identifier: Apache-2.0
import type { Sequence } from "./sequence.ts";
import { applySequences } from "./sequences-apply.ts";
import { builtInSequences } from "./sequences-built-in.ts";
import { refusedSequences } from "./sequences-refused.ts";
import { updateSequences } from "./sequences-update.ts";

/** All written sequences. Their outcomes on a real server are in `outcomes.json`. */
export const writtenSequences: readonly Sequence[] = [
  ...applySequences,
  ...updateSequences,
  ...refusedSequences,
  ...builtInSequences,
];
