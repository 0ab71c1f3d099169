// SPDX-License-Identifier: Apache-2.0
import type { Json, Schema } from "../types.ts";

/** A schema and values tried on it. */
export interface Row {
  readonly name: string;
  readonly schema: Schema;
  readonly values: readonly Json[];
}

/** A schema and changes of a value that it judges. */
export interface ChangeRow {
  readonly name: string;
  readonly schema: Schema;
  /** From and to. */
  readonly changes: readonly (readonly [Json, Json])[];
}

/** One thing a server refuses. */
export interface Cause {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

/** What a server said; what is not given was empty. */
export interface Answer {
  readonly causes?: readonly Cause[];
  /** The value as it would be stored, where it was accepted and changed. */
  readonly stored?: Json;
  readonly unknown?: readonly string[];
  readonly warnings?: readonly string[];
  /** The message of an answer that is no list of causes. */
  readonly message?: string;
}

/** Answers by name of table and of case. */
export interface Answers {
  readonly [table: string]: { readonly [name: string]: Answer };
}

/** A row: `row("name", schema, ...values)`. */
export function row(name: string, schema: Schema, ...values: Json[]): Row {
  return { name, schema, values };
}

/** The name of a case in a row. */
export function caseName({ name }: { name: string }, position: number): string {
  return `${name} #${position}`;
}

/** The property that a row's values stand under, below `spec`. */
export function propertyOf(position: number): string {
  return `r${position}`;
}

/** One schema that has every row as a property of `spec`. */
export function combine(rows: readonly { readonly schema: Schema }[]): Schema {
  const properties = Object.fromEntries(rows.map(({ schema }, position) => [propertyOf(position), schema]));
  return { type: "object", properties: { spec: { type: "object", properties } } };
}

/** Causes in one order: a server's own order is by chance. */
export function sortCauses(causes: readonly Cause[]): Cause[] {
  const text = ({ field, reason, message }: Cause) => `${field} ${reason} ${message}`;
  return causes
    .map(({ field, reason, message }) => ({ field, reason, message }))
    .sort((left, right) => (text(left) < text(right) ? -1 : 1));
}

/** An answer without what is empty, so that answers of different origin compare. */
export function compactAnswer(answer: Answer): Answer {
  return Object.fromEntries(
    Object.entries(answer).filter(([, part]) => part !== undefined && !(Array.isArray(part) && part.length === 0)),
  );
}
