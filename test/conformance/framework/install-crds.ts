// SPDX-License-Identifier: Apache-2.0
import type { Client } from "./client.ts";
import type { JsonObject } from "./types.ts";
import { waitFor } from "./wait.ts";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
}

/** Creates CRDs, all at once, and waits until every version is served. Throws where one is refused. */
export async function installCrds(client: Client, crds: readonly JsonObject[]): Promise<void> {
  await Promise.all(crds.map((crd) => installCrd(client, crd as unknown as Crd)));
}

async function installCrd(client: Client, crd: Crd): Promise<void> {
  const { name } = crd.metadata;
  const created = await client.request("POST", CRDS, crd);
  if (created.status !== 201) throw new Error(`create CRD "${name}": ${created.text}`);
  const { group, names, versions } = crd.spec;
  for (const version of versions.filter(({ served }) => served)) {
    await waitFor(`CRD "${name}" serves ${version.name}`, async () => {
      const { status } = await client.request("GET", `/apis/${group}/${version.name}/${names.plural}?limit=1`);
      return status === 200 ? true : undefined;
    });
  }
}
