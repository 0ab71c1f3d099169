// SPDX-License-Identifier: Apache-2.0
import { type Client, createClient, type Response } from "../kubernetes/request.ts";
import type { WatchEvent } from "./watch-stream.ts";
import { isConnectionError } from "./watch-stream.ts";

/** Where everything is written. */
export const MAPS = "/api/v1/namespaces/default/configmaps";
const KEYS_EACH = 5;
export const SHARED = "shared";

/** One write that a writer tried, in the order in which it tried them. */
export interface Attempt {
  readonly name: string;
  readonly verb: "create" | "patch" | "replace" | "delete";
  /** What tells this write from all others. */
  readonly count: number;
  /** Undefined where the connection broke before the answer: it may have happened or not. */
  acknowledged?: { readonly resourceVersion: string | undefined };
}

/** A client that writes one thing after the other, across all lives of the server. */
export interface Writer {
  readonly name: string;
  readonly attempts: Attempt[];
  /** Writes until the connection breaks. `onAcknowledged` is called with every answer. */
  run(client: Client, onAcknowledged: () => void): Promise<void>;
}

/** A writer with keys of its own; one key is everybody's. */
export function createWriter(name: string): Writer {
  const attempts: Attempt[] = [];
  let count = 0;

  async function send(client: Client, attempt: Attempt): Promise<void> {
    attempts.push(attempt);
    const answer = await perform(client, name, attempt);
    if (answer.status >= 300) throw new Error(`${attempt.verb} ${attempt.name}: ${JSON.stringify(answer.body)}`);
    const { metadata = {} } = Object(answer.body);
    attempt.acknowledged = { resourceVersion: attempt.verb === "delete" ? undefined : metadata.resourceVersion };
  }

  async function run(client: Client, onAcknowledged: () => void): Promise<void> {
    try {
      const isThere = await present(client, name);
      for (let step = 0; ; step++) {
        count += 1;
        const own = `${name}-${count % KEYS_EACH}`;
        // The first round through the keys after a start deletes nothing: a delete that is tried again would be
        // mistaken for the one that broke off.
        const verb = verbFor(isThere.has(own), { step, count });
        if (count % 7 === 0) await send(client, { name: SHARED, verb: "patch", count });
        else {
          await send(client, { name: own, verb, count });
          if (verb === "delete") isThere.delete(own);
          else isThere.add(own);
        }
        onAcknowledged();
      }
    } catch (error) {
      if (!isConnectionError(error)) throw error;
    }
  }

  return { name, attempts, run };
}

function verbFor(isThere: boolean, { step, count }: { step: number; count: number }): Attempt["verb"] {
  if (!isThere) return "create";
  if (step > KEYS_EACH && count % 3 === 0) return "delete";
  return count % 2 === 0 ? "patch" : "replace";
}

async function present(client: Client, writer: string): Promise<Set<string>> {
  const { body } = await client.request("GET", MAPS);
  const names: string[] = Object(body).items.map((item: { metadata: { name: string } }) => item.metadata.name);
  return new Set(names.filter((name) => name.startsWith(`${writer}-`)));
}

function perform(client: Client, writer: string, { name, verb, count }: Attempt): Promise<Response> {
  const data = { by: writer, count: String(count), text: "x".repeat((count * 997) % 3000) };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
  switch (verb) {
    case "create":
      return client.request("POST", MAPS, object);
    case "replace":
      return client.request("PUT", `${MAPS}/${name}`, object);
    case "patch":
      return client.request("PATCH", `${MAPS}/${name}`, { data }, { contentType: "application/merge-patch+json" });
    case "delete":
      return client.request("DELETE", `${MAPS}/${name}`);
  }
}

/** Whose write an event shows. */
export function writerOf({ type, object }: WatchEvent): string {
  const { by = "" } = object.data ?? {};
  return type === "DELETED" ? (object.metadata.name.split("-")[0] ?? "") : by;
}

/** Whether an event is what a write must have led to. */
export function showsAttempt({ type, object }: WatchEvent, { name, verb, count, acknowledged }: Attempt): boolean {
  if (object.metadata.name !== name) return false;
  if (verb === "delete") return type === "DELETED";
  if (type !== (verb === "create" ? "ADDED" : "MODIFIED") || object.data?.count !== String(count)) return false;
  return acknowledged === undefined || acknowledged.resourceVersion === object.metadata.resourceVersion;
}

/** Clients of their own, so that writers share no connection. */
export function clientsFor(writers: readonly Writer[], access: Parameters<typeof createClient>[0]): Client[] {
  return writers.map(() => createClient(access));
}
