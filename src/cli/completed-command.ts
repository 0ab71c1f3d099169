// SPDX-License-Identifier: Apache-2.0

/** A place where a value is typed, with the values it may have written out. */
export interface CompletedValue {
  /** What a user sees of it: `KIND`, `FILE`. */
  name: string;
  summary: string;
  values: "files" | readonly string[];
}

/** An option and the value it takes, if it takes one. */
export interface CompletedOption {
  long: string;
  letter: string | undefined;
  summary: string;
  value: CompletedValue | undefined;
}

/** A command as a completion script needs it. */
export interface CompletedCommand {
  name: string;
  summary: string;
  argument: CompletedValue | undefined;
  isRepeatable: boolean;
  options: readonly CompletedOption[];
}
