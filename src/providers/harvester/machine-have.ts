// SPDX-License-Identifier: Apache-2.0
import type { MachineHave, Trouble } from "../../engine/provider.ts";
import type { CoreEvent, KubeObject } from "../../kube/index.ts";
import { readAddresses } from "./addresses.ts";
import type { SeenMachine, VirtualMachineInstance } from "./kinds.ts";
import { readMark } from "./mark.ts";
import { ANNOTATIONS, LABELS } from "./names.ts";
import { stateOf, statusTrouble } from "./printable-status.ts";
import { ZONE_LABEL } from "./virtual-machine.ts";
import { conditionTrouble, eventTrouble, isSecretMissing } from "./warnings.ts";

/** All that there is of one machine on Harvester. */
export interface MachineParts {
  readonly vm?: SeenMachine | undefined;
  readonly instance?: VirtualMachineInstance | undefined;
  readonly claims: readonly KubeObject[];
  readonly secrets: readonly KubeObject[];
  /** Events about any of the others. */
  readonly events: readonly CoreEvent[];
}

/** The machine that these parts are; undefined where there is none of them, or none with a mark. */
export function machineHave(parts: MachineParts): MachineHave | undefined {
  const { vm, instance } = parts;
  if (vm === undefined) return remains(parts);
  const mark = readMark(vm);
  if (mark === undefined) return undefined;
  const { name = "", uid } = vm.metadata;
  const state = stateOf(vm, instance);
  const { addresses, macAddress } = readAddresses(instance?.status?.interfaces ?? []);
  const failureDomain = instance?.status?.nodeName === undefined ? undefined : zoneOf(vm);
  const trouble = state === "deleting" ? undefined : troubleOf(parts, vm, state === "pending");
  return {
    name,
    mark,
    providerId: uid,
    state,
    addresses,
    ...(macAddress === undefined ? {} : { macAddress }),
    ...(failureDomain === undefined ? {} : { failureDomain }),
    ...(trouble === undefined ? {} : { trouble }),
    detail: detailOf(vm, instance, state === "running" && addresses.length === 0),
    labels: requestedLabels(vm),
  };
}

/** What is left where the virtual machine itself is not there. */
function remains({ instance, claims, secrets }: MachineParts): MachineHave | undefined {
  const objects: readonly KubeObject[] = [...(instance === undefined ? [] : [instance]), ...claims, ...secrets];
  for (const object of objects) {
    const mark = readMark(object);
    if (mark === undefined) continue;
    const { name = "", labels = {} } = object.metadata;
    return {
      name: labels[LABELS.vmName] ?? name,
      mark,
      providerId: undefined,
      state: "remains",
      addresses: [],
      detail: `left: ${objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).join(", ")}`,
      labels: {},
    };
  }
  return undefined;
}

function troubleOf(parts: MachineParts, vm: SeenMachine, isPending: boolean): Trouble | undefined {
  const { instance } = parts;
  const { name = "" } = vm.metadata;
  const known = statusTrouble(vm, instance);
  if (known !== undefined || !isPending) return known;
  return (instance === undefined ? undefined : conditionTrouble(name, instance)) ?? eventTrouble(name, eventsOf(parts));
}

/** What is still true of them: that the Secret was missing is over when it is there. */
function eventsOf({ secrets, events }: MachineParts): readonly CoreEvent[] {
  return secrets.length === 0 ? events : events.filter((event) => !isSecretMissing(event));
}

function detailOf(
  { status }: SeenMachine,
  instance: VirtualMachineInstance | undefined,
  lacksAddress: boolean,
): string {
  const { printableStatus = "Accepted" } = status ?? {};
  const hasAgent = instance?.status?.conditions?.some(
    (condition) => condition.type === "AgentConnected" && condition.status === "True",
  );
  return lacksAddress && hasAgent !== true ? `${printableStatus}, guest agent not connected` : printableStatus;
}

/** The labels that came from the MachineRequest, as they are now. */
function requestedLabels({ metadata: { labels = {}, annotations = {} } }: SeenMachine): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readLabelNames(annotations[ANNOTATIONS.labelNames])) {
    const value = labels[name];
    if (value !== undefined) found[name] = value;
  }
  return found;
}

/** Reads the annotation that remembers which labels came from the request. Nonsense in it counts as none. */
export function readLabelNames(text: string | undefined): readonly string[] {
  try {
    const names: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(names) ? names.filter((name): name is string => typeof name === "string") : [];
  } catch {
    return [];
  }
}

function zoneOf({ spec }: SeenMachine): string | undefined {
  const { nodeAffinity } = spec.template.spec.affinity ?? {};
  const terms = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  // Harvester adds expressions of its own.
  return terms.flatMap(({ matchExpressions = [] }) => matchExpressions).find(({ key }) => key === ZONE_LABEL)
    ?.values[0];
}
