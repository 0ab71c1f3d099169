// SPDX-License-Identifier: Apache-2.0
export { type Applied, applyPatch } from "./apply-patch.ts";
export { jsonPatch, jsonPatchUnknownFields } from "./json-patch.ts";
export { kindOptions } from "./kind-options.ts";
export { mergePatch } from "./merge-patch.ts";
export { PatchError } from "./patch-error.ts";
export { strategicMergePatch } from "./strategic-merge-patch.ts";
export { trackUpdate } from "./track-update.ts";
export { isUnchanged } from "./unchanged.ts";
