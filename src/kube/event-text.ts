// SPDX-License-Identifier: Apache-2.0

const LONGEST_NOTE_BYTES = 1024;
/** Leaves room for what makes the name of an event its own. */
const LONGEST_NAME = 230;

/** The note, cut to what servers take, which count bytes. */
export function cutNote(note: string): string {
  const bytes = Buffer.from(note);
  if (bytes.length <= LONGEST_NOTE_BYTES) return note;
  // A character that is cut in two is left out: the decoder keeps what may still become one to itself.
  return `${new TextDecoder().decode(bytes.subarray(0, LONGEST_NOTE_BYTES - 3), { stream: true })}...`;
}

/** The beginning of an event's name, by the rules for those: objects such as `system:node` have more freedom. */
export function eventBaseName(objectName: string): string {
  const words = objectName
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]+/g, "-")
    .slice(0, LONGEST_NAME)
    .split(".");
  const trimmed = words.map((word) => word.replace(/^-+/, "").replace(/(?<!-)-+$/, ""));
  return trimmed.filter((word) => word !== "").join(".") || "object";
}
