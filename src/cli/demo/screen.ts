// SPDX-License-Identifier: Apache-2.0
import type { MachineRequest } from "../../api/index.ts";
import type { Io } from "../io.ts";

/** Shows requests as they change: a table that is drawn anew at a terminal, one line per change elsewhere. */
export interface Screen {
  changed(old: MachineRequest | undefined, now: MachineRequest | undefined): void;
  /** Leaves the table as it is; what is written next stands below it. */
  rest(): void;
}

/** Rows that fit on a small terminal; of more machines those that are not yet there are shown. */
const MOST_ROWS = 16;

const COLUMNS = ["NAME", "MACHINE", "ROLE", "PHASE", "IP", "AGE"] as const;

/** Makes a screen. `now` tells the time in milliseconds. */
export function createScreen(io: Io, now: () => number): Screen {
  const requests = new Map<string, MachineRequest>();
  const started = now();
  let drawn = 0;
  const draw = () => {
    const lines = table([...requests.values()], now());
    // Up over the table as it was, and away with it.
    if (drawn > 0) io.write(`\u001b[${drawn}A\u001b[J`);
    io.write(lines.map((line) => `${line}\n`).join(""));
    drawn = lines.length;
  };
  return {
    changed(old, request) {
      const name = (request ?? old)?.metadata.name ?? "";
      if (request === undefined) requests.delete(name);
      else requests.set(name, request);
      if (io.isTerminal) return draw();
      const line = changeLine(name, old, request);
      if (line !== undefined) io.write(`${((now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);
    },
    rest() {
      drawn = 0;
    },
  };
}

/** What a change means to a reader; undefined where it means nothing. */
function changeLine(name: string, old?: MachineRequest, now?: MachineRequest): string | undefined {
  if (now === undefined) return `${name}: gone`;
  const { phase = "Pending", ipAddress, lastError } = now.status ?? {};
  if (lastError !== undefined && lastError.message !== old?.status?.lastError?.message)
    return `${name}: ${phase}, ${lastError.message}`;
  if (old?.status?.phase === phase && old.status.ipAddress === ipAddress) return undefined;
  return `${name}: ${phase}${phase === "Running" ? ` at ${ipAddress}` : ""}`;
}

function table(all: readonly MachineRequest[], nowMs: number): string[] {
  const phases = Map.groupBy(all, ({ status }) => status?.phase ?? "Pending");
  const counts = [...phases].map(([phase, of]) => `${of.length} ${phase}`).join(", ");
  const sorted = all.toSorted((a, b) => order(a) - order(b) || (text(a) < text(b) ? -1 : 1));
  const rows = [COLUMNS, ...sorted.slice(0, MOST_ROWS).map((request) => rowOf(request, nowMs))];
  const widths = COLUMNS.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("   ")
      .trimEnd(),
  );
  const more = sorted.length > MOST_ROWS ? [`... and ${sorted.length - MOST_ROWS} more`] : [];
  return [...lines, ...more, counts === "" ? "no machines" : counts];
}

/** Where not all fit, those that are still on their way are of interest. */
function order({ status }: MachineRequest): number {
  return status?.phase === "Running" ? 1 : 0;
}

function text({ metadata }: MachineRequest): string {
  return metadata.name ?? "";
}

function rowOf({ metadata, spec, status }: MachineRequest, nowMs: number): readonly string[] {
  const age = Math.max(0, Math.floor((nowMs - Date.parse(metadata.creationTimestamp ?? "")) / 1000));
  return [
    metadata.name ?? "",
    spec.machineName,
    spec.role,
    status?.phase ?? "Pending",
    status?.ipAddress ?? "",
    age < 120 ? `${age}s` : `${Math.floor(age / 60)}m`,
  ];
}
