// SPDX-License-Identifier: Apache-2.0
import { isIntegerQuantity, parseQuantity, quantitySign } from "../../lib/quantity.ts";
import type { Json, Problem } from "../../schema/index.ts";
import { labelKeyProblems } from "../../schema/names.ts";
import { key, type Place } from "../../schema/place.ts";
import { at, invalid, notSupported } from "../../schema/problems.ts";
import type { KubeObject } from "../types.ts";
import { entriesAt, field, invalidFor } from "./rules.ts";

const RESIZE_STATUSES = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
].sort();

/** What is wrong with the status of a claim. */
export function claimStatusProblems(claim: KubeObject): Problem[] {
  const problems: Problem[] = [];
  for (const [name, value] of entriesAt(claim, "status", "capacity"))
    problems.push(...negativeProblems(value, key(field("status", "capacity"), name)));
  const statuses = field("status", "allocatedResourceStatuses");
  for (const [name, value] of entriesAt(claim, "status", "allocatedResourceStatuses")) {
    problems.push(...resourceNameProblems(name, statuses));
    if (!RESIZE_STATUSES.includes(String(value))) problems.push(notSupported(at(statuses), name, RESIZE_STATUSES));
  }
  const allocated = field("status", "allocatedResources");
  for (const [name, value] of entriesAt(claim, "status", "allocatedResources")) {
    const named = resourceNameProblems(name, allocated);
    problems.push(...(named.length > 0 ? named : negativeProblems(value, key(allocated, name))));
  }
  return problems;
}

function negativeProblems(value: Json | undefined, place: Place): Problem[] {
  const amount = parseQuantity(String(value));
  if (quantitySign(amount) >= 0) return [];
  const whole = isIntegerQuantity(amount) ? Number(amount.digits) * 10 ** amount.exponent : String(value);
  return [invalid(at(place), whole, "must be a valid resource quantity")];
}

function resourceNameProblems(name: string, place: Place): Problem[] {
  const words = labelKeyProblems(name);
  if (words.length > 0) return invalidFor(place, name, words);
  const isNative = !name.includes("/") || name.startsWith("kubernetes.io/");
  return isNative && name !== "storage" ? [notSupported(at(place), name, ["storage"])] : [];
}
