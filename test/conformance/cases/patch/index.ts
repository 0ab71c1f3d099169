// SPDX-License-Identifier: Apache-2.0
import type { Suite } from "../../framework/types.ts";
import { json } from "./json.ts";
import { crds, GROUP } from "./kinds.ts";
import { merge } from "./merge.ts";
import { strategic } from "./strategic.ts";

/** Patches other than apply. */
export const patch: Suite = {
  category: "patch",
  minimum: 20,
  group: GROUP,
  crds,
  cases: [...json, ...merge, ...strategic],
};
