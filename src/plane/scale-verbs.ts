// SPDX-License-Identifier: Apache-2.0
import { type Call, keyOf, type ResourceServer, writeContext } from "./call.ts";
import { jsonPatch, mergePatch } from "./patch/index.ts";
import { asObject } from "./rest/admit.ts";
import { claimOf } from "./rest/decode.ts";
import type { Patch } from "./rest/objects.ts";
import { writeOptions } from "./rest/options.ts";
import { inServerWords } from "./rest/patch.ts";
import { bodyOf } from "./rest/read-object.ts";
import { patchTypeOf, readPatch } from "./rest/read-patch.ts";
import { respond } from "./rest/render.ts";
import { rescaled, scaleOf } from "./rest/scale.ts";
import { noSuchResource } from "./status-error.ts";
import type { KubeObject, PlaneResponse } from "./types.ts";

/** PUT or PATCH of an object's scale: its replicas change, and nothing else. */
export async function changeScale(server: ResourceServer, call: Call): Promise<PlaneResponse> {
  const { request, info, type, rendering } = call;
  const { scale } = type;
  if (scale === undefined) throw noSuchResource();
  const patchType = info.verb === "patch" ? patchTypeOf({ isCustom: true }, request) : undefined;
  const asked = writeOptions(info.query, {
    kind: patchType === undefined ? "UpdateOptions" : "PatchOptions",
    userAgent: request.headers["user-agent"],
    isApply: patchType === "apply",
  });
  const wanted =
    patchType === undefined
      ? () => asObject(claimOf(bodyOf({ ...type, kind: "Scale" }, request), "Scale", true).object)
      : (current: KubeObject) => patched(current, readPatch(patchType, request, asked.force).patch);
  const outcome = await server.objects.updateObject(
    type,
    keyOf(call),
    (current) => rescaled(type, current, wanted(scaleOf(current, scale))),
    { ...writeContext(server, call), ...asked },
  );
  return respond(200, JSON.stringify(scaleOf(outcome.object, scale)), rendering, outcome.warnings);
}

/** A Scale is so small that applying to it is merging into it. */
function patched(scale: KubeObject, patch: Patch): KubeObject {
  return inServerWords(() =>
    patch.type === "json" ? jsonPatch(scale, patch.operations) : mergePatch(scale, patch.body),
  );
}
