// SPDX-License-Identifier: Apache-2.0
import type { MachineRequest } from "../../api/index.ts";
import type { Draft } from "../../kube/index.ts";

/** Where everything of the demo stands, and how it is called. */
export const NAMESPACE = "butler-system";
export const CONFIG_NAME = "harvester-demo";
export const SECRET_NAME = "harvester-demo-credentials";

const CONTROL_PLANES = 3;

/** A cluster's worth of requests: three control planes, the rest workers. */
export function clusterOf(count: number): Draft<MachineRequest>[] {
  return Array.from({ length: count }, (_, at) => {
    const isWorker = at >= CONTROL_PLANES;
    const name = isWorker ? `demo-w-${at - CONTROL_PLANES}` : `demo-cp-${at}`;
    return {
      metadata: { name, namespace: NAMESPACE },
      spec: {
        providerRef: { name: CONFIG_NAME },
        machineName: name,
        role: isWorker ? "worker" : "control-plane",
        cpu: isWorker ? 8 : 4,
        memoryMB: isWorker ? 16_384 : 8192,
        diskGB: 60,
        userData: "#cloud-config\nhostname: demo\n",
        labels: { cluster: "demo" },
        deletionPolicy: "Delete",
      },
    };
  });
}
