// SPDX-License-Identifier: Apache-2.0

/** One call of kubectl and what is expected of it, besides that its output is the recorded one. */
export interface Step {
  /** The command line as one would type it; quotes are not removed inside words, '...' keeps a word together. */
  readonly run: string;
  /** What kubectl reads from its standard input. */
  readonly input?: string;
  /** 0 unless told otherwise. */
  readonly exit?: number;
  /** Run while the command watches: it is started, and once it watches these follow; then it has to end by itself. */
  readonly during?: readonly Step[];
  /** With `during`: the command does not end by itself, but is ended when it has written so many lines. */
  readonly lines?: number;
  /** Remembers the output, to be used as `{name}` in command lines that follow. */
  readonly keep?: string;
  /** Descriptions of fields are left out: ours are in our own words. */
  readonly wordless?: boolean;
  /** The real server has more kinds: every line of the plane's output has to be among the recorded ones. */
  readonly partly?: boolean;
}

/** Steps that build on each other, with a golden file of their own. They share a server with the other scenarios. */
export interface Scenario {
  /** Also the name of the golden file. */
  readonly name: string;
  readonly steps: readonly Step[];
}

/** A server kubectl can be pointed at. */
export interface Endpoint {
  readonly url: string;
  readonly ca: string;
  readonly admin: { readonly certificate: string; readonly key: string };
}

/** How one step went, in the words of the golden file. */
export interface Outcome {
  readonly exit: number | "ended";
  readonly stdout: string;
  readonly stderr: string;
}
