// SPDX-License-Identifier: Apache-2.0
import type { HandlerRequest, HandlerResponse, HandlerTransport } from "../../client/handler-wire.ts";
import type { ConfigMap } from "../../core.ts";
import type { Clock } from "../../types.ts";

/** What may be done to a request instead of answering it. */
export type Interceptor = (request: {
  readonly method: string;
  readonly url: URL;
  readonly isWatch: boolean;
}) => HandlerResponse | "cut" | "hold" | undefined;

/** An API server for config maps alone that does, when told, what servers and networks do at their worst. */
export interface FakeApi {
  readonly transport: HandlerTransport;
  /** By `namespace/name`. */
  readonly objects: ReadonlyMap<string, ConfigMap>;
  readonly revision: number;
  /** Creates or changes an object; returns its version. */
  put(key: string, data: Record<string, string>): string;
  remove(key: string): void;
  /** Sends a bookmark on every watch. */
  bookmark(): void;
  /** Sends a line as it is on every watch. */
  send(event: unknown): void;
  /** Something else than config maps changes: the version grows, and nobody is told. */
  skip(): void;
  /** What a backup of the server has. */
  backup(): Backup;
  /** Goes back to it: watches break, and those that begin later than it are silent. */
  restore(backup: Backup): void;
  /** Forgets the history: watches that begin in it get 410. */
  compact(): void;
  /** Ends all watches: cleanly, by a broken connection, or by 410 in the stream; `silence` keeps them open and says nothing more. */
  end(how: "clean" | "cut" | "expired" | "silence"): void;
  /** From now on events are that late, though never out of order. */
  delayWatches(ms: number): void;
  /** While it is on, watches are not told of changes. */
  hush(isOn: boolean): void;
  intercept(interceptor: Interceptor | undefined): void;
  /** Requests so far, as `list`, `stream` (a list as a watch), `watch from 12`, `get`, `put`. */
  readonly log: readonly string[];
  /** Watches that are open and not silent. */
  readonly watches: number;
}

/** The state of a server at one moment. */
export interface Backup {
  readonly objects: ReadonlyMap<string, ConfigMap>;
  readonly revision: number;
}

interface Watcher {
  /** When the last event so far arrives. */
  busyUntil: number;
  push(line: string): void;
  end(how: "clean" | "cut" | "silence"): void;
}

interface Logged {
  readonly revision: number;
  readonly line: string;
}

