// SPDX-License-Identifier: Apache-2.0
import { type EventNews, findCondition } from "../kube/index.ts";
import { conditionsIn, DELETION_BLOCKED, DEPRECATED, type ProviderConfigStatus } from "./provider-config-status.ts";

/** What is worth an event between two statuses of a ProviderConfig. Pure. */
export function newsOf(
  before: ProviderConfigStatus | undefined,
  after: ProviderConfigStatus | undefined,
): readonly EventNews[] {
  const [old, now] = [conditionsIn(before), conditionsIn(after)];
  const news: EventNews[] = [];
  for (const [type, reason] of [
    [DEPRECATED, "DeprecatedShape"],
    [DELETION_BLOCKED, "ProviderConfigInUse"],
  ] as const) {
    const is = findCondition(now, type);
    if (is !== undefined && findCondition(old, type) === undefined)
      news.push({ type: "Warning", reason, note: is.message ?? "" });
  }
  const [was, is] = [findCondition(old, "Ready"), findCondition(now, "Ready")];
  if (is === undefined || (was?.status === is.status && was.reason === is.reason)) return news;
  const { status, reason = "ProviderNotReady", message: note = "" } = is;
  if (status === "True") news.push({ type: "Normal", reason: "ProviderReady", note });
  // Who deletes it knows.
  else if (status === "False" && reason !== "ProviderConfigDeleting") news.push({ type: "Warning", reason, note });
  return news;
}
