// SPDX-License-Identifier: Apache-2.0
import type { Mark, Stranger } from "../../engine/provider.ts";
import type { KubeObject } from "../../kube/index.ts";
import { ANNOTATIONS, LABELS } from "./names.ts";

/** What every object of a machine carries as labels. */
export function markLabels(mark: Mark): Record<string, string> {
  return {
    [LABELS.machineId]: mark.machineId,
    [LABELS.installation]: mark.installation,
    [LABELS.attempt]: String(mark.attempt),
    [LABELS.launch]: mark.launch,
    [LABELS.managedBy]: "butler",
  };
}

/** What it carries as annotations: an owner has a slash in it, which no label may have. */
export function markAnnotations(mark: Mark): Record<string, string> {
  return { [ANNOTATIONS.owner]: mark.owner };
}

/** The mark of an object; undefined where it has none. */
export function readMark({ metadata }: KubeObject): Mark | undefined {
  const { labels = {}, annotations = {} } = metadata;
  const machineId = labels[LABELS.machineId];
  const installation = labels[LABELS.installation];
  if (machineId === undefined || installation === undefined) return undefined;
  const attempt = Number(labels[LABELS.attempt]);
  return {
    machineId,
    installation,
    attempt: Number.isSafeInteger(attempt) ? attempt : 0,
    launch: labels[LABELS.launch] ?? "",
    owner: annotations[ANNOTATIONS.owner] ?? "",
  };
}

/** Whether two marks are of the same MachineRequest, whatever the attempt. */
export function isSameMachine(one: Mark | undefined, other: Mark): boolean {
  return (
    one !== undefined &&
    one.machineId === other.machineId &&
    one.installation === other.installation &&
    one.owner === other.owner
  );
}

/** Tells an object that is in the way. */
export function strangerOf(object: KubeObject): Stranger {
  const { namespace = "", name = "", uid } = object.metadata;
  const mark = readMark(object);
  return {
    what: `${object.kind} ${namespace}/${name}`,
    ...(mark === undefined ? {} : { mark }),
    ...(uid === undefined ? {} : { providerId: uid }),
  };
}
