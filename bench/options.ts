// SPDX-License-Identifier: Apache-2.0

/** What can be told a bench: a flag, or a number where there is one to begin with. */
export interface BenchOption {
  readonly about: string;
  readonly count?: number;
}

/** What it was told. */
export interface BenchValues {
  has(flag: string): boolean;
  count(option: string): number;
}

/** Measures, prints, and gives 0 when what was measured is within its limit, else 1. */
export type Bench = (values: BenchValues) => Promise<number>;
