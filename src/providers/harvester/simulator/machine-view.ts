// SPDX-License-Identifier: Apache-2.0
import { isQuantity, parseQuantity, quantityAsApproximateFloat } from "../../../lib/quantity.ts";
import type { KubeObject } from "../../../plane/types.ts";
import { listAt, mapAt, textAt, textsAt } from "./read.ts";

/** Annotations and finalizers that Harvester and KubeVirt go by. */
export const IMAGE_ID = "harvesterhci.io/imageId";
export const CLAIM_TEMPLATES = "harvesterhci.io/volumeClaimTemplates";
export const REMOVED_CLAIMS = "harvesterhci.io/removedPersistentVolumeClaims";
export const QUOTA_SHORT = "harvesterhci.io/insufficient-resource-quota";
export const LAST_RUN_STRATEGY = "harvesterhci.io/vmRunStrategy";
export const RESERVED_MEMORY = "harvesterhci.io/reservedMemory";
export const HARVESTER_FINALIZER = "wrangler.cattle.io/VMController.CleanupPVCAndSnapshot";
export const KUBEVIRT_FINALIZER = "kubevirt.io/virtualMachineControllerFinalize";
export const CLAIM_PROTECTION = "kubernetes.io/pvc-protection";

/** Set on an image of the simulation: `false`, and machines from it never tell their addresses. */
export const GUEST_AGENT = "simulator.butlerlabs.dev/guest-agent";
/** Set on an image of the simulation: `fails` or `stalls`, and its import does. */
export const IMPORT = "simulator.butlerlabs.dev/import";

/** A volume that Harvester is to make for a machine. */
export interface ClaimTemplate {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: Readonly<Record<string, unknown>>;
}

export function isDeleting({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function hasFinalizer({ metadata }: KubeObject, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) === true;
}

/** The object with a finalizer more. */
export function withFinalizer(object: KubeObject, finalizer: string): KubeObject {
  if (hasFinalizer(object, finalizer)) return object;
  const finalizers = [...(object.metadata.finalizers ?? []), finalizer];
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

/** The object with a finalizer less. */
export function withoutFinalizer(object: KubeObject, finalizer: string): KubeObject {
  if (!hasFinalizer(object, finalizer)) return object;
  const finalizers = object.metadata.finalizers?.filter((one) => one !== finalizer) ?? [];
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

/** The object with an annotation set. */
export function withAnnotation(object: KubeObject, name: string, value: string): KubeObject {
  const annotations = { ...object.metadata.annotations, [name]: value };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** Undefined where the annotation is no list of volumes; then the text says why. */
export function claimTemplates(vm: KubeObject): readonly ClaimTemplate[] | string {
  const text = vm.metadata.annotations?.[CLAIM_TEMPLATES] ?? "";
  if (text === "") return [];
  let entries: unknown;
  try {
    entries = JSON.parse(text);
  } catch {
    return "invalid character in JSON";
  }
  if (!Array.isArray(entries)) return "json: cannot unmarshal object into a list of volume claim templates";
  const templates = entries.map((entry) => ({
    name: textAt(entry, "metadata", "name"),
    labels: textsAt(entry, "metadata", "labels"),
    annotations: textsAt(entry, "metadata", "annotations"),
    spec: mapAt(entry, "spec"),
  }));
  return templates.some(({ name }) => name === "") ? "PVC name is required" : templates;
}

/** `runStrategy`, or what the older `running` stands for. */
export function runStrategyOf({ spec }: KubeObject): string {
  const strategy = textAt(spec, "runStrategy");
  if (strategy !== "") return strategy;
  return mapAt(spec).running === true ? "Always" : "Halted";
}

/** The spec of a machine's instance, from either of the two. */
export function instanceSpec(object: KubeObject): Readonly<Record<string, unknown>> {
  return object.kind === "VirtualMachine" ? mapAt(object.spec, "template", "spec") : mapAt(object.spec);
}

/** The keys of the claims that a machine or an instance mounts. */
export function claimsOf(object: KubeObject): readonly string[] {
  const names = listAt(instanceSpec(object), "volumes").map((volume) =>
    textAt(volume, "persistentVolumeClaim", "claimName"),
  );
  return keys(object, names);
}

/** The keys of the Secrets that its cloud-init data stands in, each with the names under which the data may stand there. */
export function secretsOf(
  object: KubeObject,
): readonly { readonly key: string; readonly entries: readonly string[] }[] {
  return listAt(instanceSpec(object), "volumes").flatMap((volume) =>
    ["cloudInitNoCloud", "cloudInitConfigDrive"].flatMap((source) => [
      ...keys(object, [textAt(volume, source, "secretRef", "name")]).map((key) => ({
        key,
        entries: ["userdata", "userData"],
      })),
      ...keys(object, [textAt(volume, source, "networkDataSecretRef", "name")]).map((key) => ({
        key,
        entries: ["networkdata", "networkData"],
      })),
    ]),
  );
}

/** The keys of the networks it is attached to; a name alone means its own namespace. */
export function networksOf(object: KubeObject): readonly string[] {
  return listAt(instanceSpec(object), "networks").flatMap((network) => {
    const name = textAt(network, "multus", "networkName");
    return name === "" ? [] : name.includes("/") ? [name] : keys(object, [name]);
  });
}

function keys({ metadata: { namespace = "" } }: KubeObject, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => (name === "" ? [] : [`${namespace}/${name}`]));
}

const BYTES_PER_MB = 1024 * 1024;

/** What the guest in a machine or an instance sees. */
export function guestOf(object: KubeObject): { readonly cpu: number; readonly memoryMb: number } {
  const domain = mapAt(instanceSpec(object), "domain");
  const cores = ["cores", "sockets", "threads"].map((name) => Number(textAt(domain, "cpu", name) || 1));
  return {
    cpu: cores.reduce((product, count) => product * count, 1),
    memoryMb: amountAt(domain, "memory", "guest") / BYTES_PER_MB,
  };
}

/** What a machine may use at most, as quotas count it. */
export function limitsOf(object: KubeObject): { readonly cpu: number; readonly memory: number } {
  const limits = mapAt(instanceSpec(object), "domain", "resources", "limits");
  const { cpu, memoryMb } = guestOf(object);
  return { cpu: amountAt(limits, "cpu") || cpu, memory: amountAt(limits, "memory") || memoryMb * BYTES_PER_MB };
}

/** The quantity at a path as a number; 0 where there is none. */
export function amountAt(value: unknown, ...path: readonly string[]): number {
  const text = textAt(value, ...path);
  return text !== "" && isQuantity(text) ? quantityAsApproximateFloat(parseQuantity(text)) : 0;
}
