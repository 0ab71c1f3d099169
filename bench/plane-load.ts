// SPDX-License-Identifier: Apache-2.0
import { createInterface } from "node:readline";
import { Client, Pool } from "undici";
import { type LoadAnswer, type LoadRequest, type Target, WIDGETS_PATH, widget } from "./plane-widgets.ts";

/**
 * Puts load on one server at a time, in a process of its own so that it takes no time from whoever measures. Reads a
 * request per line and writes an answer per line.
 */
for await (const line of createInterface({ input: process.stdin })) {
  const request: LoadRequest = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(await perform(request))}\n`);
}

async function perform(request: LoadRequest): Promise<LoadAnswer> {
  if (request.operation === "fan-out") return fanOut(request);
  const pool = new Pool(request.target.url, {
    connections: request.clients,
    pipelining: 1,
    connect: connectOf(request.target),
  });
  try {
    // Connections are made beforehand: handshakes are not what is measured.
    const greet = () => send(pool, { method: "GET", path: "/readyz" });
    await Promise.all(Array.from({ length: request.clients }, greet));
    return await repeat(request, (client, count) => once(pool, request, { client, count }));
  } finally {
    await pool.close();
  }
}

function connectOf({ ca, certificate, key }: Target) {
  return { ca, cert: certificate, key };
}

/** Does the same with so many clients until the time is over or enough is done, each waiting for its answer. */
async function repeat(
  { clients, ms, most = Number.POSITIVE_INFINITY }: LoadRequest,
  act: (client: number, count: number) => Promise<void>,
): Promise<LoadAnswer> {
  const times: number[] = [];
  const started = performance.now();
  let begun = 0;
  const run = async (client: number) => {
    while (performance.now() - started < ms && begun < most) {
      begun += 1;
      const before = performance.now();
      await act(client, begun);
      times.push(performance.now() - before);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => run(client)));
  return { perSecond: (times.length / (performance.now() - started)) * 1000, ...quantiles(times) };
}

function quantiles(times: number[]): Pick<LoadAnswer, "p50" | "p99"> {
  times.sort((one, other) => one - other);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

async function once(
  pool: Pool,
  request: LoadRequest,
  { client, count }: { client: number; count: number },
): Promise<void> {
  const { operation, mark } = request;
  const path = WIDGETS_PATH(request.namespace);
  switch (operation) {
    case "create":
      return send(pool, { method: "POST", path, body: widget(`${mark}-${client}-${count}`, count) });
    case "get":
      return send(pool, { method: "GET", path: `${path}/${nameOf(request, count)}` });
    case "list":
      return send(pool, { method: "GET", path });
    case "status patch": {
      const body = { status: { phase: `${mark}-${count}`, observed: count } };
      const type = "application/merge-patch+json";
      return send(pool, { method: "PATCH", path: `${path}/${nameOf(request, client)}/status`, body, type });
    }
    case "apply": {
      const name = nameOf(request, client);
      const query = "fieldManager=bench-apply&force=true";
      const type = "application/apply-patch+yaml";
      return send(pool, { method: "PATCH", path: `${path}/${name}?${query}`, body: widget(name, count), type });
    }
  }
}

/** One of those that `create` made. */
function nameOf({ names }: LoadRequest, at: number): string {
  return names[at % names.length] ?? "";
}

interface Sent {
  readonly method: "GET" | "POST" | "PATCH";
  readonly path: string;
  readonly body?: unknown;
  readonly type?: string;
}

async function send(pool: Pool, { method, path, body, type = "application/json" }: Sent): Promise<void> {
  const answer = await pool.request({
    method,
    path,
    headers: { accept: "application/json", ...(body === undefined ? {} : { "content-type": type }) },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const bytes = await answer.body.bytes();
  if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${Buffer.from(bytes)}`);
}

/** One writes, a hundred watch: the time of a write is until the last of them has heard of it. */
async function fanOut(request: LoadRequest): Promise<LoadAnswer> {
  const { target, namespace, clients } = request;
  const path = `${WIDGETS_PATH(namespace)}?watch=1`;
  let heard = 0;
  let whenHeard = () => {};
  const watchers = Array.from(
    { length: clients },
    () => new Client(target.url, { connect: connectOf(target), bodyTimeout: 0 }),
  );
  const pool = new Pool(target.url, { connections: 1, connect: connectOf(target) });
  const expectHeard = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    heard = 0;
    whenHeard = () => (heard >= clients ? resolve() : undefined);
    return promise;
  };
  // The one object that is there is told to each of them first.
  const initial = expectHeard();
  const streams = await Promise.all(watchers.map((client) => client.request({ method: "GET", path })));
  for (const { body } of streams) {
    body.on("data", (chunk: Buffer) => {
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) heard += 1;
      whenHeard();
    });
    body.on("error", () => {});
  }
  try {
    await initial;
    return await repeat({ ...request, clients: 1 }, async (_, count) => {
      const all = expectHeard();
      await once(pool, { ...request, operation: "status patch" }, { client: 0, count });
      await all;
    });
  } finally {
    await Promise.all([...watchers.map((client) => client.destroy()), pool.close()]);
  }
}
