// SPDX-License-Identifier: Apache-2.0

/** One measurement of a row. */
interface Measurement {
  readonly server: "plane" | "real";
  readonly value: number;
  /** More is better; else less is. */
  readonly isRate?: boolean;
}

/** Rows of measurements, side by side. */
export interface Table {
  add(row: string, measurement: Measurement): void;
  /** Tells one row as a share of another. */
  share(row: string, of: string): void;
  /** Whether the plane is better than the real server by these factors; rows that only one of them has are fine. */
  keeps(factors: Readonly<Record<string, number>>): boolean;
  text(): string;
}

interface Row {
  readonly plane: number[];
  readonly real: number[];
  readonly isRate: boolean;
}

/** An empty table. */
export function createTable(): Table {
  const rows = new Map<string, Row>();
  const shares: [string, string][] = [];

  /** How many times better the plane is; NaN where there is nothing to compare with. */
  const factorOf = (name: string): number => {
    const row = rows.get(name);
    if (row === undefined) return Number.NaN;
    const [plane, real] = [median(row.plane), median(row.real)];
    return row.isRate ? plane / real : real / plane;
  };

  return {
    add(name, { server, value, isRate = false }) {
      const row = rows.get(name) ?? { plane: [], real: [], isRate };
      row[server].push(value);
      rows.set(name, row);
    },
    share: (row, of) => shares.push([row, of]),
    keeps: (factors) => Object.entries(factors).every(([name, least]) => !(factorOf(name) < least)),
    text() {
      const lines = [["", "plane", "real", "plane is better by"]];
      for (const [name, row] of rows)
        lines.push([name, number(median(row.plane)), number(median(row.real)), number(factorOf(name))]);
      const below = [...rows.keys()].filter((name) => factorOf(name) < 1);
      const told = shares.map(([row, of]) => {
        const share = median(rows.get(row)?.plane) / median(rows.get(of)?.plane);
        return `${row}: ${(share * 100).toFixed(0)} % of ${of}`;
      });
      return [
        ...lines.map(([name = "", ...cells]) => name.padEnd(36) + cells.map((cell) => cell.padStart(20)).join("")),
        "Medians; rates per second, times in ms, memory in MiB (of the real server with its etcd).",
        ...told,
        below.length === 0 ? "No row is below the real server's." : `Below the real server's: ${below.join("; ")}`,
        "",
      ].join("\n");
    },
  };
}

function number(value: number): string {
  if (Number.isNaN(value)) return "-";
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
}

function median(list: readonly number[] = []): number {
  return [...list].sort((one, other) => one - other)[Math.floor(list.length / 2)] ?? Number.NaN;
}
