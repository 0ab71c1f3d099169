// SPDX-License-Identifier: Apache-2.0
import type { ProviderBlock } from "../api/provider-block.ts";
import type { Provider } from "./provider.ts";
import type { Simulator } from "./testing/simulator.ts";

/**
 * One line of the list of infrastructures: what the API knows about it, and where its code is. Nothing is loaded before it is needed;
 * one without `load` has settings only and cannot make machines yet.
 */
export interface ProviderEntry extends ProviderBlock {
  readonly load?: () => Promise<{ readonly provider: Provider }>;
  readonly simulator?: () => Promise<{ readonly simulator: Simulator }>;
}
