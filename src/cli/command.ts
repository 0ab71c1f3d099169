// SPDX-License-Identifier: Apache-2.0
import type { Io } from "./io.ts";

/** The programs this package has. */
export type ProgramName = "butleradm" | "butlerctl";

/** What a command gets of its command line, already checked against its entry in the table. */
export interface Input {
  program: ProgramName;
  arguments: readonly string[];
  /** Every command of the program, for those that tell about the others. */
  commands: readonly CommandEntry[];
  /** By the flag's name without dashes; undefined when not given, `"true"` for one that takes no value. */
  options: Readonly<Record<string, string | undefined>>;
}

/** Does what the command is for and gives the exit code. */
export type Run = (io: Io, input: Input) => Promise<number>;

/**
 * The values an argument or option takes, for completion and for refusing others; `files` stands for paths, `text` for
 * what nobody can complete and the command checks itself.
 */
export type Values = "files" | "text" | readonly string[] | (() => Promise<readonly string[]>);

/** A word, or words, after the command. */
export interface ArgumentEntry {
  name: string;
  summary: string;
  isRepeatable?: boolean;
  values: Values;
}

/** An option that takes a value. */
export interface ValueOption {
  name: string;
  letter?: string;
  valueName: string;
  summary: string;
  values: Values;
}

/** An option that is there or not. */
export interface FlagOption {
  name: string;
  letter?: string;
  summary: string;
}

/** An option of a command. */
export type OptionEntry = ValueOption | FlagOption;

/** Whether the option takes a value. */
export function takesValue(option: OptionEntry): option is ValueOption {
  return "valueName" in option;
}

/** A line that works as it stands, and what it does. */
export interface Example {
  line: string;
  explains: string;
}

/** One command: all that help, parsing and completion need, and where its code is. */
export interface CommandEntry {
  name: string;
  programs: readonly ProgramName[];
  summary: string;
  details: string;
  arguments: readonly ArgumentEntry[];
  options: readonly OptionEntry[];
  /** `PROGRAM` stands for the program's name. */
  examples: readonly Example[];
  load(): Promise<{ run: Run }>;
}
