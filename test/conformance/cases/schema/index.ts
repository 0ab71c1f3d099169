// SPDX-License-Identifier: Apache-2.0
import type { Suite } from "../../framework/types.ts";
import { changedKinds, changedSchemas } from "./changed-schemas.ts";
import { defaults } from "./defaults.ts";
import { definitions } from "./definitions.ts";
import { GROUP } from "./kinds.ts";
import { ruleKinds } from "./rule-kinds.ts";
import { rules } from "./rules.ts";
import { valueKinds } from "./value-kinds.ts";
import { values } from "./values.ts";

/** Schemas of custom resources: validation, CEL rules, defaults, pruning, ratcheting, and what a schema may not be. */
export const schema: Suite = {
  category: "schema",
  minimum: 40,
  group: GROUP,
  crds: [...valueKinds, ...ruleKinds, ...changedKinds],
  cases: [...values, ...defaults, ...rules, ...definitions, ...changedSchemas],
};
