// SPDX-License-Identifier: Apache-2.0
import type { MachineRequest } from "../api/index.ts";
import type { Connected } from "./connections.ts";
import { ANNOTATIONS, ownerOf } from "./identity.ts";
import type { Survey } from "./machine-survey.ts";
import { RELEASED, SYSTEM_NAMESPACE } from "./names.ts";
import type { Stranger } from "./provider.ts";
import { ProviderError } from "./provider-error.ts";
import { planRetry } from "./retry-plan.ts";
import type { Verdict } from "./situation.ts";
import type { Workbench } from "./workbench.ts";

interface Conflict {
  readonly verdict: Extract<Verdict, { readonly is: "stranger" | "copied" }>;
  readonly surveyed: Survey;
  readonly bench: Workbench;
}

/** Remembers as trouble that somebody else has the machine's name or id: it is tried again like an error. */
export function meetConflict(request: MachineRequest, { verdict, surveyed, bench }: Conflict): void {
  const name = surveyed.sought?.name ?? request.spec.machineName;
  const error = new ProviderError({ kind: "invalid", ...conflictOf(request, { verdict, surveyed, name }) });
  const { record, clock, random } = bench;
  const { trouble: before } = record;
  const isKnown = before?.error.reason === error.reason && before.error.message === error.message;
  // What was told a moment ago is not news: to tell it again, with new times, would bring the request back here at once.
  if (isKnown && before.retryAt > clock.monotonic()) return;
  record.trouble = planRetry({ verb: "find", error, before, clock, random });
}

function conflictOf(
  request: MachineRequest,
  { verdict, surveyed, name }: Pick<Conflict, "verdict" | "surveyed"> & { readonly name: string },
) {
  const remedy = `remove ${ANNOTATIONS.machineId}, ${ANNOTATIONS.attempt} and ${ANNOTATIONS.launch} from this one`;
  if (verdict.is === "copied")
    return {
      reason: "IdentityConflict",
      message: `machine "${name}": the annotations of MachineRequest "${verdict.from}" were copied to this one; ${remedy}`,
    };
  const { what, mark } = verdict.stranger;
  const recordedId = request.status?.providerID;
  const isRecorded = recordedId !== undefined && verdict.stranger.providerId === recordedId;
  const isMarked =
    mark !== undefined && mark.machineId === surveyed.identity?.machineId && mark.owner === ownerOf(request);
  if (isRecorded || isMarked)
    return {
      reason: mark === undefined ? "NameConflict" : "IdentityConflict",
      message: `machine "${name}": ${what} is the machine of this MachineRequest, but does not carry its mark any more and is left alone; ${wayBack(request, surveyed)}`,
    };
  const { look } = surveyed.situation;
  if (look.by === "find" && look.isKinLetGo && surveyed.home !== undefined)
    return { reason: "NameConflict", message: letGoMessage({ name, stranger: verdict.stranger, home: surveyed.home }) };
  const owner = mark === undefined ? "is not Butler's" : `belongs to MachineRequest "${mark.owner}"`;
  if (mark !== undefined && mark.machineId === surveyed.identity?.machineId && mark.owner !== ownerOf(request))
    return {
      reason: "IdentityConflict",
      message: `machine "${name}": ${what} has the same machine id and ${owner}, whose annotations were copied to this one; ${remedy}`,
    };
  return {
    reason: "NameConflict",
    message: `machine "${name}": the name is taken by ${what}, which ${owner} and is left alone; choose another spec.machineName, or remove it`,
  };
}

interface LetGoInput {
  readonly name: string;
  readonly stranger: Stranger;
  readonly home: Pick<Connected, "config">;
}

/** What has the name is a machine of an earlier request of the same name, which was let go of: whose it is now, and how to get it back. */
export function letGoMessage({ name, stranger: { what, mark, providerId }, home }: LetGoInput): string {
  const namespaces = [...new Set([home.config.object.metadata.namespace ?? "", SYSTEM_NAMESPACE])];
  const lists = `the ConfigMap ${RELEASED} in namespace "${namespaces.join('" and the one in "')}"`;
  const ids = `${mark?.machineId ?? "unknown id"}${providerId === undefined ? "" : `, providerID ${providerId}`}`;
  return `machine "${name}": the name is taken by ${what}, which was made for MachineRequest "${mark?.owner}" before, was let go of (deletionPolicy Retain or the annotation ${ANNOTATIONS.abandon}) and is left alone; to take it back, remove its entry (${ids}) from ${lists}, and set the annotation ${ANNOTATIONS.retry}; otherwise choose another spec.machineName, or remove the machine`;
}

function wayBack({ metadata }: MachineRequest, { identity, home }: Survey): string {
  const { namespace, name } = metadata;
  const marks = `machine id ${identity?.machineId ?? "(unknown)"}, installation ${home?.installation ?? "(unknown)"}, owner ${namespace}/${name}`;
  const letGo = `kubectl annotate machinerequest -n ${namespace} ${name} ${ANNOTATIONS.abandon}=${identity?.machineId ?? "ID"}`;
  return `put its labels and annotations back (${marks}), or give it up without deleting it: ${letGo}, and delete the request`;
}
