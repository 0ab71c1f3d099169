// SPDX-License-Identifier: Apache-2.0

/** Everything a command may know of the process it runs in. */
export interface Io {
  /** Writes results: what a script or the next program in a pipe wants. */
  write(text: string): void;
  /** Writes what is meant for people: summaries, complaints, hints. */
  complain(text: string): void;
  /** Reads standard input to its end. */
  readStdin(): Promise<Uint8Array>;
  /** What relative file names are relative to. */
  directory: string;
  /** The user's own folder. */
  home: string;
  /** The process's environment. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Resolves when the user or the system asks the process to end. From the call on, that alone no longer ends it. */
  untilTold(): Promise<void>;
  /** Whether results go to a terminal on which lines can be drawn anew. */
  isTerminal: boolean;
  /** Whether results go to a terminal that wants colours. */
  hasColour: boolean;
  /** The version of this package. */
  version(): string;
}

/** The exit codes of every command. */
export const exitCodes = { fine: 0, problems: 1, usage: 2 } as const;

/** The user asked for something that cannot be; the message says what, and what is possible. */
export class UsageError extends Error {}
