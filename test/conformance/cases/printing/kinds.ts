// SPDX-License-Identifier: Apache-2.0
import { crd, kindOf } from "../../framework/objects.ts";
import type { JsonObject, RequestOptions } from "../../framework/types.ts";

export const GROUP = "printing.example.com";

/** Has no columns of its own. */
export const plain = kindOf(GROUP, "Plain");

/** Has a column of every type, one for wide output, and some whose paths find nothing or much. */
export const printed = kindOf(GROUP, "Printed");

const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

const columns = [
  { name: "Phase", type: "string", jsonPath: ".status.phase", description: "How far it is." },
  { name: "Size", type: "integer", jsonPath: ".spec.size", format: "int32" },
  { name: "Ratio", type: "number", jsonPath: ".spec.ratio" },
  { name: "Ready", type: "boolean", jsonPath: ".spec.ready" },
  { name: "Since", type: "date", jsonPath: ".spec.since" },
  { name: "Note", type: "string", jsonPath: ".spec.note", priority: 1 },
  { name: "Condition", type: "string", jsonPath: '.spec.conditions[?(@.type=="Ready")].status' },
  { name: "Address", type: "string", jsonPath: ".spec.addresses[*].ip" },
  { name: "Label", type: "string", jsonPath: ".metadata.labels.example\\.com/color" },
];

export const crds = [
  crd({ group: GROUP, kind: "Plain", spec: anything }),
  crd({ group: GROUP, kind: "Printed", spec: anything, columns }),
];

type Column = JsonObject & { readonly description: string };

/** The table without its columns' descriptions, which are prose. */
export function table({ columnDefinitions, ...rest }: JsonObject): JsonObject {
  const definitions = columnDefinitions as Column[] | undefined;
  return { ...rest, columnDefinitions: definitions?.map(({ description, ...column }) => column) };
}

/** Asks for a table, as kubectl does. */
export const AS_TABLE: RequestOptions = {
  accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
  show: table,
};
