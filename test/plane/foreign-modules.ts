// SPDX-License-Identifier: Apache-2.0
import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import type { Crd, KubernetesObject } from "../kubernetes/crds.ts";

/** A Go module with CRDs that nobody here wrote. */
export interface ForeignModule {
  readonly module: string;
  /** The CRDs of its folder. */
  readonly crds: (folder: string) => Crd[];
  /** Files with objects of these kinds: YAML, or Markdown with YAML in it. */
  readonly examples: string;
  /** Objects of kinds that its files have no examples of: what each is, and what it is made of besides its metadata. */
  readonly more?: readonly KubernetesObject[];
}

/** The modules whose kinds the plane has to serve. */
export const foreignModules: readonly ForeignModule[] = [
  {
    module: "sigs.k8s.io/cluster-api@v1.14.2",
    crds: (folder) => crdsIn(folder, "{core,bootstrap/kubeadm,controlplane/kubeadm}/config/crd/bases/*.yaml"),
    examples: "docs/book/src/**/*.md",
  },
  {
    module: "kubevirt.io/kubevirt@v1.9.0",
    crds: kubeVirtCrds,
    examples: "examples/*.yaml",
  },
  {
    module: "github.com/harvester/harvester@v1.8.0",
    crds: (folder) => crdsIn(folder, "deploy/charts/harvester-crd/templates/*.yaml"),
    examples: "enhancements/*.md",
    more: [
      harvester("VirtualMachineImage", {
        displayName: "talos",
        sourceType: "download",
        url: "https://example.com/talos.raw",
      }),
      harvester("VirtualMachineImage", { displayName: "talos", sourceType: "dream", retry: -1 }),
      harvester("KeyPair", { publicKey: "ssh-ed25519 AAAA" }),
      harvester("KeyPair", { privateKey: "secret" }),
      harvester("Addon", { chart: "c", enabled: true, repo: "r", valuesContent: "", version: "1" }),
      harvester("VirtualMachineBackup", { source: { kind: "VirtualMachine", name: "web-1" } }),
      harvester("VirtualMachineBackup", { source: { name: 1 }, type: "copy" }),
      harvester("VirtualMachineTemplateVersion", {
        templateId: "default/talos",
        vm: { metadata: { name: "x" }, spec: { running: true, template: { spec: { domain: { devices: {} } } } } },
      }),
      harvester("Upgrade", {}),
      harvester("SupportBundle", { description: "help", expiration: "never" }),
      harvester("ScheduleVMBackup", {
        cron: "0 0 * * *",
        vmbackup: { source: { kind: "VirtualMachine", name: "web-1" } },
      }),
      harvester("VirtualMachineRestore", { target: { kind: "VirtualMachine", name: "web-1" }, newVM: true }),
      { ...harvester("Setting"), value: "a" } as KubernetesObject,
    ],
  },
];

/** The folder of a module; undefined where there is no Go, or no way to the module. */
export async function downloadModule(module: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)("go", ["mod", "download", "-json", module], { cwd: "/" });
    return (JSON.parse(stdout) as { Dir?: string }).Dir;
  } catch {
    return undefined;
  }
}

/** The objects in a module's files that are of one of these kinds, each with the file it is from. What is no YAML is passed over. */
export function examplesIn(
  folder: string,
  { examples, more = [] }: ForeignModule,
  crds: readonly Crd[],
): { file: string; crd: Crd; object: KubernetesObject }[] {
  const found = globSync(examples, { cwd: folder })
    .sort()
    .flatMap((file) => yamlIn(file, readFileSync(join(folder, file), "utf8")).map((text) => ({ file, text })))
    .flatMap(({ file, text }) => objectsIn(text).map((object) => ({ file, object })));
  return [...found, ...more.map((object) => ({ file: "this test", object }))].flatMap(({ file, object }) => {
    const crd = crds.find((candidate) => isOfKind(object, candidate));
    return crd === undefined ? [] : [{ file, crd, object }];
  });
}

function harvester(kind: string, spec?: object): KubernetesObject {
  return { apiVersion: "harvesterhci.io/v1beta1", kind, ...(spec && { spec }) };
}

