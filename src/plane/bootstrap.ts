// SPDX-License-Identifier: Apache-2.0
import { bootstrapObjects } from "./kinds/index.ts";
import { storageKey } from "./registry.ts";
import type { Machinery } from "./rest/machinery.ts";
import { createObjects } from "./rest/verbs.ts";
import { StatusError } from "./status-error.ts";

/** Makes what every server has from its first start on: namespaces and roles. What is there already stays as it is. */
export async function ensureBootstrapped(machinery: Machinery): Promise<void> {
  const { store, registry } = machinery;
  // Admission is for what users do.
  const objects = createObjects({ ...machinery, admission: [] });
  const missing = bootstrapObjects().flatMap(({ group, plural, object }) => {
    const type = registry.find(group, "v1", plural);
    const { namespace = "", name = "" } = object.metadata;
    if (type === undefined || store.get(storageKey(type, namespace, name)) !== undefined) return [];
    return [{ type, namespace, object }];
  });
  const create = ({ type, namespace, object }: (typeof missing)[number]) =>
    objects.createObject(type, namespace, object, { manager: "butler" }).catch(ignoreTaken);
  // Namespaces first: the others may be in them. Those go to disk together.
  const isNamespace = ({ type }: (typeof missing)[number]) => type.plural === "namespaces";
  await Promise.all(missing.filter(isNamespace).map(create));
  await Promise.all(missing.filter((one) => !isNamespace(one)).map(create));
}

function ignoreTaken(error: unknown): void {
  if (!(error instanceof StatusError) || error.status.reason !== "AlreadyExists") throw error;
}
