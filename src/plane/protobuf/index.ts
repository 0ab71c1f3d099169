// SPDX-License-Identifier: Apache-2.0
import type { MutableObject } from "../../schema/json.ts";
import type { ResourceType } from "../types.ts";
import { openEnvelope, readMessage } from "./read.ts";

export { readDeleteOptions } from "./delete-options.ts";
export { ProtobufError } from "./wire.ts";

/** The media type of protobuf bodies, which kubectl sends for built-in kinds. */
export const PROTOBUF = "application/vnd.kubernetes.protobuf";

/**
 * Reads a protobuf body of a built-in kind into the object that it would be as JSON, with the kind and version it says it
 * has. Throws a `ProtobufError` for anything else. Answers need no protobuf: clients that send it take JSON too.
 */
export function readProtobuf(body: Uint8Array, type: ResourceType): MutableObject {
  const { apiVersion, kind, message } = openEnvelope(body);
  const object = kind === type.kind || kind === "" ? readMessage(message, type.schema) : {};
  return { ...object, apiVersion, kind };
}
