// SPDX-License-Identifier: Apache-2.0
import { quote } from "../schema/go-text.ts";
import type { Problem } from "../schema/index.ts";

/** One of several causes of a failure. */
export interface StatusCause {
  readonly reason?: string;
  readonly message: string;
  readonly field?: string;
}

/** The Kubernetes answer to what did not work (and, for deletes, to what did). */
export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly status: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code: number;
}

/** What a Status is about, and why. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** What names a resource in messages: a `ResourceType` or less. */
export interface ResourceName {
  readonly group: string;
  readonly plural: string;
}

/** What names a kind in messages. */
export interface KindName {
  readonly group: string;
  readonly kind: string;
}

/** A request that cannot be fulfilled, with the whole answer. The message is the Status' own. */
export class StatusError extends Error {
  readonly status: Status;
  /** Sent along with the refusal. */
  readonly warnings: readonly string[];
  constructor(status: Status, warnings: readonly string[] = []) {
    super(status.message);
    this.name = "StatusError";
    this.status = status;
    this.warnings = warnings;
  }
}

/** The same error with what was to be warned of before it happened; anything else as it is. */
export function withWarnings(error: unknown, warnings: readonly string[]): unknown {
  return error instanceof StatusError && warnings.length > 0 ? new StatusError(error.status, warnings) : error;
}

interface Failure {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: StatusDetails;
}

/** How much is said of what is wrong. A body can have very many faults, and the answer must not be many times its size. */
const MAX_MESSAGE_CHARS = 512 * 1024;

/** A failure of any code and reason. Details that are empty are left out, as in Go's JSON. */
export function failure({ code, reason, message, details }: Failure): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: message.length > MAX_MESSAGE_CHARS ? `${message.slice(0, MAX_MESSAGE_CHARS)}...` : message,
    ...(reason === "" ? {} : { reason }),
    ...(details === undefined ? {} : { details: withoutEmpty(boundedCauses(details)) }),
    code,
  });
}

function boundedCauses(details: StatusDetails): StatusDetails {
  return details.causes === undefined ? details : { ...details, causes: firstWithRoom(details.causes) };
}

/** The first faults, as many as have room, and at least one. */
function firstWithRoom<T extends StatusCause>(faults: readonly T[]): readonly T[] {
  let chars = 0;
  const end = faults.findIndex(({ message, field = "" }, at) => {
    chars += message.length + field.length;
    return at > 0 && chars > MAX_MESSAGE_CHARS;
  });
  return end === -1 ? faults : faults.slice(0, end);
}

/** The answer to a delete that left nothing behind. */
export function success(details: StatusDetails): Omit<Status, "code"> {
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details: withoutEmpty(details) };
}

function withoutEmpty(details: StatusDetails): StatusDetails {
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== "" && value !== 0));
}

/** `pods` or `deployments.apps`. */
export function qualified({ group, plural }: ResourceName): string {
  return group === "" ? plural : `${plural}.${group}`;
}

function qualifiedKind({ group, kind }: KindName): string {
  return group === "" ? kind : `${kind}.${group}`;
}

function detailsOf({ group, plural }: ResourceName, name: string): StatusDetails {
  return { name, group, kind: plural };
}

/** There is no such object. */
export function notFound(type: ResourceName, name: string): StatusError {
  const message = `${qualified(type)} ${quote(name)} not found`;
  return failure({ code: 404, reason: "NotFound", message, details: detailsOf(type, name) });
}

/** For paths that lead nowhere. */
export function noSuchResource(): StatusError {
  const message = "the server could not find the requested resource";
  return failure({ code: 404, reason: "NotFound", message, details: {} });
}

/** The name is taken. */
export function alreadyExists(type: ResourceName, name: string): StatusError {
  const message = `${qualified(type)} ${quote(name)} already exists`;
  return failure({ code: 409, reason: "AlreadyExists", message, details: detailsOf(type, name) });
}

/** No free name was found for `generateName`. */
export function generateNameConflict(type: ResourceName, name: string): StatusError {
  const message =
    `${qualified(type)} ${quote(name)} already exists, ` +
    "the server was not able to generate a unique name for the object";
  const details = { ...detailsOf(type, name), retryAfterSeconds: 1 };
  return failure({ code: 409, reason: "AlreadyExists", message, details });
}

