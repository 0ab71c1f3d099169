// SPDX-License-Identifier: Apache-2.0

/** What is to be reached. */
export interface Reach {
  readonly least?: number;
  readonly most?: number;
}

/** One figure. */
export interface Figure {
  readonly value: number;
  readonly unit: string;
  /** Of the figure itself. */
  readonly reach?: Reach;
  /** What it is held against, how it is related to that, and how it should be. */
  readonly ratio?: { readonly to: string; readonly value: number; readonly reach?: Reach };
}

/** Figures by name, told as they come: all of them take a while. */
export interface MachinesTable {
  add(name: string, figure: Figure): void;
  /** A line of its own. */
  tell(line: string): void;
  /** How many were not reached. */
  readonly missed: number;
}

/** An empty table. */
export function createMachinesTable(write: (line: string) => void): MachinesTable {
  let missed = 0;
  const judge = (value: number, reach: Reach | undefined) => {
    if (reach === undefined) return "";
    const isFine = within(value, reach);
    if (!isFine) missed += 1;
    return `  (${wanted(reach)}: ${isFine ? "reached" : "MISSED"})`;
  };
  return {
    add(name, figure) {
      const { value, unit, ratio, reach } = figure;
      const told = judge(value, reach);
      const beside =
        ratio === undefined ? "" : `  x ${number(ratio.value)} of ${ratio.to}${judge(ratio.value, ratio.reach)}`;
      write(`${name.padEnd(60)}${number(value).padStart(9)} ${unit}${told}${beside}`);
    },
    tell: write,
    get missed() {
      return missed;
    },
  };
}

function within(value: number, { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY }: Reach): boolean {
  return value >= least && value <= most;
}

function wanted({ least, most }: Reach): string {
  const bounds = [
    ...(least === undefined ? [] : [`at least ${number(least)}`]),
    ...(most === undefined ? [] : [`at most ${number(most)}`]),
  ];
  return bounds.join(", ");
}

function number(value: number): string {
  if (Number.isNaN(value)) return "-";
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
}
