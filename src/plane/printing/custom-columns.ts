// SPDX-License-Identifier: Apache-2.0
import { nameColumn } from "../kinds/columns.ts";
import type { TableColumn } from "../types.ts";
import { parseJsonPath } from "./json-path.ts";

/** A column as a CustomResourceDefinition declares it. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

const AGE: PrinterColumn = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
  description: "How long ago the object was created.",
};

/**
 * The columns of a custom resource: its name, then what its definition declares, or else its age. Of columns whose path
 * cannot be read, that one and all behind it are left out, as in the real server.
 */
export function customColumns(declared: readonly PrinterColumn[] | undefined): readonly TableColumn[] {
  const wanted = declared === undefined || declared.length === 0 ? [AGE] : declared;
  const broken = wanted.findIndex(({ jsonPath }) => parseJsonPath(jsonPath) === undefined);
  const readable = broken < 0 ? wanted : wanted.slice(0, broken);
  return [nameColumn, ...readable.map(columnOf)];
}

function columnOf({ name, type, jsonPath, format, description, priority = 0 }: PrinterColumn): TableColumn {
  const fallback = `Custom resource definition column (in JSONPath format): ${jsonPath}`;
  return {
    name,
    type,
    ...(format === undefined ? {} : { format }),
    description: description === undefined || description === "" ? fallback : description,
    priority,
    value: jsonPath,
  };
}
