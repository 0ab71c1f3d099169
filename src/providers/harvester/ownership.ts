// SPDX-License-Identifier: Apache-2.0
import type { Mark } from "../../engine/provider.ts";
import type { ProviderErrorParts } from "../../engine/provider-error.ts";
import type { KubeObject } from "../../kube/index.ts";
import { isSameMachine, readMark } from "./mark.ts";

/**
 * Why an object that is there already cannot be this machine's: it is a stranger's, of an earlier attempt, or on its way out.
 * Undefined where it is this very attempt's.
 */
export function objectionTo(object: KubeObject, mark: Mark): ProviderErrorParts | undefined {
  const { kind, metadata } = object;
  const what = `${kind} ${metadata.namespace}/${metadata.name}`;
  const other = readMark(object);
  if (other === undefined || !isSameMachine(other, mark)) return strangerParts(what, other, mark);
  if (metadata.deletionTimestamp !== undefined)
    return {
      kind: "unavailable",
      reason: "BeingDeleted",
      message: `${what} of this machine is still being deleted; it is made anew when that is over`,
      code: "AlreadyExists",
    };
  if (other.attempt !== mark.attempt)
    return {
      kind: "unavailable",
      reason: "EarlierAttempt",
      message: `${what} is of attempt ${other.attempt} and this is attempt ${mark.attempt}; it must be gone first`,
      code: "AlreadyExists",
    };
  return undefined;
}

function strangerParts(what: string, other: Mark | undefined, mark: Mark): ProviderErrorParts {
  const isCopy = other?.machineId === mark.machineId && other.installation === mark.installation;
  return {
    kind: "invalid",
    reason: isCopy ? "IdentityConflict" : "NameConflict",
    message: `${what} exists already and belongs to ${ownerText(other, mark)}; it is left alone: ${
      isCopy
        ? "remove the annotations butler.butlerlabs.dev/machine-id, attempt and launch that were copied to this MachineRequest"
        : "choose another spec.machineName, or remove it"
    }`,
    code: "AlreadyExists",
  };
}

function ownerText(other: Mark | undefined, { installation }: Mark): string {
  if (other === undefined) return "somebody else";
  const owner = `MachineRequest "${other.owner}"`;
  return other.installation === installation ? owner : `${owner} of another installation of Butler`;
}