function isOfKind({ apiVersion = "", kind }: KubernetesObject, { spec }: Crd): boolean {
  const names = spec.names as { plural: string; kind?: string };
  return (
    names.kind === kind && spec.versions.some(({ name, served }) => served && apiVersion === `${spec.group}/${name}`)
  );
}

function yamlIn(file: string, text: string): string[] {
  if (!file.endsWith(".md")) return [text];
  return [...text.matchAll(/^```ya?ml\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);
}

function objectsIn(text: string): KubernetesObject[] {
  return parseAllDocuments(text, { version: "1.1" }).flatMap((document) => {
    if (document.errors.length > 0) return [];
    const object = document.toJS() as KubernetesObject | null;
    // JSON knows no dates, and a server reads none in YAML.
    return typeof object === "object" && object !== null
      ? [JSON.parse(JSON.stringify(object)) as KubernetesObject]
      : [];
  });
}

function crdsIn(folder: string, pattern: string): Crd[] {
  return globSync(pattern, { cwd: folder })
    .sort()
    .flatMap((file) => objectsIn(readFileSync(join(folder, file), "utf8")))
    .filter(({ kind }) => kind === "CustomResourceDefinition")
    .map((crd) => withoutWebhooks(crd as unknown as Crd));
}

/** Nobody is there to convert between versions; a status in the file is of somebody else's server. */
function withoutWebhooks(crd: Crd): Crd {
  const { apiVersion, kind, spec } = crd as Crd & KubernetesObject & { spec: { conversion?: unknown } };
  const { conversion, ...rest } = spec;
  return { apiVersion, kind, metadata: crd.metadata, spec: rest } as Crd;
}

/**
 * KubeVirt's operator makes its CRDs at run time, of schemas that it carries as text; the rest of each is written here.
 * Kind KubeVirt is left out: Harvester has that CRD.
 */
function kubeVirtCrds(folder: string): Crd[] {
  const source = readFileSync(
    join(folder, "pkg/virt-operator/resource/generate/components/validations_generated.go"),
    "utf8",
  );
  const schemas = new Map(
    [...source.matchAll(/^\t"(\w+)": `([^`]*)`/gm)].map(([, name = "", text = ""]) => [name, text] as const),
  );
  return KUBEVIRT_KINDS.map(({ kind, group = "kubevirt.io", version = "v1", scope = "Namespaced", plural }) => {
    const singular = kind.toLowerCase();
    const [schema] = objectsIn(schemas.get(singular) ?? "");
    if (schema === undefined) throw new Error(`KubeVirt has no schema of ${kind}`);
    const onlyVersion = { name: version, served: true, storage: true, schema, subresources: { status: {} } };
    const names = { plural: plural ?? `${singular}s`, singular, kind, listKind: `${kind}List` };
    return {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${names.plural}.${group}` },
      spec: {
        group,
        scope,
        names,
        versions: [onlyVersion],
      },
    } as Crd;
  });
}

const KUBEVIRT_KINDS: readonly { kind: string; group?: string; version?: string; scope?: string; plural?: string }[] = [
  { kind: "VirtualMachine" },
  { kind: "VirtualMachineInstance" },
  { kind: "VirtualMachineInstanceReplicaSet" },
  { kind: "VirtualMachineInstanceMigration" },
  { kind: "VirtualMachineInstancePreset" },
  { kind: "VirtualMachinePool", group: "pool.kubevirt.io", version: "v1beta1" },
  { kind: "VirtualMachineInstancetype", group: "instancetype.kubevirt.io", version: "v1beta1" },
  {
    kind: "VirtualMachineClusterInstancetype",
    group: "instancetype.kubevirt.io",
    version: "v1beta1",
    scope: "Cluster",
  },
  { kind: "VirtualMachinePreference", group: "instancetype.kubevirt.io", version: "v1beta1" },
  { kind: "VirtualMachineClusterPreference", group: "instancetype.kubevirt.io", version: "v1beta1", scope: "Cluster" },
  {
    kind: "MigrationPolicy",
    group: "migrations.kubevirt.io",
    version: "v1alpha1",
    scope: "Cluster",
    plural: "migrationpolicies",
  },
];
