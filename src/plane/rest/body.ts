// SPDX-License-Identifier: Apache-2.0
import type { LostNumbers } from "./json-numbers.ts";

/** What a text says, before any schema has seen it. */
export interface BodyValue {
  readonly value: unknown;
  /** What strict decoding objects to, such as keys given twice. */
  readonly strictErrors: readonly string[];
  /** Numbers that the value does not hold as they were written. */
  readonly lostNumbers: LostNumbers;
}

/** A body that is no JSON or YAML at all. The message is the decoder's; `summary` the beginning of the body. */
export class BodyError extends Error {
  readonly summary: string;
  constructor(message: string, summary: string) {
    super(message);
    this.summary = summary;
  }
}
