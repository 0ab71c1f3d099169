// SPDX-License-Identifier: Apache-2.0
import type { Stage } from "./contract-stage.ts";

/** One rule of the contract between engine and providers. Its number is quoted in documents and reviews. */
export interface MachineRule {
  readonly number: string;
  /** What every provider promises. */
  readonly promise: string;
  /** Throws where the promise is broken. The stage is fresh. */
  readonly play: (stage: Stage) => Promise<void>;
}
