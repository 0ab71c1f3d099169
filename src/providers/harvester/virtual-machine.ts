// SPDX-License-Identifier: Apache-2.0
import type { z } from "zod";
import type { DiskWant, MachineWant } from "../../engine/provider.ts";
import type { Draft } from "../../kube/index.ts";
import type { Affinity, CloudInit, MachineSpec, VirtualMachine, Volume } from "./kinds.ts";
import { markAnnotations, markLabels } from "./mark.ts";
import { ANNOTATIONS, extraClaimName, LABELS, rootClaimName } from "./names.ts";
import type { harvesterBlock } from "./settings.ts";

/** The block `harvester` of a ProviderConfig, parsed. */
export type HarvesterSettings = z.output<typeof harvesterBlock.settings>;

/** The image of a root disk. */
export interface ImageSource {
  /** `namespace/name` of the image's resource. */
  readonly id: string;
  readonly storageClass: string;
}

/** What a virtual machine is made from. */
export interface VirtualMachineParts {
  readonly want: MachineWant;
  readonly settings: HarvesterSettings;
  readonly image: ImageSource;
  readonly cloudInit: CloudInit | undefined;
}

/** As much as Harvester itself keeps back from a machine's limit unless told otherwise. */
const RESERVED_MEMORY_MB = 100;

const NETWORK = "default";

/** The whole machine as one object: its disks stand in it as templates, so that nothing can be made by half. */
export function buildVirtualMachine(parts: VirtualMachineParts): Draft<VirtualMachine> {
  const { want, settings, image } = parts;
  const labels = ownLabels(want);
  return {
    metadata: {
      name: want.name,
      namespace: settings.namespace,
      // Ours come last: nobody can make a machine look like another's.
      labels: { ...want.labels, ...labels },
      annotations: {
        ...markAnnotations(want.mark),
        [ANNOTATIONS.labelNames]: labelNames(want.labels),
        [ANNOTATIONS.runStrategy]: settings.runStrategy,
        [ANNOTATIONS.reservedMemory]: `${reservedMb(settings)}Mi`,
        [ANNOTATIONS.volumeClaimTemplates]: JSON.stringify(claimTemplates(want, settings, image)),
      },
    },
    spec: {
      runStrategy: settings.runStrategy,
      template: {
        metadata: { labels: { ...want.labels, ...labels }, annotations: markAnnotations(want.mark) },
        spec: machineSpec(parts),
      },
    },
  };
}

/** What stands in the annotation that remembers which labels came from the request. */
export function labelNames(labels: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.keys(labels).sort());
}

/** Names of the claims of a machine's disks, the root disk first. */
export function claimNames(want: Pick<MachineWant, "name" | "mark" | "extraDisks">): readonly string[] {
  return [rootClaimName(want), ...want.extraDisks.map((_, index) => extraClaimName(want, index))];
}

function ownLabels({ name, mark, spreadGroup }: MachineWant): Record<string, string> {
  return {
    ...markLabels(mark),
    [LABELS.creator]: "butler",
    [LABELS.vmName]: name,
    ...(spreadGroup === undefined ? {} : { [LABELS.spreadGroup]: spreadGroup }),
  };
}

function reservedMb({ reservedMemoryMB }: HarvesterSettings): number {
  return reservedMemoryMB ?? RESERVED_MEMORY_MB;
}

function claimTemplates(want: MachineWant, settings: HarvesterSettings, image: ImageSource): readonly object[] {
  const root = claim(want, {
    name: rootClaimName(want),
    sizeGb: want.diskGb,
    storageClass: image.storageClass,
    annotations: { [ANNOTATIONS.imageId]: image.id },
  });
  const extra = want.extraDisks.map(({ sizeGb, storageClass = settings.storageClassName }: DiskWant, index) =>
    claim(want, { name: extraClaimName(want, index), sizeGb, storageClass, annotations: {} }),
  );
  return [root, ...extra];
}

interface ClaimParts {
  readonly name: string;
  readonly sizeGb: number;
  /** Left out, the default class of the Harvester cluster. */
  readonly storageClass: string | undefined;
  readonly annotations: Readonly<Record<string, string>>;
}

function claim({ name: machine, mark }: MachineWant, { name, sizeGb, storageClass, annotations }: ClaimParts) {
  return {
    metadata: {
      name,
      labels: { ...markLabels(mark), [LABELS.vmName]: machine },
      annotations: { ...markAnnotations(mark), ...annotations },
    },
    spec: {
      accessModes: ["ReadWriteMany"],
      volumeMode: "Block",
      resources: { requests: { storage: `${sizeGb}Gi` } },
      ...(storageClass === undefined ? {} : { storageClassName: storageClass }),
    },
  };
}

function machineSpec({ want, settings, cloudInit }: VirtualMachineParts): MachineSpec {
  const { cpuModel, nodeSelector, efi, secureBoot, tpm, networkName } = settings;
  const claims = claimNames(want);
  const diskName = (index: number) => (index === 0 ? "rootdisk" : `disk-${index - 1}`);
  const volumes: Volume[] = claims.map((claimName, index) => ({
    name: diskName(index),
    persistentVolumeClaim: { claimName },
  }));
  if (cloudInit !== undefined) volumes.push({ name: "cloudinit", cloudInitNoCloud: cloudInit });
  const affinity = affinityOf(want);
  return {
    domain: {
      cpu: { cores: want.cpu, sockets: 1, threads: 1, ...(cpuModel === undefined ? {} : { model: cpuModel }) },
      // The guest sees all of what was asked for; what the hypervisor needs comes on top. Requests are left to Harvester's overcommit
      // setting.
      memory: { guest: `${want.memoryMb}Mi` },
      resources: { limits: { cpu: String(want.cpu), memory: `${want.memoryMb + reservedMb(settings)}Mi` } },
      devices: {
        disks: volumes.map(({ name }, index) => ({
          name,
          ...(index === 0 ? { bootOrder: 1 } : {}),
          disk: { bus: "virtio" },
        })),
        interfaces: [{ name: NETWORK, model: "virtio", bridge: {} }],
        ...(tpm ? { tpm: {} } : {}),
      },
      // KubeVirt would switch secure boot on where it is not told.
      ...(efi ? { firmware: { bootloader: { efi: { secureBoot } } } } : {}),
      features: { acpi: { enabled: true }, ...(efi && secureBoot ? { smm: { enabled: true } } : {}) },
    },
    networks: [{ name: NETWORK, multus: { networkName } }],
    volumes,
    evictionStrategy: "LiveMigrateIfPossible",
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
    ...(affinity === undefined ? {} : { affinity }),
  };
}

function affinityOf({ failureDomain, spreadGroup, mark }: MachineWant): Affinity | undefined {
  if (failureDomain === undefined && spreadGroup === undefined) return undefined;
  return {
    ...(failureDomain === undefined
      ? {}
      : {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: ZONE_LABEL, operator: "In" as const, values: [failureDomain] }] },
              ],
            },
          },
        }),
    ...(spreadGroup === undefined
      ? {}
      : {
          // Wished for, not demanded: two control planes on one host are better than one that never starts.
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              {
                weight: 100,
                podAffinityTerm: {
                  topologyKey: "kubernetes.io/hostname",
                  labelSelector: {
                    matchLabels: { [LABELS.installation]: mark.installation, [LABELS.spreadGroup]: spreadGroup },
                  },
                },
              },
            ],
          },
        }),
  };
}

/** The label of nodes by which a failure domain is chosen. */
export const ZONE_LABEL = "topology.kubernetes.io/zone";
