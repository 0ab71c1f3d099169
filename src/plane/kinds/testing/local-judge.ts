// SPDX-License-Identifier: Apache-2.0
import { StatusError } from "../../status-error.ts";
import type { KubeObject, ResourceType } from "../../types.ts";
import type { KindCase } from "./kind-case.ts";
import type { LocalServer } from "./local-server.ts";

/** What a server answered: the object, or why not. */
export interface Answer {
  readonly code: number;
  readonly message?: string;
  readonly causes?: unknown;
  readonly object?: unknown;
  readonly warnings: readonly string[];
}

/** Puts a case to our own verbs. Nothing is left of it. */
export async function askLocal(server: LocalServer, kindCase: KindCase): Promise<Answer> {
  const { objects } = server;
  const type = server.type(kindCase.resource);
  const namespace = type.namespaced ? (kindCase.namespace ?? "default") : "";
  const options = {
    dryRun: true,
    manager: "judge",
    fieldValidation: kindCase.strict === true ? ("Strict" as const) : ("Warn" as const),
    ...(kindCase.subresource === undefined ? {} : { subresource: kindCase.subresource }),
  };
  const sent = typed(type, kindCase.object);
  const key = { namespace, name: String(Object(sent.metadata).name) };
  try {
    if (kindCase.old === undefined) return accepted(await objects.createObject(type, namespace, sent, options));
    const created = await objects.createObject(type, namespace, typed(type, kindCase.old), { manager: "judge" });
    const stored =
      kindCase.oldStatus === undefined
        ? created
        : await objects.updateObject(
            type,
            key,
            { ...created.object, status: kindCase.oldStatus },
            { subresource: "status" },
          );
    return accepted(await objects.updateObject(type, key, onTop(sent, stored.object), options));
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { code, message = "", details } = error.status;
    return { code, message, causes: details?.causes ?? [], warnings: [] };
  } finally {
    if (kindCase.old !== undefined) await remove(server, type, key);
  }
}

function typed(type: ResourceType, object: KindCase["object"]): KubeObject {
  const apiVersion = type.group === "" ? type.version : `${type.group}/${type.version}`;
  return { apiVersion, kind: type.kind, ...object } as unknown as KubeObject;
}

/** The object as an update of what is there: with its version. */
export function onTop(object: KubeObject, stored: KubeObject): KubeObject {
  const { resourceVersion } = stored.metadata;
  return { ...object, metadata: { ...object.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) } };
}

function accepted({ object, warnings }: { object: KubeObject; warnings: readonly string[] }): Answer {
  return { code: 200, object, warnings };
}

async function remove({ objects, store }: LocalServer, type: ResourceType, key: { namespace: string; name: string }) {
  await objects.deleteObject(type, key).catch(() => undefined);
  const prefix = `${type.storage?.group ?? type.group}/${type.storage?.plural ?? type.plural}/`;
  await store.write(`${prefix}${key.namespace}/${key.name}`, (current) => (current === undefined ? "keep" : "delete"));
}
