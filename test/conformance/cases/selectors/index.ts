// SPDX-License-Identifier: Apache-2.0
import type { Suite } from "../../framework/types.ts";
import { fields } from "./fields.ts";
import { crds, GROUP } from "./kinds.ts";
import { labels } from "./labels.ts";
import { paging } from "./paging.ts";

/** What a list shows: label and field selectors, pages, versions. */
export const selectors: Suite = {
  category: "selectors",
  minimum: 20,
  group: GROUP,
  crds,
  cases: [...labels, ...fields, ...paging],
};
