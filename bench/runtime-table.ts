// SPDX-License-Identifier: Apache-2.0
import type { ContestantName } from "./runtime-contestant.ts";

/** What a row is to reach beside another contestant. */
export interface Reach {
  readonly beside: ContestantName;
  /** Ours divided by theirs. */
  readonly least?: number;
  readonly most?: number;
}

/** Measurements by row and contestant. */
export interface RuntimeTable {
  add(row: string, name: ContestantName, value: number | undefined): void;
  /** The rows with medians and, where something is to be reached, what was. */
  text(reaches: Readonly<Record<string, readonly Reach[]>>): string;
  reached(reaches: Readonly<Record<string, readonly Reach[]>>): boolean;
}

const NAMES: readonly ContestantName[] = ["butler", "client-node", "undici"];

/** An empty table. */
export function createRuntimeTable(): RuntimeTable {
  const rows = new Map<string, Record<ContestantName, number[]>>();
  const medianOf = (row: string, name: ContestantName) => median(rows.get(row)?.[name]);
  const ratioOf = (row: string, beside: ContestantName) => medianOf(row, "butler") / medianOf(row, beside);
  const isReached = (row: string, { beside, least = 0, most = Number.POSITIVE_INFINITY }: Reach) =>
    ratioOf(row, beside) >= least && ratioOf(row, beside) <= most;
  const told = (row: string, reach: Reach) => {
    const wanted = reach.least === undefined ? `at most ${reach.most?.toFixed(2)}` : `at least ${reach.least}`;
    const outcome = isReached(row, reach) ? "reached" : "MISSED";
    return `  ${reach.beside} x ${ratioOf(row, reach.beside).toFixed(2)} (${wanted}: ${outcome})`;
  };
  return {
    add(row, name, value) {
      const known = rows.get(row) ?? { butler: [], "client-node": [], undici: [] };
      rows.set(row, known);
      if (value !== undefined && !Number.isNaN(value)) known[name].push(value);
    },
    text: (reaches) =>
      [
        "".padEnd(52) + NAMES.map((name) => name.padStart(13)).join(""),
        ...[...rows.keys()].map((row) => {
          const cells = NAMES.map((name) => number(medianOf(row, name)).padStart(13)).join("");
          return row.padEnd(52) + cells + (reaches[row] ?? []).map((reach) => told(row, reach)).join("");
        }),
        "",
      ].join("\n"),
    reached: (reaches) => Object.entries(reaches).every(([row, list]) => list.every((reach) => isReached(row, reach))),
  };
}

function number(value: number): string {
  if (Number.isNaN(value)) return "-";
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
}

function median(list: readonly number[] = []): number {
  return [...list].sort((one, other) => one - other)[Math.floor(list.length / 2)] ?? Number.NaN;
}
