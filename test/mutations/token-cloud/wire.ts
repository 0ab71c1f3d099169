// SPDX-License-Identifier: Apache-2.0
import type { Mark } from "../../../src/engine/provider.ts";

/** A machine as the cloud tells of it. */
export interface CloudMachine {
  readonly id: string;
  readonly name: string;
  readonly mark: Mark | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly cpu: number;
  readonly memoryMb: number;
  readonly state: "pending" | "running" | "stopped" | "deleting";
  readonly addresses: readonly string[];
}

/** What a machine is made from. The same token makes no second one. */
export interface CloudWish {
  readonly token: string;
  readonly name: string;
  readonly mark: Mark;
  readonly labels: Readonly<Record<string, string>>;
  readonly cpu: number;
  readonly memoryMb: number;
}

/** For so long a new machine is in no list. */
export const LAG_MS = 10_000;
