// SPDX-License-Identifier: Apache-2.0
import { ENGINE_MUTANTS } from "./engine-mutants.ts";
import { LATE_MUTANTS } from "./late-mutants.ts";
import type { Mutant } from "./mutant.ts";
import { PEOPLE_MUTANTS } from "./people-mutants.ts";
import { PROVIDER_MUTANTS } from "./provider-mutants.ts";

/** Every mutant there is. One that survives is a hole in the sweep, never one too many here. */
export const MUTANTS: readonly Mutant[] = [...ENGINE_MUTANTS, ...LATE_MUTANTS, ...PEOPLE_MUTANTS, ...PROVIDER_MUTANTS];
