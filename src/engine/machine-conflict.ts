// SPDX-License-Identifier: Apache-2.0
import type { MachineRequest } from "../api/index.ts";
import { ANNOTATIONS, ownerOf } from "./identity.ts";
import type { Survey } from "./machine-survey.ts";
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
  record.trouble = planRetry({ verb: "find", error, before: record.trouble, clock, random });
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
