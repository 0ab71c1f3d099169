// SPDX-License-Identifier: Apache-2.0
import type { Suite } from "../../framework/types.ts";
import { finalizers } from "./finalizers.ts";
import { crds, GROUP } from "./kinds.ts";
import { namespaces } from "./namespaces.ts";
import { owners } from "./owners.ts";

/** Finalizers, owners, and the end of namespaces and kinds. */
export const garbage: Suite = {
  category: "garbage",
  minimum: 20,
  group: GROUP,
  crds,
  controllers: true,
  atOnce: 8,
  // Those that wait longest begin first.
  cases: [...namespaces, ...owners, ...finalizers],
};
