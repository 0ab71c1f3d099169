// SPDX-License-Identifier: Apache-2.0
import { machineRequest, providerConfigKind, team } from "../../../api/index.ts";
import {
  type Client,
  customResourceDefinition,
  namespace as namespaceKind,
  secret as secretKind,
} from "../../../kube/index.ts";
import type { Plane } from "../../../plane/plane.ts";
import { SYSTEM_NAMESPACE } from "../../names.ts";
import { providerConfigDescriptor } from "../../provider-config-use.ts";
import type { ProviderEntry } from "../../provider-entry.ts";
import type { SimulatedAccess } from "../simulator.ts";

/** A text that stands in every machine's user data and must be seen nowhere else. */
export const USER_DATA_CANARY = "sweep-user-data-5d81c6f2a07b";

/** The same for network data, where a request has some. */
export const NETWORK_DATA_CANARY = "sweep-network-data-77fa2c90be14";

/** What machines are like unless told otherwise. */
export function usualSpec(name: string) {
  return {
    providerRef: { name: "prod" },
    machineName: name,
    role: "worker",
    cpu: 2,
    memoryMB: 2048,
    diskGB: 20,
    userData: `#cloud-config\npassword: ${USER_DATA_CANARY}\n`,
    labels: { sweep: "life" },
    deletionPolicy: "Delete",
  } as const;
}

/** The entry with its code at hand: reading it from disk would take time that no clock knows of. */
export async function loaded(entry: ProviderEntry): Promise<ProviderEntry> {
  const code = await entry.load?.();
  return code === undefined ? entry : { ...entry, load: async () => code };
}

/** What is furnished, and with what. */
export interface Furnishing {
  readonly client: Client;
  readonly plane: Plane;
  readonly entry: ProviderEntry;
  readonly access: SimulatedAccess;
}

/** Butler's kinds and namespace, the Secret `credentials` and the ProviderConfig `prod`. */
export async function furnish({ client, plane, entry, access }: Furnishing): Promise<void> {
  for (const kind of [machineRequest, providerConfigKind([entry]), team])
    await client.create(customResourceDefinition, kind.crd());
  await client.create(namespaceKind, { metadata: { name: SYSTEM_NAMESPACE } });
  await plane.settled();
  const data = Object.fromEntries(Object.entries(access.secret).map(([key, value]) => [key, toBase64(value)]));
  await client.create(secretKind, { metadata: { name: "credentials", namespace: SYSTEM_NAMESPACE }, data });
  const spec = { provider: entry.name, credentialsRef: { name: "credentials" }, [entry.name]: access.settings };
  const metadata = { name: "prod", namespace: SYSTEM_NAMESPACE };
  await client.apply(providerConfigDescriptor, { metadata, spec }, { fieldManager: "person", force: true });
  await plane.settled();
}

function toBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}
