// SPDX-License-Identifier: Apache-2.0
import { type Applied, applyPatch, kindOptions, trackUpdate } from "../patch/index.ts";
import type { KubeObject, ResourceType } from "../types.ts";
import { type Machinery, timeText } from "./machinery.ts";
import { withMetadata } from "./metadata.ts";
import type { WriteOptions } from "./objects.ts";

/** The object with managedFields brought up to date after a change by anything but apply. */
export function track(
  machinery: Machinery,
  type: ResourceType,
  change: { readonly before: KubeObject | undefined; readonly after: KubeObject },
  options: WriteOptions,
): KubeObject {
  const tracked = trackUpdate({ ...change, manager: options.manager ?? "", ...ownership(machinery, type, options) });
  return options.subresource === "scale" && tracked !== change.before ? withoutScaleTimes(tracked) : tracked;
}

/** The real server notes no time for what is written at scale. */
function withoutScaleTimes(object: KubeObject): KubeObject {
  const managedFields = object.metadata.managedFields?.map((entry) => {
    if (entry.subresource !== "scale") return entry;
    const { time: _, ...rest } = entry;
    return rest;
  });
  return withMetadata(object, { managedFields });
}

/** Lays a configuration over the live object. Throws conflicts and what else is wrong as a `PatchError`. */
export function apply(
  machinery: Machinery,
  type: ResourceType,
  patch: { readonly live: KubeObject | undefined; readonly config: unknown; readonly force: boolean },
  options: WriteOptions,
): Applied {
  return applyPatch({ ...patch, manager: options.manager ?? "", ...ownership(machinery, type, options) });
}

function ownership({ clock, registry }: Machinery, type: ResourceType, { subresource = "" }: WriteOptions) {
  return {
    ...kindOptions(type, subresource, (apiVersion) => {
      const [version = "", group = ""] = apiVersion.split("/").reverse();
      return registry.find(group, version, type.plural)?.schema;
    }),
    time: timeText(clock.now()),
  };
}
