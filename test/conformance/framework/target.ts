// SPDX-License-Identifier: Apache-2.0
import { createHash } from "node:crypto";
import { type Client, connect } from "./client.ts";
import { installCrds } from "./install-crds.ts";
import { normalise } from "./normalise.ts";
import { eventOf, exchangeOf, requestLine } from "./recorder.ts";
import type { Answer, Caller, Case, Endpoint, Exchange, Requester, Suite, Target, Transcript } from "./types.ts";
import { waitFor } from "./wait.ts";
import { watchOf } from "./watch.ts";

/** Connections to one server, one per caller, shared by all cases. */
export interface Connections {
  readonly endpoint: Endpoint;
  as(caller: Caller | "admin"): Promise<Client>;
  close(): Promise<void>;
}

/** Opens nothing before it is needed. */
export function connections(endpoint: Endpoint): Connections {
  const clients = new Map<string, Promise<Client>>();
  return {
    endpoint,
    as(caller) {
      const key = JSON.stringify(caller);
      const client = clients.get(key) ?? connect(endpoint, caller);
      clients.set(key, client);
      return client;
    },
    async close() {
      for (const client of clients.values()) await (await client).close();
    },
  };
}

/** Runs one case in a namespace of its own and gives its transcript. Watches that it left open are closed. */
export async function runCase(connected: Connections, suite: Suite, testCase: Case): Promise<Transcript> {
  const id = createHash("sha256").update(`${suite.category} ${testCase.name}`).digest("hex").slice(0, 10);
  const namespace = `n${id}`;
  const group = `g${id}.example.com`;
  const exchanges: Exchange[] = [];
  const closers: (() => void)[] = [];
  const requester = (caller: Caller | "admin") => requesterOf(connected, { caller, exchanges, closers });
  const admin = requester("admin");
  const target: Target = {
    ...admin,
    namespace,
    group,
    core: (plural, name) => join(`/api/v1/namespaces/${namespace}/${plural}`, name),
    custom: (plural, name) => join(`/apis/${suite.group}/v1/namespaces/${namespace}/${plural}`, name),
    as: requester,
    until: async (check, what) => {
      await waitFor(what, async () => (await check()) || undefined);
    },
    installCrds: async (crds) => installCrds(await connected.as("admin"), crds),
    compact: () => connected.endpoint.compact(),
  };
  try {
    await admin.prepare("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
    await testCase.run(target);
  } finally {
    for (const close of closers) close();
  }
  const names = { [namespace]: "{namespace}", [group]: "{group}" };
  const transcript = normalise(exchanges, { names, managedFields: suite.managedFields ?? false });
  return JSON.parse(JSON.stringify(transcript)) as Transcript;
}

interface RequesterOptions {
  readonly caller: Caller | "admin";
  readonly exchanges: Exchange[];
  readonly closers: (() => void)[];
}

function requesterOf(connected: Connections, { caller, exchanges, closers }: RequesterOptions): Requester {
  const callerName = nameOf(caller);
  const send: Requester["request"] = async (method, path, body, options) =>
    (await connected.as(caller)).request(method, path, body, options);
  const record = (method: string, path: string, options: object, answer: Answer) => {
    exchanges.push(exchangeOf({ method, path, caller: callerName, options }, answer));
    return answer;
  };
  return {
    request: async (method, path, body, options = {}) =>
      record(method, path, options, await send(method, path, body, options)),
    async eventually(path, check, options = {}) {
      let last: Answer | undefined;
      const wanted = async () => {
        last = await send("GET", path, undefined, options);
        return check(last) ? last : undefined;
      };
      const answer = await waitFor(`GET ${path}`, wanted).catch((error: Error) => {
        throw new Error(`${error.message}; last answer: ${last?.status} ${last?.text}`);
      });
      return record("GET", path, options, answer);
    },
    async prepare(method, path, body, options) {
      const answer = await send(method, path, body, options);
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      return answer.body;
    },
    async watch(path, { name, quiet = false, ...options } = {}) {
      const stream = await (await connected.as(caller)).stream(path, options);
      closers.push(stream.close);
      const asked = { method: "GET", path, caller: callerName, options };
      if (stream.status !== 200)
        throw new Error(`${requestLine(asked)}: ${stream.status}; use request for a refused watch`);
      exchanges.push({
        request: requestLine(asked),
        ...(name !== undefined && { watch: name }),
        status: stream.status,
      });
      return watchOf(stream, (event) => {
        if (quiet) return;
        exchanges.push(
          event === undefined ? { event: "END", ...(name !== undefined && { watch: name }) } : eventOf(event, name),
        );
      });
    },
  };
}

function nameOf(caller: Caller | "admin"): string | undefined {
  if (caller === "admin") return undefined;
  if (caller === "anonymous") return caller;
  return "user" in caller ? caller.user : caller.name;
}

function join(path: string, name: string | undefined): string {
  return name === undefined ? path : `${path}/${name}`;
}
