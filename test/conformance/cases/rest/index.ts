// SPDX-License-Identifier: Apache-2.0
import type { Suite } from "../../framework/types.ts";
import { bodies } from "./bodies.ts";
import { builtInKinds } from "./built-in-kinds.ts";
import { create } from "./create.ts";
import { definitions } from "./definitions.ts";
import { remove } from "./delete.ts";
import { discovery } from "./discovery.ts";
import { crds, GROUP } from "./kinds.ts";
import { read } from "./read.ts";
import { update } from "./update.ts";

/** REST verbs and what is said when they are refused. */
export const rest: Suite = {
  category: "rest",
  minimum: 40,
  group: GROUP,
  crds,
  cases: [...create, ...read, ...update, ...remove, ...bodies, ...builtInKinds, ...discovery, ...definitions],
};
