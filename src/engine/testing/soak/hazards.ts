// SPDX-License-Identifier: Apache-2.0
import type { RunningSimulator, SimulatedAccess } from "../simulator.ts";

/** What can happen to an infrastructure that every simulator does in its own way. */
export interface Hazards<Sim extends RunningSimulator = RunningSimulator> {
  /** Nobody gets an answer for so long, and watches break. */
  outage(sim: Sim, ms: number): void;
  /** No credentials that were given out so far are good any more. */
  expireCredentials(sim: Sim): void;
  renewCredentials(sim: Sim): SimulatedAccess;
  /** The watches under way end: in peace, by a break, or because they fell behind. */
  cutWatches(sim: Sim, how: "end" | "break" | "expire"): void;
  /** Somebody starts a machine that was stopped. */
  startMachine(sim: Sim, name: string): Promise<void>;
}
