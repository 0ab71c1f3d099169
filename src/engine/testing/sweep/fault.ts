// SPDX-License-Identifier: Apache-2.0

/**
 * What goes wrong with one request.
 * - `kill-before`: its sender is dead before it is sent; nothing of the sender is left.
 * - `kill-after`: it is served, and its sender is dead before the answer comes.
 * - `cut`: the connection breaks and nothing happens.
 * - `lose-answer`: it is served, and the connection breaks.
 * - `twice`: it is served twice, and the second answer is given.
 * - `hang`: nothing happens until the sender gives up.
 * - `refuse`: an answer with this status and nothing happens, or everything did where `isServed`.
 * - `late`: it is served so many milliseconds later; its sender sees the connection break, or hang.
 * - `lag`: a read that shows things as they were so many milliseconds before, or a watch that tells of everything so much later.
 * - `break`: the connection of a watch breaks after so many milliseconds.
 */
export type Fault =
  | { readonly type: "kill-before" | "kill-after" | "cut" | "lose-answer" | "twice" | "hang" }
  | {
      readonly type: "refuse";
      readonly status: number;
      readonly retryAfterSeconds?: number;
      readonly isServed?: boolean;
    }
  | { readonly type: "late"; readonly byMs: number; readonly sees: "cut" | "hang" }
  | { readonly type: "lag"; readonly byMs: number }
  | { readonly type: "break"; readonly afterMs: number };

const MINUTE_MS = 60_000;

/** Every fault that is swept, by the name that reports use. */
export const FAULTS = {
  "kill-before": { type: "kill-before" },
  "kill-after": { type: "kill-after" },
  "lose-answer": { type: "lose-answer" },
  twice: { type: "twice" },
  "429": { type: "refuse", status: 429 },
  "429-retry-after": { type: "refuse", status: 429, retryAfterSeconds: 30 },
  "500": { type: "refuse", status: 500 },
  "500-served": { type: "refuse", status: 500, isServed: true },
  "503": { type: "refuse", status: 503 },
  hang: { type: "hang" },
  cut: { type: "cut" },
  "late-cut": { type: "late", byMs: MINUTE_MS, sees: "cut" },
  "late-hang": { type: "late", byMs: MINUTE_MS, sees: "hang" },
  // A call may take its time limit, which is a minute, and a minute more.
  "latest-cut": { type: "late", byMs: 115_000, sees: "cut" },
  "latest-hang": { type: "late", byMs: 115_000, sees: "hang" },
  lag: { type: "lag", byMs: MINUTE_MS },
  silent: { type: "lag", byMs: 48 * 60 * MINUTE_MS },
  break: { type: "break", afterMs: 3_000 },
} as const satisfies Readonly<Record<string, Fault>>;

/** The name of a swept fault. */
export type FaultName = keyof typeof FAULTS;

/** Those that are swept at every point, in this order. */
export const FAULT_NAMES: readonly FaultName[] = [
  "kill-before",
  "kill-after",
  "lose-answer",
  "twice",
  "429",
  "429-retry-after",
  "500",
  "500-served",
  "503",
  "hang",
  "cut",
  "late-cut",
  "late-hang",
  "lag",
  "silent",
  "break",
];

/** Whether a word is the name of a swept fault. */
export function isFaultName(word: string): word is FaultName {
  return Object.hasOwn(FAULTS, word);
}

/** The connection broke: there is no answer. */
export function connectionCut(): Error {
  return Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
}
