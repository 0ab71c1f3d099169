// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Dispatcher } from "undici";
import type { ChaosRequest } from "./chaos-script.ts";
import { relayEvents } from "./chaos-watch.ts";
import { type Answering, HOP_BY_HOP, nameOf, passedHeaders, pause, type Relay } from "./relay-parts.ts";

/** One request with what the script makes of it. Never rejects; where the server is not there the connection is cut. */
export async function relay(
  request: ChaosRequest,
  { incoming, outgoing }: { incoming: IncomingMessage; outgoing: ServerResponse },
  shared: Relay,
): Promise<void> {
  const gone = new AbortController();
  outgoing.on("close", () => gone.abort());
  const cut = () => void incoming.socket.destroy();
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const fault = shared.script.request?.(request);
    if (fault !== undefined) shared.count(`request ${nameOf(fault)}`);
    if (fault === "cut") return cut();
    if (fault === "hold") return;
    if (typeof fault === "object" && "status" in fault) return answerWith(fault, outgoing);
    if (typeof fault === "object") await pause(shared.clock, fault.delayMs, gone.signal);
    if (fault === "reorder") await shared.requests.overtaken(gone.signal);
    const ask = () => askServer(request, { incoming, body: Buffer.concat(chunks), signal: gone.signal, shared });
    const answer = await ask();
    // The first execution is the one whose answer gets lost, as when a middle box repeats a request.
    const last = fault === "duplicate" ? await repeat(answer, ask) : answer;
    const isStream = request.isWatch && last.statusCode === 200;
    if (isStream) shared.requests.passed();
    if (isStream) return await relayEvents(last, { request, outgoing, shared, cut });
    await relayAnswer(last, { request, outgoing, shared, cut, signal: gone.signal });
    shared.requests.passed();
  } catch {
    if (!gone.signal.aborted) shared.count("server unreachable");
    cut();
  }
}

async function repeat(first: Dispatcher.ResponseData, ask: () => Promise<Dispatcher.ResponseData>) {
  await first.body.dump();
  return ask();
}

interface Asking {
  readonly incoming: IncomingMessage;
  readonly body: Buffer;
  readonly signal: AbortSignal;
  readonly shared: Relay;
}

function askServer(request: ChaosRequest, { incoming, body, signal, shared }: Asking) {
  const headers: string[] = [];
  for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
    const name = (incoming.rawHeaders[at] ?? "").toLowerCase();
    if (!HOP_BY_HOP.has(name) && name !== "content-length") headers.push(name, incoming.rawHeaders[at + 1] ?? "");
  }
  const isDispatchMethod = (method: string): method is Dispatcher.HttpMethod => /^[A-Z]+$/.test(method);
  if (!isDispatchMethod(request.method)) throw new Error(`no method: ${request.method}`);
  return shared.server.request({
    origin: shared.origin,
    method: request.method,
    path: shared.prefix + request.path,
    headers,
    body: body.length === 0 ? null : body,
    signal,
  });
}

/** A refusal of our own, in an API server's words. */
function answerWith(
  { status, retryAfterSeconds }: { status: number; retryAfterSeconds?: number },
  outgoing: ServerResponse,
) {
  const reasons: Record<number, string> = {
    409: "Conflict",
    410: "Expired",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
    504: "Timeout",
  };
  const body = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "injected by the chaos proxy",
  };
  outgoing.writeHead(status, {
    "content-type": "application/json",
    ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }),
  });
  outgoing.end(JSON.stringify({ ...body, reason: reasons[status] ?? "Unknown", code: status }));
}

async function relayAnswer(
  answer: Dispatcher.ResponseData,
  { request, outgoing, shared, cut, signal }: Answering & { readonly signal: AbortSignal },
): Promise<void> {
  const body = Buffer.from(await answer.body.arrayBuffer());
  const fault = shared.script.response?.(request);
  if (fault !== undefined) shared.count(`response ${nameOf(fault)}`);
  if (fault === "cut") return cut();
  if (fault === "hold") return;
  if (typeof fault === "object") await pause(shared.clock, fault.delayMs, signal);
  if (fault === "reorder") await shared.responses.overtaken(signal);
  outgoing.writeHead(answer.statusCode, { ...passedHeaders(answer.headers), "content-length": body.length });
  if (fault === "truncate") {
    outgoing.write(body.subarray(0, Math.floor(body.length / 2)), cut);
    return;
  }
  outgoing.end(body);
  shared.responses.passed();
}
