// SPDX-License-Identifier: Apache-2.0
import { quote } from "../../schema/go-text.ts";

/**
 * What a refused patch is answered with: 400, 422 with the words of a general refusal, 422 with a cause, 409, 413, and for
 * `internal` 500 without a reason, which is how kube-apiserver answers some patches that are the client's fault.
 */
export type PatchErrorReason = "badRequest" | "unprocessable" | "invalid" | "conflict" | "tooLarge" | "internal";

/** One cause, as a Status carries it in its details. */
export interface PatchCause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

/** A patch that cannot be carried out. The message is what the server says; of a 413 without the words all of them begin with. */
export class PatchError extends Error {
  readonly reason: PatchErrorReason;
  readonly causes: readonly PatchCause[];
  constructor(reason: PatchErrorReason, message: string, causes: readonly PatchCause[] = []) {
    super(message);
    this.name = "PatchError";
    this.reason = reason;
    this.causes = causes;
  }
}

/** The server tells a client no more than this about a patch that does not fit the object. */
export function unprocessable(): PatchError {
  return new PatchError("unprocessable", "the server rejected our request due to an error in our request");
}

/** A patch whose outcome is no object; `outcome` is how the server would print it. */
export function invalidOutcome(outcome: string, words: string): PatchError {
  const message = `Invalid value: ${quote(outcome)}: ${words}`;
  return new PatchError("invalid", ` "" is invalid: patch: ${message}`, [
    { reason: "FieldValueInvalid", message, field: "patch" },
  ]);
}
