// SPDX-License-Identifier: Apache-2.0

/** One detail of a refusal: which field, and what is wrong with it. */
export interface ErrorCause {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

/** What an `ApiError` is made of. */
export interface ApiErrorParts {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
  readonly causes?: readonly ErrorCause[];
  readonly retryAfterMs?: number | undefined;
  readonly requestId?: string | undefined;
}

/**
 * The server understood the request and refused it, or could not do it; also an ERROR event of a watch. The message is the
 * server's own, in front of it what was asked for. It never has credentials in it.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** The HTTP status, or the `code` of the Status in a watch. */
  readonly status: number;
  /** The same number under the name that Status objects use. */
  readonly code: number;
  /** `NotFound`, `Conflict` and so on; empty where the answer did not come from an API server. */
  readonly reason: string;
  readonly causes: readonly ErrorCause[];
  /** How long the server asks to wait before the next try, where it does. */
  readonly retryAfterMs: number | undefined;
  /** Finds the request in the server's audit log and in ours. */
  readonly requestId: string | undefined;

  constructor({ status, reason, message, causes = [], retryAfterMs, requestId }: ApiErrorParts) {
    super(message);
    this.status = status;
    this.code = status;
    this.reason = reason;
    this.causes = causes;
    this.retryAfterMs = retryAfterMs;
    this.requestId = requestId;
  }
}

/** What a `ConnectionError` is made of. */
export interface ConnectionErrorParts {
  readonly message: string;
  readonly wasSent: boolean;
  readonly code: string;
  readonly requestId?: string | undefined;
  readonly cause?: unknown;
}

/** No answer, or none that can be read: refused, cut, too slow, not JSON. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /** False means: no try of the request had an effect. True means: one has left, and nobody knows whether it had one. */
  readonly wasSent: boolean;
  /** `ECONNREFUSED` and the like; `TIMEOUT` for a time limit, `BAD_ANSWER` for an answer that is not what an API server sends. */
  readonly code: string;
  readonly requestId: string | undefined;

  constructor({ message, wasSent, code, requestId, cause }: ConnectionErrorParts) {
    super(message, cause === undefined ? undefined : { cause });
    this.wasSent = wasSent;
    this.code = code;
    this.requestId = requestId;
  }
}

/** The credentials or the cluster's address cannot be had: a bad kubeconfig, a missing file, a plug-in that failed. No secrets in it. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** This process is not, or no longer, the leader: what was about to start did not start, what was about to be sent was not sent. */
export class LostLeadershipError extends Error {
  override readonly name = "LostLeadershipError";
}

/** The object, or the resource itself, does not exist. */
export function isNotFound(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 404;
}

/** The object has changed since it was read, or a field belongs to another manager. Not: it exists already. */
export function isConflict(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 409 && error.reason !== "AlreadyExists";
}

/** An object of that name is there already. */
export function isAlreadyExists(error: unknown): error is ApiError {
  return error instanceof ApiError && error.reason === "AlreadyExists";
}

/** The resourceVersion or the continue token is too old: list again. */
export function isGone(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 410 || error.reason === "Expired");
}

/** The user is known and may not do this. */
export function isForbidden(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 403;
}

/** The credentials are missing, wrong or expired. */
export function isUnauthorized(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 401;
}

/** The object breaks its schema or a rule; `causes` says where. */
export function isInvalid(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 422;
}

/** The request itself is malformed, or an unknown field was refused. */
export function isBadRequest(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 400;
}

/** The server has too much to do; nothing was done. `retryAfterMs` says when to come back, where it is known. */
export function isTooManyRequests(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 429;
}

/** A time limit of ours or of the server's ran out. Whether the request had an effect is unknown unless `wasSent` is false. */
export function isTimeout(error: unknown): error is ApiError | ConnectionError {
  if (error instanceof ConnectionError) return error.code === "TIMEOUT";
  return error instanceof ApiError && (error.status === 504 || error.reason === "ServerTimeout");
}

/** Passes by itself: broken connections, 429 and 5xx. Trying again later is the right thing to do. */
export function isTransient(error: unknown): error is ApiError | ConnectionError {
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && (error.status === 429 || error.status >= 500);
}
