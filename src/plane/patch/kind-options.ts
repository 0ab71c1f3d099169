// SPDX-License-Identifier: Apache-2.0
import type { Json, Schema } from "../../schema/index.ts";
import type { KubeObject, ResourceType } from "../types.ts";
import { outcomeOf } from "./json-object.ts";

/** What `applyPatch` and `trackUpdate` need to know of a kind and of the path that is written through. */
export interface KindOptions {
  readonly schema: Schema;
  readonly subresource: string;
  readonly resetFields: readonly string[];
  readonly empty: KubeObject;
  readonly isCustom: boolean;
  readonly schemaOf: (apiVersion: string) => Schema | undefined;
}

/** The options for a write to a resource, or to a subresource of it; with a look at the kind's other versions where it has some. */
export function kindOptions(
  type: ResourceType,
  subresource = "",
  schemaOf: KindOptions["schemaOf"] = () => undefined,
): KindOptions {
  const apiVersion = type.group === "" ? type.version : `${type.group}/${type.version}`;
  const nothing: Json = { apiVersion, kind: type.kind };
  return {
    schema: type.schema,
    subresource,
    resetFields: resetFields(type, subresource),
    isCustom: type.isCustom,
    schemaOf,
    // Read into its Go type and written back, an empty object of a built-in kind is not empty.
    empty: outcomeOf(type.isCustom ? nothing : type.resource.prune(nothing)),
  };
}

/**
 * What a write through a path cannot change, so that nobody comes to own it by that write: the object itself leaves status
 * alone where status has a path of its own, and that path leaves the rest alone.
 */
export function resetFields(
  type: Pick<ResourceType, "hasStatus" | "isCustom">,
  subresource: string,
): readonly string[] {
  if (subresource === "status") return type.isCustom ? ["metadata", "spec"] : ["spec"];
  return type.hasStatus ? ["status"] : [];
}
