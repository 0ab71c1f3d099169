// SPDX-License-Identifier: Apache-2.0
import { isObject } from "../../schema/go-text.ts";
import { badRequest } from "../status-error.ts";
import type { KubeObject, ResourceType, ScaleSubresource } from "../types.ts";
import { withMetadata } from "./metadata.ts";
import { readPath, writePath } from "./scale-paths.ts";

/** The `Scale` of an object: what autoscalers see of it. */
export function scaleOf(object: KubeObject, scale: ScaleSubresource): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = readPath(object, scale.specReplicasPath);
  if (replicas === undefined)
    // A real server calls this an internal error. It is the client that asks for what is not there.
    throw badRequest(`the spec replicas field ${JSON.stringify(scale.specReplicasPath)} does not exist`);
  const selector = scale.labelSelectorPath === undefined ? undefined : readPath(object, scale.labelSelectorPath);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: withoutUndefined({ name, namespace, uid, resourceVersion, creationTimestamp }),
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: readPath(object, scale.statusReplicasPath) ?? 0,
      ...(typeof selector === "string" && selector !== "" ? { selector } : {}),
    },
  };
}

function withoutUndefined<T extends object>(fields: T): { [name in keyof T]: NonNullable<T[name]> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [name in keyof T]: NonNullable<T[name]> };
}

/** The object as a changed `Scale` wants it: the replicas, and what it says of uid and resourceVersion. */
export function rescaled(type: ResourceType, object: KubeObject, wanted: KubeObject): KubeObject {
  const { scale } = type;
  if (scale === undefined) return object;
  const spec = wanted.spec;
  const replicas = isObject(spec) ? (spec.replicas ?? 0) : 0;
  if (typeof replicas !== "number" || !Number.isInteger(replicas))
    throw badRequest(
      `json: cannot unmarshal ${typeof replicas} into Go struct field ScaleSpec.spec.replicas of type int32`,
    );
  const { resourceVersion = object.metadata.resourceVersion } = wanted.metadata;
  return withMetadata(writePath(object, scale.specReplicasPath, replicas), { resourceVersion });
}
