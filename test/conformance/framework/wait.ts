// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from "node:timers/promises";

/** How long anything may take that a server does in its own time. */
export const WITHIN_MS = 20_000;

/** Repeats the attempt until it gives something else than undefined. Throws after the deadline, naming what was waited for. */
export async function waitFor<T>(what: string, attempt: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + WITHIN_MS;
  for (let pauseMs = 2; ; pauseMs = Math.min(2 * pauseMs, 100)) {
    const result = await attempt();
    if (result !== undefined) return result;
    if (performance.now() > deadline) throw new Error(`still waiting after ${WITHIN_MS} ms: ${what}`);
    await delay(pauseMs);
  }
}

/** The promise's result, or an error that names what was waited for. */
export async function within<T>(what: string, promise: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const late = delay(WITHIN_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`still waiting after ${WITHIN_MS} ms: ${what}`);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    late.catch(() => undefined);
    timer.abort();
  }
}
