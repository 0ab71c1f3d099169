// SPDX-License-Identifier: Apache-2.0
import type { Suite } from "../../framework/types.ts";
import { builtInTables } from "./built-in-tables.ts";
import { customTables } from "./custom-tables.ts";
import { crds, GROUP } from "./kinds.ts";

/** Lists as tables, made by the server: what `kubectl get` shows. */
export const printing: Suite = {
  category: "printing",
  minimum: 10,
  group: GROUP,
  crds,
  cases: [...customTables, ...builtInTables],
};
