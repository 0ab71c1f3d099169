// SPDX-License-Identifier: Apache-2.0
import type { Suite } from "../../framework/types.ts";
import { identities } from "./identity.ts";
import { crds, GROUP } from "./kinds.ts";
import { reviews } from "./reviews.ts";
import { rights } from "./rights.ts";

/** Who a caller is and what they may do. */
export const auth: Suite = {
  category: "auth",
  minimum: 10,
  group: GROUP,
  crds,
  cases: [...identities, ...rights, ...reviews],
};
