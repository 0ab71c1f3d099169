// SPDX-License-Identifier: Apache-2.0
import type { ErrorKind } from "./provider.ts";

/** What a `ProviderError` is made of. */
export interface ProviderErrorParts {
  readonly kind: ErrorKind;
  /** One CamelCase word for the status: `ImageNotFound`, `QuotaExceeded`. */
  readonly reason: string;
  /** What, which, why, what to do; values quoted, one line, no secrets. */
  readonly message: string;
  /** The infrastructure's own code. */
  readonly code?: string | undefined;
  /** The infrastructure's own id of the request. */
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  /** Whether the call may have had its effect all the same. Left out: true for `unavailable` and `internal`, else false. */
  readonly mayHaveActed?: boolean;
  readonly cause?: unknown;
}

/** Why an infrastructure did not do what was asked, named after what happens next. The same text for the same problem; no secrets. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly kind: ErrorKind;
  readonly reason: string;
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly mayHaveActed: boolean;

  constructor({ kind, reason, message, code, requestId, retryAfterMs, mayHaveActed, cause }: ProviderErrorParts) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.reason = reason;
    this.code = code;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
    this.mayHaveActed = mayHaveActed ?? (kind === "unavailable" || kind === "internal");
  }
}
