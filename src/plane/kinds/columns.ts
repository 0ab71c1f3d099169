// SPDX-License-Identifier: Apache-2.0

import type { Json } from "../../schema/index.ts";
import { parseTime } from "../../schema/time.ts";
import type { KubeObject, TableColumn } from "../types.ts";
import { textAt } from "./rules.ts";

/** The column with an object's name, first in nearly every table. */
export const nameColumn: TableColumn = {
  name: "Name",
  type: "string",
  format: "name",
  description: "Name of the object.",
  priority: 0,
  value: (object) => object.metadata.name ?? "",
};

/** How long ago the object was created. */
export const ageColumn: TableColumn = column("Age", "How long ago the object was created.", (object, nowMs) =>
  since(textAt(object, "metadata", "creationTimestamp"), nowMs),
);

/** When the object was created, for kinds whose tables have nothing else. */
export const createdAtColumn: TableColumn = {
  name: "Created At",
  type: "date",
  description: "When the object was created.",
  priority: 0,
  // A function, because of a path to a time the age would be shown.
  value: (object) => textAt(object, "metadata", "creationTimestamp"),
};

/** A column of text. Those with `isWide` are shown by `-o wide` only. */
export function column(
  name: string,
  description: string,
  value: (object: KubeObject, nowMs: number) => Json,
  { isWide = false }: { isWide?: boolean } = {},
): TableColumn {
  return { name, type: "string", description, priority: isWide ? 1 : 0, value };
}

/** How long ago a time was, as `kubectl get` shows ages; `<unknown>` for no time at all. */
export function since(time: string, nowMs: number): string {
  const nanoseconds = time === "" ? undefined : parseTime(time);
  if (nanoseconds === undefined) return "<unknown>";
  return humanDuration(Math.trunc(nowMs / 1000 - Number(nanoseconds) / 1e9));
}

/** A duration in at most two units, the fewer the longer it is. */
export function humanDuration(seconds: number): string {
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return pair(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(seconds / 3600);
  if (hours < 8) return pair(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return pair(days, "d", hours % 24, "h");
  if (days < 365 * 2) return `${days}d`;
  const years = Math.floor(days / 365);
  if (years < 8) return pair(years, "y", days % 365, "d");
  return `${years}y`;
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}
