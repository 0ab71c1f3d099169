// SPDX-License-Identifier: Apache-2.0
import type { Json } from "../../schema/index.ts";
import type { Entry, KubeObject, ObjectMeta, ResourceType, TableColumn } from "../types.ts";
import { cellOf } from "./cell.ts";
import { parseJsonPath } from "./json-path.ts";

/** What a table's rows carry besides their cells. */
export type IncludeObject = "None" | "Metadata" | "Object";

/** The metadata of a list, as far as tables have it. */
export interface TableMeta {
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** A list or an object as columns and rows, for people. */
export interface Table {
  readonly kind: "Table";
  readonly apiVersion: string;
  readonly metadata: TableMeta;
  readonly columnDefinitions: readonly ColumnDefinition[] | null;
  readonly rows: readonly TableRow[];
}

export interface TableRow {
  readonly cells: readonly Json[];
  readonly object: KubeObject | PartialObjectMetadata | null;
}

/** An object without all but its metadata. */
export interface PartialObjectMetadata {
  readonly kind: "PartialObjectMetadata";
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
}

interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

/** How a table is made. */
export interface TableOptions {
  readonly nowMs: number;
  /** Metadata when left out. */
  readonly includeObject?: IncludeObject;
  /** Of the list; a table of one object has that object's resourceVersion. */
  readonly metadata: TableMeta;
  /** Left out of all but the first event of a watch. */
  readonly withoutColumns?: boolean;
  /** The version of meta.k8s.io that was asked for. */
  readonly version?: "v1" | "v1beta1";
}

/** The table of the objects, which are as the type shows them. */
export function tableOf(type: ResourceType, objects: readonly Pick<Entry, "object">[], options: TableOptions): Table {
  const { nowMs, includeObject = "Metadata", metadata, withoutColumns = false, version = "v1" } = options;
  const { definitions, cells } = printerOf(type.columns);
  const apiVersion = `meta.k8s.io/${version}`;
  return {
    kind: "Table",
    apiVersion,
    metadata,
    columnDefinitions: withoutColumns ? null : definitions,
    rows: objects.map(({ object }) => ({
      cells: cells(object, nowMs),
      object: rowObject(object, includeObject, apiVersion),
    })),
  };
}

/** The object as `as=PartialObjectMetadata` shows it. */
export function partialMetadata(object: KubeObject, version: "v1" | "v1beta1" = "v1"): PartialObjectMetadata {
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata };
}

function rowObject(object: KubeObject, includeObject: IncludeObject, apiVersion: string): TableRow["object"] {
  if (includeObject === "None") return null;
  if (includeObject === "Object") return object;
  return { kind: "PartialObjectMetadata", apiVersion, metadata: object.metadata };
}

interface Printer {
  readonly definitions: readonly ColumnDefinition[];
  cells(object: KubeObject, nowMs: number): readonly Json[];
}

const printers = new WeakMap<readonly TableColumn[], Printer>();

/** Paths are read once for all tables of a type. */
function printerOf(columns: readonly TableColumn[]): Printer {
  const known = printers.get(columns);
  if (known !== undefined) return known;
  const cellMakers = columns.map(cellMaker);
  const printer: Printer = {
    definitions: columns.map(({ name, type, format = "", description, priority }) => ({
      name,
      type,
      format,
      description,
      priority,
    })),
    cells: (object, nowMs) => cellMakers.map((make) => make(object, nowMs)),
  };
  printers.set(columns, printer);
  return printer;
}

function cellMaker({ type, value }: TableColumn): (object: KubeObject, nowMs: number) => Json {
  if (typeof value === "function") return value;
  const path = parseJsonPath(value) ?? [];
  return (object, nowMs) => cellOf(object, path, { type, nowMs });
}
