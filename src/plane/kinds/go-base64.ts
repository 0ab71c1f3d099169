// SPDX-License-Identifier: Apache-2.0

const PAD = "=";

/** Whether the server's decoder ignores a character: line ends. */
function isBreak(character: string | undefined): boolean {
  return character === "\n" || character === "\r";
}

/** Where text stops being base64 as Go reads it, as an index into its bytes; undefined when it is base64. */
export function base64Fault(text: string): number | undefined {
  const bytes = Buffer.from(text).toString("latin1");
  let at = 0;
  for (;;) {
    let filled = 0;
    while (filled < 4) {
      if (at === bytes.length) return filled === 0 ? undefined : at - filled;
      const character = bytes[at] ?? "";
      at += 1;
      if (/[A-Za-z0-9+/]/.test(character)) filled += 1;
      else if (character === PAD) return paddingFault(bytes, at, filled);
      else if (!isBreak(character)) return at - 1;
    }
  }
}

/** What follows the first padding character: at most another one, then nothing. */
function paddingFault(bytes: string, start: number, filled: number): number | undefined {
  let at = start;
  const skipBreaks = () => {
    while (isBreak(bytes[at])) at += 1;
  };
  if (filled < 2) return at - 1;
  if (filled === 2) {
    skipBreaks();
    if (at === bytes.length) return at;
    if (bytes[at] !== PAD) return at - 1;
    at += 1;
  }
  skipBreaks();
  return at < bytes.length ? at : undefined;
}

/** Base64 text as Go writes what it read. The text must have no fault. */
export function canonicalBase64(text: string): string {
  return Buffer.from(text.replace(/[\r\n]/g, ""), "base64").toString("base64");
}
