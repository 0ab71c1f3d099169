// SPDX-License-Identifier: Apache-2.0
import type { CrdVersion, CustomResourceDefinition } from "../../../plane/crd-types.ts";

type Schema = NonNullable<NonNullable<CrdVersion["schema"]>["openAPIV3Schema"]>;

const text: Schema = { type: "string" };
const flag: Schema = { type: "boolean" };
const whole: Schema = { type: "integer" };
const texts: Schema = { type: "object", additionalProperties: { type: "string" } };
const amount: Schema = { "x-kubernetes-int-or-string": true };
/** The real definitions know every field of these; what is used is what people send. */
const anything: Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

function loose(properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema {
  return { ...anything, properties, ...(required.length === 0 ? {} : { required: [...required] }) };
}

function list(items: Schema): Schema {
  return { type: "array", items };
}

const condition = loose({ type: text, status: text, reason: text, message: text }, ["type", "status"]);

const disk = loose({ name: text, bootOrder: { ...whole, minimum: 1 } }, ["name"]);
const nic = loose({ name: text, model: text, macAddress: text }, ["name"]);
const resources = loose({
  limits: { type: "object", additionalProperties: amount },
  requests: { type: "object", additionalProperties: amount },
});
const domain = loose(
  {
    cpu: loose({
      cores: { ...whole, minimum: 0 },
      sockets: { ...whole, minimum: 0 },
      threads: { ...whole, minimum: 0 },
      model: text,
    }),
    memory: loose({ guest: amount }),
    resources,
    devices: loose({ disks: list(disk), interfaces: list(nic) }),
  },
  ["devices"],
);
const volume = loose({ name: text }, ["name"]);
const network = loose({ name: text }, ["name"]);
const instanceSpec = loose(
  {
    domain,
    volumes: list(volume),
    networks: list(network),
    nodeSelector: texts,
    evictionStrategy: text,
    terminationGracePeriodSeconds: whole,
  },
  ["domain"],
);

const virtualMachine = loose(
  {
    spec: loose({ running: flag, runStrategy: text, template: loose({ metadata: anything, spec: instanceSpec }) }, [
      "template",
    ]),
    status: loose({ printableStatus: text, ready: flag, created: flag, conditions: list(condition) }),
  },
  ["spec"],
);

const virtualMachineInstance = loose(
  {
    spec: instanceSpec,
    status: loose({
      phase: text,
      nodeName: text,
      conditions: list(condition),
      interfaces: list(
        loose({
          name: text,
          ipAddress: text,
          ipAddresses: list(text),
          mac: text,
          interfaceName: text,
          infoSource: text,
        }),
      ),
    }),
  },
  ["spec"],
);

const image = loose(
  {
    spec: loose(
      {
        backend: { ...text, enum: ["backingimage", "cdi"], default: "backingimage" },
        displayName: text,
        sourceType: { ...text, enum: ["download", "upload", "export-from-volume", "restore", "clone"] },
        url: text,
        retry: { ...whole, minimum: 0, maximum: 10, default: 3 },
        targetStorageClassName: text,
      },
      ["displayName", "sourceType"],
    ),
    status: loose({ progress: whole, failed: whole, storageClassName: text, conditions: list(condition) }),
  },
  ["spec"],
);

interface Definition {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly scope?: "Namespaced" | "Cluster";
  readonly schema: Schema;
  readonly hasStatus?: boolean;
  readonly columns?: readonly (readonly [name: string, path: string])[];
}

function definition(options: Definition): CustomResourceDefinition {
  const { group, version, kind, plural, shortNames = [], scope = "Namespaced", schema, columns = [] } = options;
  const printed = [...columns, ["Age", ".metadata.creationTimestamp"] as const];
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List`, shortNames },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { ...schema, type: "object" } },
          ...(options.hasStatus === true ? { subresources: { status: {} } } : {}),
          additionalPrinterColumns: printed.map(([name, jsonPath]) => ({
            name,
            type: name === "Age" ? "date" : "string",
            jsonPath,
          })),
        },
      ],
    },
  };
}

const ready = ["Ready", ".status.conditions[?(@.type=='Ready')].status"] as const;

/**
 * The kinds of a Harvester that machines are made of. They hold what is used and keep the rest as it comes, as the real ones do
 * in most places; the real server's own kinds that a plane does not have stand beside them.
 */
export const definitions = {
  vm: definition({
    group: "kubevirt.io",
    version: "v1",
    kind: "VirtualMachine",
    plural: "virtualmachines",
    shortNames: ["vm", "vms"],
    schema: virtualMachine,
    hasStatus: true,
    columns: [["Status", ".status.printableStatus"], ready],
  }),
  vmi: definition({
    group: "kubevirt.io",
    version: "v1",
    kind: "VirtualMachineInstance",
    plural: "virtualmachineinstances",
    shortNames: ["vmi", "vmis"],
    schema: virtualMachineInstance,
    columns: [
      ["Phase", ".status.phase"],
      ["IP", ".status.interfaces[0].ipAddress"],
      ["NodeName", ".status.nodeName"],
      ready,
    ],
  }),
  image: definition({
    group: "harvesterhci.io",
    version: "v1beta1",
    kind: "VirtualMachineImage",
    plural: "virtualmachineimages",
    shortNames: ["vmimage", "vmimages"],
    schema: image,
    columns: [
      ["Display-Name", ".spec.displayName"],
      ["Imported", ".status.conditions[?(@.type=='Imported')].status"],
    ],
  }),
  setting: definition({
    group: "harvesterhci.io",
    version: "v1beta1",
    kind: "Setting",
    plural: "settings",
    scope: "Cluster",
    schema: loose({ value: text, default: text, source: text }),
    columns: [["Value", ".value"]],
  }),
  network: definition({
    group: "k8s.cni.cncf.io",
    version: "v1",
    kind: "NetworkAttachmentDefinition",
    plural: "network-attachment-definitions",
    shortNames: ["net-attach-def"],
    schema: loose({ spec: loose({ config: text }) }),
  }),
  node: definition({
    group: "",
    version: "v1",
    kind: "Node",
    plural: "nodes",
    shortNames: ["no"],
    scope: "Cluster",
    schema: loose({ spec: anything, status: loose({ conditions: list(condition) }) }),
    hasStatus: true,
  }),
  quota: definition({
    group: "",
    version: "v1",
    kind: "ResourceQuota",
    plural: "resourcequotas",
    shortNames: ["quota"],
    schema: loose({
      spec: loose({ hard: { type: "object", additionalProperties: amount } }),
      status: loose({
        hard: { type: "object", additionalProperties: amount },
        used: { type: "object", additionalProperties: amount },
      }),
    }),
    hasStatus: true,
  }),
};
