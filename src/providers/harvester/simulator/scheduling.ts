// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from "../../../plane/types.ts";
import { instanceSpec } from "./machine-view.ts";
import { at, listAt, textAt, textsAt } from "./read.ts";
import type { World } from "./world.ts";

const HOSTNAME = "kubernetes.io/hostname";

/** The node for an instance: one that it may run on, with the fewest instances. A text says why there is none. */
export function chooseNode(world: World, vmi: KubeObject): { readonly node: string } | { readonly why: string } {
  const nodes = world.changes.list("node");
  const refuse = (why: string) => ({ why: `0/${nodes.length} nodes are available: ${nodes.length} ${why}.` });
  if (!world.knobs.hasRoom) return refuse("Insufficient memory");
  const fitting = nodes.filter((node) => isAllowed(node, vmi));
  if (fitting.length === 0) return refuse("node(s) didn't match Pod's node affinity/selector");
  const others = keepsAway(vmi)
    ? world.changes.list("vmi").filter((other) => other.metadata.uid !== vmi.metadata.uid && nodeOf(other) !== "")
    : [];
  const free = fitting.filter((node) => !isAvoided(node, { vmi, others, nodes, strictly: true }));
  if (free.length === 0) return refuse("node(s) didn't match pod anti-affinity rules");
  const placed = world.changes.tally("vmi", nodeOf);
  const cost = (node: KubeObject) =>
    (placed.get(node.metadata.name ?? "") ?? 0) +
    (isAvoided(node, { vmi, others, nodes, strictly: false }) ? 1_000_000 : 0);
  const best = free.reduce((one, other) => (cost(other) < cost(one) ? other : one));
  return { node: best.metadata.name ?? "" };
}

function nodeOf(vmi: KubeObject): string {
  return textAt(vmi, "status", "nodeName");
}

/** Whether it matters who else is on a node. */
function keepsAway(vmi: KubeObject): boolean {
  return at(instanceSpec(vmi), "affinity", "podAntiAffinity") !== undefined;
}

function isAllowed(node: KubeObject, vmi: KubeObject): boolean {
  const spec = instanceSpec(vmi);
  const labels = node.metadata.labels ?? {};
  if (!Object.entries(textsAt(spec, "nodeSelector")).every(([name, value]) => labels[name] === value)) return false;
  const path = ["affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"];
  const terms = listAt(spec, ...path);
  return (
    terms.length === 0 || terms.some((term) => listAt(term, "matchExpressions").every((one) => holds(one, labels)))
  );
}

function holds(expression: unknown, labels: Readonly<Record<string, string>>): boolean {
  const value = labels[textAt(expression, "key")];
  const values = listAt(expression, "values");
  switch (textAt(expression, "operator")) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    default:
      return value === undefined;
  }
}

interface Neighbours {
  readonly vmi: KubeObject;
  readonly others: readonly KubeObject[];
  readonly nodes: readonly KubeObject[];
  readonly strictly: boolean;
}

/** Whether an instance keeps away from a node because of who is there, or in the same zone. */
function isAvoided(node: KubeObject, { vmi, others, nodes, strictly }: Neighbours): boolean {
  const rules = instanceSpec(vmi);
  const path = ["affinity", "podAntiAffinity"];
  const terms = strictly
    ? listAt(rules, ...path, "requiredDuringSchedulingIgnoredDuringExecution")
    : listAt(rules, ...path, "preferredDuringSchedulingIgnoredDuringExecution").map((one) =>
        Object(one) === one ? Reflect.get(Object(one), "podAffinityTerm") : undefined,
      );
  return terms.some((term) => {
    const topology = textAt(term, "topologyKey") || HOSTNAME;
    const place = node.metadata.labels?.[topology];
    const near = nodes.filter((one) => one.metadata.labels?.[topology] === place).map(({ metadata }) => metadata.name);
    return others.some((other) => near.includes(textAt(other, "status", "nodeName")) && isSelected(other, term));
  });
}

function isSelected(other: KubeObject, term: unknown): boolean {
  const labels = other.metadata.labels ?? {};
  const exactly = Object.entries(textsAt(term, "labelSelector", "matchLabels"));
  const expressions = listAt(term, "labelSelector", "matchExpressions");
  if (exactly.length + expressions.length === 0) return false;
  return exactly.every(([name, value]) => labels[name] === value) && expressions.every((one) => holds(one, labels));
}
