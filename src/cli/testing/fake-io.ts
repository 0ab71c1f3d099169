// SPDX-License-Identifier: Apache-2.0
import type { Io } from "../io.ts";

/** An `Io` that keeps what was written, for tests. */
export interface FakeIo extends Io {
  output: string;
  complaints: string;
}

/** Makes an `Io` that reads and writes nothing outside the process but files. */
export function fakeIo({ directory = "/", home = "/", stdin = "", hasColour = false } = {}): FakeIo {
  const io: FakeIo = {
    output: "",
    complaints: "",
    write: (text) => {
      io.output += text;
    },
    complain: (text) => {
      io.complaints += text;
    },
    readStdin: async () => Buffer.from(stdin),
    directory,
    home,
    environment: {},
    untilTold: async () => {},
    isTerminal: false,
    hasColour,
    version: () => "1.2.3",
  };
  return io;
}
