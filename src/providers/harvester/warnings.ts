// SPDX-License-Identifier: Apache-2.0
import type { Trouble } from "../../engine/provider.ts";
import type { CoreEvent } from "../../kube/index.ts";
import type { VirtualMachineInstance } from "./kinds.ts";

/** Events that say why a machine does not start. Others, such as a failed probe, come and go. */
const TELLING = new Set([
  "FailedCreate",
  "FailedScheduling",
  "FailedMount",
  "ProvisioningFailed",
  "InsufficientResourceQuota",
]);

const NETWORK_MISSING =
  /network[- ]attachment[- ]definition.*(not found|not exist|cannot find)|(failed to locate|cannot find|could not find) network/i;
const QUOTA = /exceeded quota|insufficient.*quota/i;
const SECRET_MISSING = /secret "?[^" ]+"? not found/i;

/** What an instance's own conditions say about why it does not start. */
export function conditionTrouble(name: string, instance: VirtualMachineInstance): Trouble | undefined {
  const failed = instance.status?.conditions?.find(
    ({ type, status, message }) => type === "Synchronized" && status === "False" && (message ?? "") !== "",
  );
  return failed === undefined ? undefined : toTrouble(name, failed.reason ?? "FailedCreate", failed.message ?? "");
}

/** What the newest telling event says about why a machine does not start. */
export function eventTrouble(name: string, events: readonly CoreEvent[]): Trouble | undefined {
  let newest: CoreEvent | undefined;
  for (const event of events)
    if (isTelling(event) && (newest === undefined || timeOf(event) >= timeOf(newest))) newest = event;
  return newest === undefined ? undefined : toTrouble(name, newest.reason ?? "", newest.message ?? "");
}

/** Whether an event may say why a machine does not start. */
export function isTelling({ type, reason, message }: CoreEvent): boolean {
  return type === "Warning" && TELLING.has(reason ?? "") && (message ?? "") !== "";
}

/** Whether an event says that a machine's Secret is not there. It is made right after the machine. */
export function isSecretMissing({ message = "" }: CoreEvent): boolean {
  return SECRET_MISSING.test(message);
}

function timeOf({ lastTimestamp, eventTime, series, metadata }: CoreEvent): string {
  return series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? "";
}

function toTrouble(name: string, reason: string, said: string): Trouble {
  const words = said.split("\n", 1)[0]?.trim() ?? "";
  if (NETWORK_MISSING.test(words))
    return {
      kind: "invalid",
      reason: "NetworkNotFound",
      message: `machine "${name}": its network does not exist on Harvester: make it, or change spec.harvester.networkName of the ProviderConfig (Harvester says: ${words})`,
    };
  if (QUOTA.test(words))
    return {
      kind: "exhausted",
      reason: "QuotaExceeded",
      message: `machine "${name}": a quota on Harvester is used up: raise it, or delete other machines (Harvester says: ${words})`,
    };
  if (reason === "FailedScheduling")
    return {
      kind: "exhausted",
      reason: "Unschedulable",
      message: `machine "${name}": no node of Harvester can take it: free or add capacity, or ask for less (Harvester says: ${words})`,
    };
  if (SECRET_MISSING.test(words))
    return {
      kind: "unavailable",
      reason: "UserDataMissing",
      message: `machine "${name}": the Secret with its user data is gone from Harvester: delete the MachineRequest and make it again (Harvester says: ${words})`,
    };
  return {
    kind: "unavailable",
    reason,
    message: `machine "${name}" does not start (Harvester says: ${words}): see its events on Harvester`,
  };
}