/** Starts empty. Where `streamsLists` is false it refuses to send initial events, as servers did before 1.32. */
export function createFakeApi({ clock, streamsLists = true }: { clock: Clock; streamsLists?: boolean }): FakeApi {
  const objects = new Map<string, ConfigMap>();
  const watchers = new Set<Watcher>();
  const log: string[] = [];
  let history: Logged[] = [];
  let revision = 1;
  let compactedAt = 0;
  let delayMs = 0;
  let isHushed = false;
  let uids = 0;
  let interceptor: Interceptor | undefined;

  const broadcast = (line: string) => {
    for (const watcher of [...watchers]) {
      const now = clock.monotonic();
      watcher.busyUntil = Math.max(watcher.busyUntil, now + delayMs);
      if (watcher.busyUntil <= now) watcher.push(line);
      else clock.after(watcher.busyUntil - now, () => watcher.push(line));
    }
  };
  const publish = (type: string, object: ConfigMap) => {
    const line = toLine({ type, object });
    history.push({ revision, line });
    if (!isHushed) broadcast(line);
  };
  const bookmarkLine = (annotations = {}) =>
    toLine({
      type: "BOOKMARK",
      object: { apiVersion: "v1", kind: "ConfigMap", metadata: { resourceVersion: `${revision}`, annotations } },
    });
  const put = (key: string, data: Record<string, string>) => {
    const [namespace = "", name = ""] = key.split("/");
    const old = objects.get(key);
    revision += 1;
    uids += 1;
    const metadata = { namespace, name, uid: old?.metadata.uid ?? `uid-${uids}`, resourceVersion: `${revision}` };
    const object: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
    objects.set(key, object);
    publish(old === undefined ? "ADDED" : "MODIFIED", object);
    return `${revision}`;
  };
  const remove = (key: string) => {
    const old = objects.get(key);
    if (old === undefined) return undefined;
    objects.delete(key);
    revision += 1;
    publish("DELETED", { ...old, metadata: { ...old.metadata, resourceVersion: `${revision}` } });
    return old;
  };

  const watch = (url: URL, signal: AbortSignal): HandlerResponse => {
    const from = Number(url.searchParams.get("resourceVersion") ?? "0");
    const sendsInitial = url.searchParams.get("sendInitialEvents") === "true";
    log.push(sendsInitial ? "stream" : `watch from ${from}`);
    if (sendsInitial && !streamsLists) return status(422, "Invalid");
    if (!sendsInitial && from < compactedAt) return status(410, "Expired");
    const lines: string[] = [];
    if (sendsInitial) {
      for (const object of objects.values()) lines.push(toLine({ type: "ADDED", object }));
      lines.push(bookmarkLine({ "k8s.io/initial-events-end": "true" }));
    } else for (const { revision: at, line } of history) if (at > from) lines.push(line);
    const stream = createStream(lines, signal);
    const watcher: Watcher = {
      busyUntil: 0,
      push: stream.push,
      end(how) {
        watchers.delete(watcher);
        stream.end(how);
      },
    };
    watchers.add(watcher);
    signal.addEventListener("abort", () => watcher.end("silence"), { once: true });
    return { status: 200, headers: { "content-type": "application/json" }, body: stream.body };
  };
  const list = (url: URL): HandlerResponse => {
    const limit = Number(url.searchParams.get("limit") ?? "0") || Number.POSITIVE_INFINITY;
    const from = Number(url.searchParams.get("continue") ?? "0");
    log.push("list");
    const [, only] = /metadata\.name=([^,]+)/.exec(url.searchParams.get("fieldSelector") ?? "") ?? [];
    const wanted = [...objects.values()].filter(({ metadata }) => only === undefined || metadata.name === only);
    const items = wanted.slice(from, from + limit);
    const metadata = { resourceVersion: `${revision}` };
    const hasMore = from + items.length < wanted.length;
    const next = hasMore ? { continue: `${from + items.length}` } : {};
    return answer(200, { apiVersion: "v1", kind: "ConfigMapList", metadata: { ...metadata, ...next }, items });
  };
  const one = (request: HandlerRequest, key: string): HandlerResponse => {
    const found = objects.get(key);
    log.push(request.method.toLowerCase());
    if (request.method === "GET") return found === undefined ? status(404, "NotFound") : answer(200, found);
    if (request.method === "DELETE") {
      const old = remove(key);
      const details = { uid: old?.metadata.uid };
      return old === undefined ? status(404, "NotFound") : answer(200, { ...failure(200, ""), details });
    }
    const { data = {} } = JSON.parse(Buffer.from(request.body ?? []).toString()) as Partial<ConfigMap>;
    put(key, data);
    return answer(200, objects.get(key));
  };
  const respond = (request: HandlerRequest, url: URL): HandlerResponse => {
    const [, , , , namespace = "", , name] = url.pathname.split("/");
    if (name !== undefined) return one(request, `${namespace}/${name}`);
    if (url.searchParams.get("watch") === "true") return watch(url, request.signal);
    if (request.method === "GET") return list(url);
    const { metadata, data = {} } = JSON.parse(Buffer.from(request.body ?? []).toString()) as ConfigMap;
    log.push("post");
    const key = `${namespace}/${metadata.name ?? `${metadata.generateName}${revision}`}`;
    if (objects.has(key)) return status(409, "AlreadyExists");
    put(key, data);
    return answer(201, objects.get(key));
  };

  return {
    async transport(request) {
      const url = new URL(request.path, "http://fake");
      const isWatch = url.searchParams.get("watch") === "true";
      const instead = interceptor?.({ method: request.method, url, isWatch });
      if (instead === "cut") throw Object.assign(new Error("cut"), { code: "ECONNRESET" });
      if (instead === "hold") return new Promise(() => {});
      return instead ?? respond(request, url);
    },
    objects,
    get revision() {
      return revision;
    },
    put,
    remove: (key) => void remove(key),
    bookmark: () => broadcast(bookmarkLine()),
    send: (event) => broadcast(toLine(event)),
    skip() {
      revision += 1;
    },
    backup: () => ({ objects: new Map(objects), revision }),
    restore(backup) {
      objects.clear();
      for (const [key, object] of backup.objects) objects.set(key, object);
      revision = backup.revision;
      history = history.filter((logged) => logged.revision <= revision);
      for (const watcher of [...watchers]) watcher.end("cut");
    },
    compact() {
      history = [];
      compactedAt = revision;
    },
    end(how) {
      for (const watcher of [...watchers]) {
        if (how === "expired") watcher.push(toLine({ type: "ERROR", object: failure(410, "Expired") }));
        watcher.end(how === "expired" ? "clean" : how);
      }
    },
    delayWatches(ms) {
      delayMs = ms;
    },
    hush(isOn) {
      isHushed = isOn;
    },
    intercept(next) {
      interceptor = next;
    },
    log,
    get watches() {
      return watchers.size;
    },
  };
}

/** Lines that are read one by one, and more of them later. */
function createStream(lines: string[], signal: AbortSignal) {
  let ended: "clean" | "cut" | "silence" | undefined;
  let wake = () => {};
  async function* body() {
    for (;;) {
      const line = lines.shift();
      if (line !== undefined) yield line;
      else if (ended === "clean" || signal.aborted) return;
      else if (ended === "cut") throw Object.assign(new Error("cut"), { code: "ECONNRESET" });
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  return {
    body: body(),
    push(line: string) {
      if (ended !== undefined) return;
      lines.push(line);
      wake();
    },
    end(how: "clean" | "cut" | "silence") {
      ended ??= how;
      wake();
    },
  };
}

function toLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

function failure(code: number, reason: string) {
  return { apiVersion: "v1", kind: "Status", metadata: {}, status: code < 300 ? "Success" : "Failure", reason, code };
}

/** A refusal. */
export function status(code: number, reason: string, headers: Record<string, string> = {}): HandlerResponse {
  const { status: code_, headers: own, body } = answer(code, failure(code, reason));
  return { status: code_, headers: { ...own, ...headers }, body };
}

/** Any answer. */
export function answer(code: number, body: unknown): HandlerResponse {
  return { status: code, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
