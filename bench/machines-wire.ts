// SPDX-License-Identifier: Apache-2.0
import { Client, Pool } from "undici";
import type { TextSource } from "../src/kube/client/cluster-config.ts";
import { loadKubeconfig } from "../src/kube/index.ts";

/** As many at a time as the manager has connections to one server. */
export const LANES = 16;

/** An object as far as the bench looks at it. */
export interface Seen {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
  };
  readonly spec?: object;
  readonly status?: Readonly<Record<string, unknown>>;
}

/** Requests with nothing around them: what they cost is undici's own. */
export interface Wire {
  /** Throws where it is refused. */
  send(method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: object | string): Promise<Seen>;
  /** The body of an answer, as it is. */
  text(path: string): Promise<string>;
  /** Tells of every object that there is and of every change. Resolves when the server has begun to tell. */
  watch(path: string, tell: (type: string, object: Seen) => void): Promise<void>;
  close(): Promise<void>;
}

/** Opens connections to the server that a kubeconfig names. */
export function openWire(kubeconfig: string): Wire {
  const { server, ca, credentials: { certificate, key, token } = {} } = loadKubeconfig({ text: kubeconfig });
  const connect = {
    ...(ca === undefined ? {} : { ca: textOf(ca) }),
    ...(certificate === undefined ? {} : { cert: textOf(certificate) }),
    ...(key === undefined ? {} : { key: textOf(key) }),
  };
  const pool = new Pool(server, { connections: LANES, pipelining: 1, connect });
  const watches: Client[] = [];
  const always = { accept: "application/json", ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  return {
    async send(method, path, body) {
      const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
      const headers = text === undefined ? always : { ...always, "content-type": typeOf(method, text) };
      const answer = await pool.request({ method, path, headers, body: text ?? null });
      const read = await answer.body.text();
      if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${read}`);
      return JSON.parse(read);
    },
    text: async (path) => (await pool.request({ method: "GET", path, headers: always })).body.text(),
    async watch(path, tell) {
      const client = new Client(server, { connect, bodyTimeout: 0 });
      watches.push(client);
      await follow({ client, headers: always, path: `${path}${path.includes("?") ? "&" : "?"}watch=1` }, tell);
    },
    close: async () => void (await Promise.all([pool.destroy(), ...watches.map((client) => client.destroy())])),
  };
}

interface Followed {
  readonly client: Client;
  readonly headers: Readonly<Record<string, string>>;
  readonly path: string;
}

/** Resolves when the server has begun to tell. One that ends the watch, as it does with those who are slow, is asked to go on. */
async function follow(followed: Followed, tell: (type: string, object: Seen) => void, since = 0): Promise<void> {
  const { client, headers, path } = followed;
  const from = since === 0 ? "" : `&resourceVersion=${since}`;
  const { body, statusCode } = await client.request({ method: "GET", path: `${path}${from}`, headers });
  if (statusCode !== 200) throw new Error(`${path}${from}: ${statusCode} ${await body.text()}`);
  let last = since;
  let rest = "";
  body.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const { type, object } = JSON.parse(line);
      if (type === "ERROR") throw new Error(`${path}${from}: ${line}`);
      last = Math.max(last, Number(object.metadata.resourceVersion));
      tell(type, object);
    }
  });
  body.on("error", () => {});
  body.on("close", () => {
    if (!client.closed && !client.destroyed) void follow(followed, tell, last);
  });
}

function textOf(source: TextSource): string {
  if ("text" in source) return source.text;
  throw new Error("a kubeconfig of the bench has everything in it");
}

function typeOf(method: string, text: string): string {
  if (method !== "PATCH") return "application/json";
  return text.startsWith("[") ? "application/json-patch+json" : "application/merge-patch+json";
}

/** Lets so many run at a time, in the order they came. */
export function createLanes(count = LANES) {
  const waiting: (() => void)[] = [];
  let free = count;
  return async <T>(run: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
