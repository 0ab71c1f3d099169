// SPDX-License-Identifier: Apache-2.0

const NEWLINE = 10;

/** Cuts a stream of bytes into lines. */
export interface LineSplitter {
  /** Calls back for each line that is complete now, in order, without the newline; empty lines are left out. */
  push(chunk: Buffer): void;
  /** Whether something came after the last newline. */
  readonly hasRest: boolean;
}

/**
 * A splitter that looks at each byte once and copies a line only where it spans chunks, however many those are. A chunk may end
 * anywhere, inside a character too. Throws where a line grows past the limit: the sender would fill the memory.
 */
export function createLineSplitter(onLine: (line: string) => void, limitBytes = 64 * 1024 * 1024): LineSplitter {
  let pieces: Buffer[] = [];
  let held = 0;
  const emit = (line: string) => {
    if (line !== "" && line !== "\r") onLine(line);
  };
  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        if (held === 0) emit(chunk.toString("utf8", start, end));
        else {
          pieces.push(chunk.subarray(start, end));
          const line = Buffer.concat(pieces, held + end - start).toString("utf8");
          pieces = [];
          held = 0;
          emit(line);
        }
        start = end + 1;
      }
      if (start === chunk.length) return;
      pieces.push(start === 0 ? chunk : chunk.subarray(start));
      held += chunk.length - start;
      if (held > limitBytes) throw new RangeError(`a line is longer than ${limitBytes} bytes`);
    },
    get hasRest() {
      return held > 0;
    },
  };
}
