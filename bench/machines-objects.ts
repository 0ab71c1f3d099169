// SPDX-License-Identifier: Apache-2.0
import type { MachineRequest } from "../src/api/index.ts";
import type { MachineWant } from "../src/engine/provider.ts";
import { requestObject } from "../test/engine/life-objects.ts";

export const NAMESPACE = "bench";
export const CONFIG = "harvester-bench";
const pathIn = (group: string) => `/apis/${group}/v1alpha1/namespaces/${NAMESPACE}/machinerequests`;
const GROUP = "butler.butlerlabs.dev";
const COPY_GROUP = "bench.butlerlabs.dev";

/** Where requests are: the manager's, and those of the same kind in another group, which it does not know of. */
export const REQUESTS = pathIn(GROUP);
export const COPIES = pathIn(COPY_GROUP);

/** A request among those others that nobody makes a machine for. */
export const PROBE = "probe";

/** The definition of those others. */
export function copyOf(definition: object): object {
  return JSON.parse(JSON.stringify(definition), (name, value) => {
    if (name === "group" && value === GROUP) return COPY_GROUP;
    return value === `machinerequests.${GROUP}` ? `machinerequests.${COPY_GROUP}` : value;
  });
}

export const EVENTS = `/apis/events.k8s.io/v1/namespaces/${NAMESPACE}/events`;

/** Three kilobytes: less than the configuration of a Talos node has, more than may stand in the machine itself. */
const USER_DATA = `#cloud-config\n${"# the configuration of a node, which differs from one to the next in little\n".repeat(40)}`;

/** A request as users write it. */
export function requestNamed(name: string, path = REQUESTS): object {
  const request = requestObject({ name, namespace: NAMESPACE, config: CONFIG, spec: { userData: USER_DATA } });
  return path === REQUESTS ? request : { ...request, apiVersion: `${COPY_GROUP}/v1alpha1` };
}

/** The machine that such a request asks for. */
export function wantNamed(name: string, installation: string, machineId: string): MachineWant {
  return {
    name,
    mark: { machineId, installation, attempt: 1, launch: "0123456789abcdef", owner: `${NAMESPACE}/${name}` },
    token: machineId,
    role: "worker",
    cpu: 2,
    memoryMb: 4096,
    diskGb: 20,
    extraDisks: [],
    userData: USER_DATA,
    labels: {},
  };
}

type Status = NonNullable<MachineRequest["status"]>;

/** A status of the size that the manager's have. */
export function statusWith(
  phase: Status["phase"],
  machine: { readonly id?: string; readonly address?: string },
): Status {
  const { id, address } = machine;
  const time = `${new Date().toISOString().slice(0, 19)}Z`;
  const condition = (type: string, isTrue: boolean, message: string) => ({
    type,
    status: isTrue ? ("True" as const) : ("False" as const),
    reason: isTrue ? `VM${phase}` : "AsExpected",
    message,
    lastTransitionTime: time,
    observedGeneration: 1,
  });
  return {
    phase,
    ...(id === undefined ? {} : { providerID: id }),
    ...(address === undefined ? {} : { ipAddress: address, ipAddresses: [address] }),
    conditions: [
      condition("Ready", phase === "Running", `The virtual machine is ${phase}, as far as its infrastructure tells`),
      condition("Progressing", phase !== "Running", `The virtual machine is ${phase}`),
      condition("Degraded", false, "Nothing is wrong"),
    ],
    lastUpdated: time,
    observedGeneration: 1,
  };
}

/** News about a request, of the size that the manager's have. */
export function eventAbout({ name, uid }: { readonly name: string; readonly uid: string }, reason: string): object {
  return {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name: `${name}.${reason.toLowerCase()}`, namespace: NAMESPACE },
    eventTime: `${new Date().toISOString().slice(0, 23)}000Z`,
    reportingController: "butler.butlerlabs.dev/bench",
    reportingInstance: "bench",
    action: reason,
    reason,
    regarding: {
      apiVersion: `${COPY_GROUP}/v1alpha1`,
      kind: "MachineRequest",
      name,
      namespace: NAMESPACE,
      uid,
    },
    note: `Virtual machine "${name}" (${uid}) has come to this`,
    type: "Normal",
  };
}
