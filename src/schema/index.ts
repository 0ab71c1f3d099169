// SPDX-License-Identifier: Apache-2.0
export type { UnknownField } from "./pruning.ts";
export {
  type Admission,
  type AdmitOptions,
  compileResource,
  type Decoded,
  type Resource,
  type ResourceObject,
  type ResourceOptions,
} from "./resource.ts";
export type { Json, Path, Problem, ProblemReason, Schema, ValidationRule } from "./types.ts";
