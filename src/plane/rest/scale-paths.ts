// SPDX-License-Identifier: Apache-2.0
import { isList, isObject } from "../../schema/go-text.ts";
import type { Json, Problem } from "../../schema/index.ts";
import { invalid } from "../../schema/problems.ts";
import { goText } from "../patch/fields/go-values.ts";
import type { KubeObject, ScaleSubresource } from "../types.ts";

const MAX_INT32 = 2 ** 31 - 1;

/** What stands at a simple path such as `.spec.replicas`. */
export function readPath(object: KubeObject, path: string): unknown {
  let value: unknown = object;
  for (const step of path.replace(/^\./, "").split("."))
    value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  return value;
}

/** The object with another value at a simple path. Objects on the way are made where there are none. */
export function writePath(object: KubeObject, path: string, value: unknown): KubeObject {
  const [first = "", ...rest] = path.replace(/^\./, "").split(".");
  return { ...object, [first]: writeBelow(object[first], rest, value) };
}

function writeBelow(parent: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  const fields = isObject(parent) ? parent : {};
  return { ...fields, [step]: writeBelow(fields[step], rest, value) };
}

/** What the server objects to where the scale subresource looks. */
export function scalePathProblems(object: KubeObject, scale: ScaleSubresource): Problem[] {
  return [
    ...replicasProblems(object, scale.specReplicasPath),
    ...replicasProblems(object, scale.statusReplicasPath),
    ...selectorProblems(object, scale.labelSelectorPath),
  ];
}

function replicasProblems(object: KubeObject, path: string): Problem[] {
  const value = readPath(object, path);
  const location = { path: path.replace(/^\./, "").split("."), field: path };
  if (value === undefined) return [];
  if (typeof value !== "number" || !Number.isInteger(value)) {
    const words = `${path} accessor error: ${goText(value as Json)} is of the type ${goType(value)}, expected int64`;
    return [invalid(location, 0, words)];
  }
  if (value < 0) return [invalid(location, value, "should be a non-negative integer")];
  if (value > MAX_INT32) return [invalid(location, value, `should be less than or equal to ${MAX_INT32}`)];
  return [];
}

function selectorProblems(object: KubeObject, path: string | undefined): Problem[] {
  if (path === undefined) return [];
  const value = readPath(object, path);
  if (value === undefined || typeof value === "string") return [];
  const words = `${path} accessor error: ${goText(value as Json)} is of the type ${goType(value)}, expected string`;
  return [invalid({ path: path.replace(/^\./, "").split("."), field: path }, "", words)];
}

function goType(value: unknown): string {
  if (value === null) return "<nil>";
  if (isList(value)) return "[]interface {}";
  if (isObject(value)) return "map[string]interface {}";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : "string";
}
