// SPDX-License-Identifier: Apache-2.0
import { typesOf } from "../../../plane/crd-types.ts";
import { builtInTypes } from "../../../plane/kinds/index.ts";
import type { Registry } from "../../../plane/registry.ts";
import type { ResourceType } from "../../../plane/types.ts";
import { definitions } from "./crds.ts";

/** What of a Harvester the simulation works with. */
export type KindName =
  | keyof typeof definitions
  | "claim"
  | "secret"
  | "storageClass"
  | "event"
  | "namespace"
  | "serviceAccount"
  | "clusterRole"
  | "clusterRoleBinding";

const BUILT_IN: readonly (readonly [KindName, group: string, plural: string])[] = [
  ["claim", "", "persistentvolumeclaims"],
  ["secret", "", "secrets"],
  ["storageClass", "storage.k8s.io", "storageclasses"],
  ["event", "", "events"],
  ["namespace", "", "namespaces"],
  ["serviceAccount", "", "serviceaccounts"],
  ["clusterRole", "rbac.authorization.k8s.io", "clusterroles"],
  ["clusterRoleBinding", "rbac.authorization.k8s.io", "clusterrolebindings"],
];

let compiled: ReadonlyMap<KindName, ResourceType> | undefined;

/** Every kind by its name here. Schemas are compiled once per process, whatever the number of simulations. */
export function kinds(): ReadonlyMap<KindName, ResourceType> {
  compiled ??= new Map([...customKinds(), ...builtInKinds()]);
  return compiled;
}

/** One of them. */
export function kind(name: KindName): ResourceType {
  const type = kinds().get(name);
  if (type === undefined) throw new Error(`the plane does not have the kind "${name}"`);
  return type;
}

const CUSTOM: readonly (keyof typeof definitions)[] = ["vm", "vmi", "image", "setting", "network", "node", "quota"];

function customKinds(): [KindName, ResourceType][] {
  return CUSTOM.flatMap((name) =>
    typesOf(definitions[name]).map((type): [KindName, ResourceType] => [name, plain(type)]),
  );
}

/** Kinds of the core group are kept as they are shown: for them there is no other way to write their version. */
function plain(type: ResourceType): ResourceType {
  if (type.group !== "") return type;
  const { storage: _, ...rest } = type;
  return rest;
}

function builtInKinds(): [KindName, ResourceType][] {
  return BUILT_IN.flatMap(([name, group, plural]) => {
    const type = builtInTypes().find((one) => one.group === group && one.plural === plural);
    return type === undefined ? [] : [[name, type]];
  });
}

/** Has a plane serve them, also after somebody brings kinds of their own. Returns how to end that. */
export function serveKinds(registry: Registry): () => void {
  const ours = CUSTOM.map(kind);
  const ensure = () => {
    if (ours.every(({ group, version, plural }) => registry.find(group, version, plural) !== undefined)) return;
    registry.setCustomTypes([...registry.all().filter((type) => type.isCustom && !ours.includes(type)), ...ours]);
  };
  ensure();
  return registry.subscribe(ensure);
}
