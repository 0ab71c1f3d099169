// SPDX-License-Identifier: Apache-2.0
import type { ContestantName } from "./runtime-contestant.ts";

/** What a row is to reach beside another contestant. */
export interface Reach {
  readonly beside: ContestantName;
  /** Ours divided by theirs. */
  readonly least?: number;
  readonly most?: number;
}

/** What rows are to reach, by row. */
export type Reaches = Readonly<Record<string, readonly Reach[]>>;

/** Measurements by row and contestant. */
export interface RuntimeTable {
  add(row: string, name: ContestantName, value: number | undefined): void;
  /** What a contestant's requests let be seen of the server. */
  addServer(row: string, name: ContestantName, seen: ServerSeen): void;
  /** The rows with medians and, where something is to be reached, what was, and whether any client could. */
  text(reaches: Reaches): string;
  reached(reaches: Reaches): boolean;
}

/** How much of what happens is the server's. */
export interface ServerSeen {
  /** What it could do at most if clients took nothing. */
  readonly most: number;
  /** Its part of the CPU time that a request takes, the client's included. */
  readonly share: number;
}

/** A client that takes so little beside the server could not make much of a difference if it took nothing. */
const MOSTLY_THE_SERVER = 0.9;

type Values = Record<ContestantName, number[]>;

const NAMES: readonly ContestantName[] = ["butler", "client-node", "undici"];

/** An empty table. */
export function createRuntimeTable(): RuntimeTable {
  const rows = new Map<string, Values>();
  const serverMost = new Map<string, Values>();
  const serverShare = new Map<string, Values>();
  const medianOf = (row: string, name: ContestantName) => median(rows.get(row)?.[name]);
  const ratioOf = (row: string, beside: ContestantName) => medianOf(row, "butler") / medianOf(row, beside);
  const isReached = (row: string, { beside, least = 0, most = Number.POSITIVE_INFINITY }: Reach) =>
    ratioOf(row, beside) >= least && ratioOf(row, beside) <= most;
  /** The contestant that is cheapest for the server shows best what the server can do. */
  const mostOf = (row: string) => Math.max(...NAMES.map((name) => median(serverMost.get(row)?.[name]) || 0));
  const shareOf = (row: string) => median(serverShare.get(row)?.butler);
  const told = (row: string, reach: Reach) => {
    const wanted = reach.least === undefined ? `at most ${reach.most?.toFixed(2)}` : `at least ${reach.least}`;
    const asked = (reach.least ?? 0) * medianOf(row, reach.beside);
    // The first is certain; the second says only that our client is not what holds it up.
    const why =
      mostOf(row) > 0 && asked > mostOf(row)
        ? `, ${number(asked)} is more than the server can: THE SERVER IS THE LIMIT`
        : shareOf(row) >= MOSTLY_THE_SERVER
          ? ", nearly all the work is the server's"
          : "";
    const outcome = isReached(row, reach) ? "reached" : `MISSED${why}`;
    return `  ${reach.beside} x ${ratioOf(row, reach.beside).toFixed(2)} (${wanted}: ${outcome})`;
  };
  const line = (row: string, reaches: Reaches) => {
    const cells = NAMES.map((name) => number(medianOf(row, name)).padStart(13)).join("");
    const share = `${(shareOf(row) * 100).toFixed(0)} % of the CPU`;
    const limit = mostOf(row) > 0 ? `  server: ${share} that ours takes, at most ${number(mostOf(row))}` : "";
    return row.padEnd(52) + cells + (reaches[row] ?? []).map((reach) => told(row, reach)).join("") + limit;
  };
  return {
    add: (row, name, value) => keep(rows, row, { name, value }),
    addServer(row, name, { most, share }) {
      keep(serverMost, row, { name, value: most });
      keep(serverShare, row, { name, value: share });
    },
    text: (reaches) =>
      [
        "".padEnd(52) + NAMES.map((name) => name.padStart(13)).join(""),
        ...[...rows.keys()].map((row) => line(row, reaches)),
        "",
      ].join("\n"),
    reached: (reaches) => Object.entries(reaches).every(([row, list]) => list.every((reach) => isReached(row, reach))),
  };
}

interface Value {
  readonly name: ContestantName;
  readonly value: number | undefined;
}

function keep(into: Map<string, Values>, row: string, { name, value }: Value): void {
  const known = into.get(row) ?? { butler: [], "client-node": [], undici: [] };
  into.set(row, known);
  if (value !== undefined && Number.isFinite(value)) known[name].push(value);
}

function number(value: number): string {
  if (Number.isNaN(value)) return "-";
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
}

function median(list: readonly number[] = []): number {
  return [...list].sort((one, other) => one - other)[Math.floor(list.length / 2)] ?? Number.NaN;
}