/** The object is not what the request takes it for. */
export function conflict(type: ResourceName, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${qualified(type)} ${quote(name)}: ${why}`;
  return failure({ code: 409, reason: "Conflict", message, details: detailsOf(type, name) });
}

/** What a stale resourceVersion is answered with. */
export function staleVersion(type: ResourceName, name: string): StatusError {
  const why = "the object has been modified; please apply your changes to the latest version and try again";
  return conflict(type, name, why);
}

/** Conflicts of a server-side apply, each naming a field and who has it. */
export function applyConflict(message: string, causes: readonly StatusCause[]): StatusError {
  return failure({ code: 409, reason: "Conflict", message, details: { causes } });
}

/** The object breaks rules: one cause each. */
export function invalid(type: KindName, name: string, found: readonly Problem[]): StatusError {
  const problems = firstWithRoom(found);
  const lines = [...new Set(problems.map(({ field, message }) => `${field}: ${message}`))];
  const list = lines.length === 1 ? lines[0] : `[${lines.join(", ")}]`;
  const message = `${qualifiedKind(type)} ${quote(name)} is invalid${lines.length === 0 ? "" : `: ${list}`}`;
  const causes = problems.map(({ reason, message: words, field }) => ({ reason, message: words, field }));
  return failure({
    code: 422,
    reason: "Invalid",
    message,
    details: { name, group: type.group, kind: type.kind, causes },
  });
}

/** The request cannot be understood. */
export function badRequest(message: string): StatusError {
  return failure({ code: 400, reason: "BadRequest", message });
}

/** Refused by admission or authorization; without a name the resource alone is named. */
export function forbidden(type: ResourceName, name: string, why: string, causes?: readonly StatusCause[]): StatusError {
  const subject = name === "" ? qualified(type) : `${qualified(type)} ${quote(name)}`;
  const message = type.plural === "" ? `forbidden: ${why}` : `${subject} is forbidden: ${why}`;
  const details = { ...detailsOf(type, name), ...(causes === undefined ? {} : { causes }) };
  return failure({ code: 403, reason: "Forbidden", message, details });
}

/** The credentials are nobody's. */
export function unauthorized(): StatusError {
  return failure({ code: 401, reason: "Unauthorized", message: "Unauthorized" });
}

/** The history that was asked for is compacted. */
export function expired(message: string): StatusError {
  return failure({ code: 410, reason: "Expired", message });
}

/** The resource is there, its verb is not. */
export function methodNotAllowed(type?: ResourceName, action?: string): StatusError {
  if (type === undefined) {
    const message = "the server does not allow this method on the requested resource";
    return failure({ code: 405, reason: "MethodNotAllowed", message, details: {} });
  }
  const message = `${action} is not supported on resources of kind ${quote(qualified(type))}`;
  return failure({ code: 405, reason: "MethodNotAllowed", message, details: detailsOf(type, "") });
}

/** The body is of a type that is not read here. */
export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const list = accepted.join(", ");
  const message = `the body of the request was in an unknown format - accepted media types include: ${list}`;
  return failure({ code: 415, reason: "UnsupportedMediaType", message });
}

/** The client wants an answer of a type that is not written here. */
export function notAcceptable(accepted: readonly string[]): StatusError {
  const message = `only the following media types are accepted: ${accepted.join(", ")}`;
  return failure({ code: 406, reason: "NotAcceptable", message });
}

/** The request is larger than is read. */
export function tooLarge(why: string): StatusError {
  return failure({ code: 413, reason: "RequestEntityTooLarge", message: `Request entity too large: ${why}` });
}

/** There is no room for the request now; the client is told when to come again. */
export function tooManyRequests(why: string, retryAfterSeconds: number): StatusError {
  return failure({ code: 429, reason: "TooManyRequests", message: why, details: { retryAfterSeconds } });
}

/** A resourceVersion that does not exist yet was asked for: it is given as in the request, to the last digit. */
export function tooLargeResourceVersion(asked: string, current: number): StatusError {
  return failure({
    code: 504,
    reason: "Timeout",
    message: `Timeout: Too large resource version: ${BigInt(asked)}, current: ${current}`,
    details: {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    },
  });
}

/** A fault of ours; the words say nothing of the request's contents. */
export function internalError(message: string): StatusError {
  return failure({
    code: 500,
    reason: "InternalError",
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
  });
}

/** It cannot be done now. */
export function serviceUnavailable(message: string): StatusError {
  return failure({ code: 503, reason: "ServiceUnavailable", message });
}
