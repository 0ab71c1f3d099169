// SPDX-License-Identifier: Apache-2.0
import type { Answer, Exchange, JsonObject, RequestOptions, WatchEvent } from "./types.ts";

/** Headers that are promises to clients; the others are the server's own business. */
const HEADERS = ["retry-after", "www-authenticate", "allow"];

/** A request as a transcript names it. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  /** Undefined for the admin. */
  readonly caller?: string | undefined;
  readonly options: RequestOptions;
}

/** The request and its answer, as they came. */
export function exchangeOf(asked: Asked, answer: Answer): Exchange {
  const { status, warnings, body, text } = answer;
  const isFailure = body.kind === "Status" && body.status === "Failure";
  if (isFailure && asked.options.wordsAlone === true) return { request: requestLine(asked), message: body.message };
  return {
    request: requestLine(asked),
    status,
    ...(isFailure && wordsOf(failureOf(body), asked.options)),
    ...(warnings.length > 0 && { warnings }),
    ...headersOf(answer),
    ...(!isFailure && contentOf(answer, asked.options)),
    ...(isFailure && text === "" && { text }),
  };
}

/** An event as it came; a failure in the stream reads like one in an answer. */
export function eventOf({ type, object }: WatchEvent, watch?: string): Exchange {
  const isFailure = object.kind === "Status" && object.status === "Failure";
  return {
    event: type,
    ...(watch !== undefined && { watch }),
    ...(isFailure ? { status: Number(object.code), ...failureOf(object) } : { object }),
  };
}

/** Method, path, and whatever is not usual about the request. */
export function requestLine({ method, path, caller, options }: Asked): string {
  const { contentType, accept, headers } = options;
  return [
    `${method} ${readable(path)}`,
    ...(contentType === undefined ? [] : [`(${contentType})`]),
    ...(accept === undefined ? [] : [`(accept: ${accept})`]),
    ...Object.entries(headers ?? {}).map(([name, value]) => `(${name}: ${value})`),
    ...(caller === undefined ? [] : [`as ${caller}`]),
  ].join(" ");
}

/** Paths as people write them. */
function readable(path: string): string {
  try {
    return decodeURIComponent(path.replaceAll("+", " "));
  } catch {
    return path;
  }
}

function failureOf({ reason, message, details }: JsonObject): Exchange {
  const { causes, ...rest } = (details ?? {}) as { causes?: JsonObject[] };
  return {
    ...(reason !== undefined && { reason }),
    message,
    ...(Object.keys(rest).length > 0 && { details: rest }),
    ...(causes !== undefined && { causes }),
  };
}

/** The failure without its words where they do not matter. */
function wordsOf({ message, causes, ...failure }: Exchange, { words }: RequestOptions): Exchange {
  if (words === false)
    return { ...failure, ...(causes && { causes: causes.map(({ message: _, ...cause }) => cause) }) };
  return { ...failure, message, ...(causes && { causes }) };
}

function contentOf({ headers, body, text }: Answer, { show }: RequestOptions): Exchange {
  if (show !== undefined) return { object: show(body) };
  return /^application\/json/.test(String(headers["content-type"])) ? { object: body } : { text };
}

function headersOf({ headers }: Answer): Exchange {
  const kept = HEADERS.filter((name) => headers[name] !== undefined).map((name) => [name, headers[name]] as const);
  const type = String(headers["content-type"] ?? "none");
  const all = [...(type === "application/json" ? [] : [["content-type", type] as const]), ...kept];
  return all.length > 0 ? { headers: Object.fromEntries(all) } : {};
}
