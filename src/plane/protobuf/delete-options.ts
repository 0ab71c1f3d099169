// SPDX-License-Identifier: Apache-2.0
import { openEnvelope } from "./read.ts";
import { wireFields } from "./wire.ts";

/** Reads DeleteOptions from a protobuf body into what they would be as JSON. Throws a `ProtobufError` for anything else. */
export function readDeleteOptions(body: Uint8Array): object {
  const { apiVersion, kind, message } = openEnvelope(body);
  const options: Record<string, unknown> = { apiVersion, kind };
  const dryRun: string[] = [];
  for (const { number, value } of wireFields(message)) {
    if (number === 1) options.gracePeriodSeconds = Number(value);
    else if (number === 2) options.preconditions = preconditionsOf(value);
    else if (number === 3) options.orphanDependents = value !== 0n;
    else if (number === 4) options.propagationPolicy = textOf(value);
    else if (number === 5) dryRun.push(textOf(value));
  }
  return dryRun.length === 0 ? options : { ...options, dryRun };
}

function preconditionsOf(value: bigint | Uint8Array): object {
  const preconditions: Record<string, string> = {};
  if (typeof value === "bigint") return preconditions;
  for (const field of wireFields(value)) {
    if (field.number === 1) preconditions.uid = textOf(field.value);
    if (field.number === 2) preconditions.resourceVersion = textOf(field.value);
  }
  return preconditions;
}

function textOf(value: bigint | Uint8Array): string {
  return typeof value === "bigint" ? "" : Buffer.from(value).toString("utf8");
}
