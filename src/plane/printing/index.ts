// SPDX-License-Identifier: Apache-2.0
export { customColumns, type PrinterColumn } from "./custom-columns.ts";
export { type IncludeObject, partialMetadata, tableOf } from "./table.ts";
