// SPDX-License-Identifier: Apache-2.0
import { at, listAt, textAt } from "./read.ts";

/** A condition to be set; left out where a condition of that type is to go. */
export interface Told {
  readonly type: string;
  readonly status?: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
}

/** The condition of a type in a status, whoever's it is. */
export function conditionOf(status: unknown, type: string): unknown {
  return listAt(status, "conditions").find((condition) => textAt(condition, "type") === type);
}

/** Whether a condition has this status and, where given, this reason. */
export function isTold(status: unknown, { type, status: wanted = "True", reason }: Told): boolean {
  const found = conditionOf(status, type);
  return textAt(found, "status") === wanted && (reason === undefined || textAt(found, "reason") === reason);
}

/** The conditions with some of them set or taken away. The very same list where nothing changes. */
export function withConditions(status: unknown, told: readonly Told[], time: string): readonly unknown[] {
  return told.reduce((list, one) => withCondition(list, one, time), listAt(status, "conditions"));
}

function withCondition(list: readonly unknown[], told: Told, time: string): readonly unknown[] {
  const { type, status, reason, message } = told;
  const old = list.find((condition) => textAt(condition, "type") === type);
  if (status === undefined) return old === undefined ? list : list.filter((condition) => condition !== old);
  const isSame =
    textAt(old, "status") === status &&
    textAt(old, "reason") === (reason ?? "") &&
    textAt(old, "message") === (message ?? "");
  if (old !== undefined && isSame) return list;
  const lastTransitionTime = textAt(old, "status") === status ? (at(old, "lastTransitionTime") ?? time) : time;
  const next = {
    type,
    status,
    lastTransitionTime,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
  return old === undefined ? [...list, next] : list.map((condition) => (condition === old ? next : condition));
}
