// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { startPlane } from "../../src/plane/plane.ts";
import type { Handler, PlaneRequest, PlaneResponse, User } from "../../src/plane/types.ts";
import { seededRandom } from "../seeded-random.ts";
import { hostileRequest, OBJECTS, SECRET, TOKEN } from "./hostile-requests.ts";

const ADMIN: User = { name: "admin", groups: ["system:masters", "system:authenticated"] };
const NOBODY: User = { name: "nobody", groups: ["system:authenticated"] };

/** How the requests were answered. */
export interface FuzzReport {
  readonly statuses: ReadonlyMap<number, number>;
  readonly slowestMs: number;
}

/**
 * Sends hostile requests to a plane without sockets, so that there is time for many. Throws at the first that is answered
 * as a fault of the server, shows what it must not, or leaves it unable to serve; the seed and the number tell which.
 */
export async function fuzz(seed: number, count: number): Promise<FuzzReport> {
  const faults: unknown[] = [];
  const plane = await startPlane({ memory: true, listen: false, onFault: (error) => faults.push(error) });
  const statuses = new Map<number, number>();
  let slowestMs = 0;
  try {
    const random = seededRandom(seed);
    for (let number = 0; number < count; number++) {
      // What was fuzzed away is put back now and then, or most requests would end at "not found".
      if (number % 50 === 0) await restore(plane.handle);
      const user = random.chance(0.1) ? NOBODY : ADMIN;
      const request = { ...hostileRequest(random), ...(random.chance(0.95) ? { user } : {}) };
      const where = () => `seed ${seed}, request ${number}: ${describe(request)}`;
      const started = performance.now();
      const { status, text } = await send(plane.handle, request);
      slowestMs = Math.max(slowestMs, performance.now() - started);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      // 504 is how the real server says that a version is in the future.
      const isFine = status < 500 || (status === 504 && text.includes("Too large resource version"));
      assert.ok(isFine && faults.length === 0, `${where()}\n${status} ${text.slice(0, 500)}\n${traces(faults)}`);
      assert.ok(!text.includes(TOKEN), `a token is shown: ${where()}`);
      if (user === NOBODY) assert.ok(!text.includes(SECRET) || isOwn(request), `a secret is shown: ${where()}`);
      if (number % 100 === 0) await setImmediate();
    }
    await plane.settled();
    assert.deepEqual(faults.map(String), [], `seed ${seed}, after all requests: ${traces(faults)}`);
    assert.equal((await send(plane.handle, adminRequest("GET", "/readyz"))).status, 200);
  } finally {
    await plane.stop();
  }
  return { statuses, slowestMs };
}

/** Where the sender sent it himself, an answer may quote it. */
function isOwn({ body }: Omit<PlaneRequest, "signal">): boolean {
  return body !== undefined && Buffer.from(body).includes(SECRET);
}

async function restore(handle: Handler): Promise<void> {
  for (const [path, object] of Object.entries(OBJECTS)) await send(handle, adminRequest("POST", path, object));
}

/** A well-formed request of the administrator. */
export function adminRequest(method: string, path: string, body?: unknown): Omit<PlaneRequest, "signal"> {
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  return { method, path, headers: { "content-type": "application/json" }, body: bytes, user: ADMIN };
}

/** Sends a request and reads all of the answer; of a watch what is there at once. */
export async function send(
  handle: Handler,
  request: Omit<PlaneRequest, "signal">,
): Promise<{ readonly status: number; readonly text: string; readonly headers: PlaneResponse["headers"] }> {
  const gone = new AbortController();
  const { status, headers, body } = await handle({ ...request, signal: gone.signal });
  if (typeof body === "string") return { status, headers, text: body };
  gone.abort();
  let text = "";
  for await (const chunk of body) text += chunk;
  return { status, headers, text };
}

function describe({ method, path, headers, body }: Omit<PlaneRequest, "signal">): string {
  const text = body === undefined ? "" : Buffer.from(body).toString().slice(0, 1000);
  return `${method} ${path.slice(0, 500)} ${JSON.stringify(headers)} ${text}`;
}

function traces(faults: readonly unknown[]): string {
  return faults.map((fault) => (fault instanceof Error ? fault.stack : String(fault))).join("\n");
}
