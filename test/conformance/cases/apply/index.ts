// SPDX-License-Identifier: Apache-2.0
import type { Suite } from "../../framework/types.ts";
import { conflicts } from "./conflicts.ts";
import { crds, GROUP } from "./kinds.ts";
import { builtIn } from "./kinds-built-in.ts";
import { requests } from "./requests.ts";
import { shapes } from "./shapes.ts";
import { updates } from "./updates.ts";

/** Server-side apply and managed fields. */
export const apply: Suite = {
  category: "apply",
  minimum: 40,
  group: GROUP,
  crds,
  managedFields: true,
  cases: [...requests, ...conflicts, ...shapes, ...builtIn, ...updates],
};
