// SPDX-License-Identifier: Apache-2.0
import { machineRequest } from "../../../../api/index.ts";
import { configMap, isNotFound, type KindDescriptor, type KubeObject, secret } from "../../../../kube/index.ts";
import { SYSTEM_NAMESPACE } from "../../../names.ts";
import { providerConfigDescriptor } from "../../../provider-config-use.ts";
import type { World } from "../world.ts";

/** Objects as they were at one moment. */
export type Backup = readonly BackedUp[];

/** One of them, with what kinds of them have. */
export interface BackedUp extends KubeObject {
  readonly status?: unknown;
  readonly data?: Readonly<Record<string, string>>;
}

/** In the order in which they are put back. */
const KINDS: readonly KindDescriptor[] = [secret, configMap, providerConfigDescriptor, machineRequest];

/** Every object of Butler's and its users', as it is now. */
export function takeBackup({ plane }: Pick<World, "plane">): Backup {
  const kept = [...plane.dump().values()].filter(
    ({ kind, metadata }) =>
      metadata.namespace === SYSTEM_NAMESPACE && KINDS.some((each) => each.kind === kind && !isPlanes(metadata.name)),
  );
  return kept.map((object) => JSON.parse(JSON.stringify(object)));
}

/** Kubernetes' own, which it makes by itself. */
function isPlanes(name: string | undefined): boolean {
  return name === "kube-root-ca.crt";
}

/** Makes everything what it was then: what came later is gone, whatever held it, and what has gone since is there again. */
export async function restoreBackup(
  world: World,
  backup: Backup,
  { hasStatus }: { readonly hasStatus: boolean },
): Promise<void> {
  for (const object of takeBackup(world)) await tearOut(world, object);
  for (const kind of KINDS)
    for (const object of backup) if (object.kind === kind.kind) await putBack(world, { object, kind, hasStatus });
}

async function tearOut({ client }: World, { kind: name, metadata }: KubeObject): Promise<void> {
  const kind = KINDS.find((each) => each.kind === name);
  if (kind === undefined) return;
  const key = { namespace: SYSTEM_NAMESPACE, name: metadata.name ?? "" };
  try {
    await client.delete(kind, key);
    await client.mergePatch(kind, key, { metadata: { finalizers: null } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

interface PutBack {
  readonly object: BackedUp;
  readonly kind: KindDescriptor;
  readonly hasStatus: boolean;
}

async function putBack({ client }: World, { object, kind, hasStatus }: PutBack): Promise<void> {
  const { name = "", namespace = "", labels = {}, annotations = {}, finalizers = [] } = object.metadata;
  const { status, ...rest } = object;
  const metadata = { name, namespace, labels, annotations, finalizers };
  const made = await client.create(kind, { ...rest, metadata });
  const isTold = hasStatus && status !== undefined;
  const told = isTold ? { ...object, metadata: made.metadata } : undefined;
  if (told !== undefined) await client.update(kind, told, { subresource: "status" });
  // A backup that knows no status does not know either that something was on its way out.
  if (hasStatus && object.metadata.deletionTimestamp !== undefined) await client.delete(kind, { namespace, name });
}
