// SPDX-License-Identifier: Apache-2.0
export type { UnknownField } from "./pruning.ts";
export type { ResourceObject, ResourceOptions } from "./read-object.ts";
export {
  type Admission,
  type AdmitOptions,
  type Checked,
  type CheckOptions,
  compileResource,
  type Decoded,
  type Resource,
} from "./resource.ts";
export { type StructuralOptions, structuralProblems } from "./structural/index.ts";
export type { Json, Path, Problem, ProblemReason, Schema, ValidationRule } from "./types.ts";
