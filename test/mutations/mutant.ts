// SPDX-License-Identifier: Apache-2.0
import type { Violation } from "../../src/engine/testing/sweep/oracle.ts";

/** A piece of the product's source text, which must stand in the file exactly once, and what stands there instead. */
export interface Replacement {
  /** Below the repository's root. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Which infrastructure a life is lived on, and with which rights. */
export type StageName = "harvester" | "harvester with basic rights" | "token cloud";

interface LifeOn {
  /** Harvester unless told otherwise. */
  readonly on?: StageName;
}

/** A request of the life at which something happens. */
interface Place extends LifeOn {
  /** A pattern that it fits, as `infrastructure POST /apis/...`. */
  readonly at: string;
  /** Which of several; the first unless told otherwise, counted from the end where negative. */
  readonly nth?: number;
}

/** A life that the sweep plans: a fault, a deletion of the MachineRequest, or both at once. */
export interface SweptLife extends Place {
  readonly fault?: string;
  /** Whether the manager is killed after the fault, and another started. */
  readonly restarts?: boolean;
  /** Just before the request is sent, or just before its answer comes. */
  readonly deletes?: "before" | "after";
  /** At which of the next requests to the same side the MachineRequest is deleted instead, just before its answer comes. */
  readonly deletesLaterBy?: number;
  /** Whether the write to Kubernetes before it hangs. */
  readonly launchHangs?: boolean;
}

/** A life in which people or outsiders do something: a scenario of the sweep, by its name. */
export interface PlayedLife extends Place {
  readonly scenario: string;
}

/** A life that nothing disturbs. */
export interface QuietLife extends LifeOn {
  readonly undisturbed: true;
}

/** A life that shows what is broken. */
export type MutantLife = SweptLife | PlayedLife | QuietLife;

/** A product with a part that is deliberately broken. */
export interface Mutant {
  readonly name: string;
  /** What it does wrong, in one sentence. */
  readonly breaks: string;
  readonly replacements: readonly Replacement[];
  /** The life that shows it. */
  readonly life: MutantLife;
  /** What the oracle calls it. */
  readonly rule: Violation["kind"];
}
