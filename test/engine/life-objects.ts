// SPDX-License-Identifier: Apache-2.0
import type { MachineRequest } from "../../src/api/index.ts";
import type { SimulatedAccess } from "../../src/engine/testing/simulator.ts";
import type { Draft } from "../../src/kube/index.ts";

/** What a life needs besides its requests: the credentials, and the ProviderConfig that names them. */
export function accessObjects(name: string, { settings, secret }: SimulatedAccess): readonly object[] {
  const metadata = { name, namespace: "butler-system" };
  return [
    { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", stringData: secret },
    {
      apiVersion: "butler.butlerlabs.dev/v1alpha1",
      kind: "ProviderConfig",
      metadata,
      spec: { provider: "harvester", credentialsRef: { name }, harvester: settings },
    },
  ];
}

/** What of a request is not the same in each. */
export interface RequestWish {
  readonly name: string;
  readonly namespace: string;
  readonly config: string;
  readonly spec?: Partial<MachineRequest["spec"]>;
}

/** A request for a machine of the same name. */
export function requestObject({ name, namespace, config, spec }: RequestWish): Draft<MachineRequest> {
  return {
    apiVersion: "butler.butlerlabs.dev/v1alpha1",
    kind: "MachineRequest",
    metadata: { name, namespace },
    spec: {
      providerRef: { name: config, namespace: "butler-system" },
      machineName: name,
      role: "worker",
      cpu: 2,
      memoryMB: 4096,
      diskGB: 20,
      userData: "#cloud-config\nhostname: test\n",
      deletionPolicy: "Delete",
      ...spec,
    },
  };
}
