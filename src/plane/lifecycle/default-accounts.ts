// SPDX-License-Identifier: Apache-2.0
import { storageKey } from "../registry.ts";
import { StatusError } from "../status-error.ts";
import type { KubeObject, ResourceType } from "../types.ts";
import { type Controller, MANAGER, type Surroundings } from "./controller.ts";

const NAME = "default";

/** Sees to it that every namespace has its default ServiceAccount, also after somebody deleted it. */
export function createDefaultAccounts(surroundings: Surroundings): Controller {
  const ensure = (namespace: string) =>
    surroundings.queue.add(`default account in ${namespace}`, () => ensureAccount(surroundings, namespace));
  const look = ({ metadata }: KubeObject, { group, plural }: ResourceType) => {
    if (group === "" && plural === "namespaces" && metadata.deletionTimestamp === undefined)
      ensure(metadata.name ?? "");
  };
  return {
    reset() {},
    see: ({ object }, type) => look(object, type),
    observe({ type: what, entry: { object } }, type) {
      const isAccount = type.group === "" && type.plural === "serviceaccounts";
      if (what === "ADDED") look(object, type);
      else if (what === "DELETED" && isAccount && object.metadata.name === NAME)
        ensure(object.metadata.namespace ?? "");
    },
  };
}

async function ensureAccount({ store, registry, objects }: Surroundings, namespace: string): Promise<void> {
  const namespaces = registry.find("", "v1", "namespaces");
  const accounts = registry.find("", "v1", "serviceaccounts");
  if (namespaces === undefined || accounts === undefined) return;
  const found = store.get(storageKey(namespaces, "", namespace));
  if (found === undefined || found.object.metadata.deletionTimestamp !== undefined) return;
  if (store.get(storageKey(accounts, namespace, NAME)) !== undefined) return;
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: NAME, namespace } };
  try {
    await objects.createObject(accounts, namespace, account, { manager: MANAGER });
  } catch (error) {
    // Somebody else made it, or the namespace is on its way out by now.
    const reasons = ["AlreadyExists", "NotFound", "Forbidden"];
    if (!(error instanceof StatusError) || !reasons.includes(error.status.reason ?? "")) throw error;
  }
}
