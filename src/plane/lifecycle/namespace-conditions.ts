// SPDX-License-Identifier: Apache-2.0
import { listAt, textAt } from "../kinds/rules.ts";
import type { KubeObject, ResourceType } from "../types.ts";

/** What is left in a namespace that is being emptied. */
export interface Remains {
  /** How many objects of each type there are still; types without any are left out. */
  readonly counts: readonly { readonly type: Pick<ResourceType, "group" | "plural">; readonly count: number }[];
  /** How many objects wait for each finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Why some could not be deleted. */
  readonly failures: readonly string[];
}

interface Condition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

/** A namespace's conditions after a look at what remains in it; the very same list where they did not change. */
export function conditionsFor(namespace: KubeObject, remains: Remains, time: string): readonly unknown[] {
  const before = listAt(namespace, "status", "conditions");
  let conditions: readonly unknown[] = before;
  for (const condition of currentConditions(remains, time)) {
    const old = before.find((one) => textAt(one, "type") === condition.type);
    if (old === undefined) conditions = [...conditions, condition];
    else if (["status", "reason", "message"].some((name) => textAt(old, name) !== Object(condition)[name])) {
      const isSame = textAt(old, "status") === condition.status;
      const next = isSame ? { ...condition, lastTransitionTime: textAt(old, "lastTransitionTime") } : condition;
      conditions = conditions.map((one) => (one === old ? next : one));
    }
  }
  return conditions;
}

function currentConditions({ counts, finalizers, failures }: Remains, time: string): Condition[] {
  const condition = (type: string, fine: readonly [string, string], wrong?: readonly [string, string]): Condition => {
    const [reason, message] = wrong ?? fine;
    return { type, status: wrong === undefined ? "False" : "True", lastTransitionTime: time, reason, message };
  };
  return [
    condition("NamespaceDeletionDiscoveryFailure", ["ResourcesDiscovered", "All resources successfully discovered"]),
    condition("NamespaceDeletionGroupVersionParsingFailure", [
      "ParsedGroupVersions",
      "All legacy kube types successfully parsed",
    ]),
    condition(
      "NamespaceDeletionContentFailure",
      ["ContentDeleted", "All content successfully deleted, may be waiting on finalization"],
      failures.length === 0 ? undefined : ["ContentDeletionFailed", failuresText(failures)],
    ),
    condition(
      "NamespaceContentRemaining",
      ["ContentRemoved", "All content successfully removed"],
      counts.length === 0 ? undefined : ["SomeResourcesRemain", `Some resources are remaining: ${countsText(counts)}`],
    ),
    condition(
      "NamespaceFinalizersRemaining",
      ["ContentHasNoFinalizers", "All content-preserving finalizers finished"],
      finalizers.size === 0 ? undefined : ["SomeFinalizersRemain", finalizersText(finalizers)],
    ),
  ];
}

function failuresText(failures: readonly string[]): string {
  const list = [...failures].sort().join(", ");
  return `Failed to delete all resource types, ${failures.length} remaining: ${list}`;
}

function countsText(counts: Remains["counts"]): string {
  const lines = counts.map(({ type, count }) => `${type.plural}.${type.group} has ${count} resource instances`);
  return lines.sort().join(", ");
}

function finalizersText(finalizers: ReadonlyMap<string, number>): string {
  const lines = [...finalizers].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
  return `Some content in the namespace has finalizers remaining: ${lines.sort().join(", ")}`;
}
