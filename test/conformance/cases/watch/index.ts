// SPDX-License-Identifier: Apache-2.0
import type { Suite } from "../../framework/types.ts";
import { bookmarks } from "./bookmarks.ts";
import { events } from "./events.ts";
import { formats } from "./formats.ts";
import { crds, GROUP } from "./kinds.ts";
import { selectors } from "./selectors.ts";
import { start } from "./start.ts";

/** Watches: where they begin, what they send, how they end. */
export const watch: Suite = {
  category: "watch",
  minimum: 30,
  group: GROUP,
  crds,
  cases: [...start, ...events, ...selectors, ...bookmarks, ...formats],
};
