// SPDX-License-Identifier: Apache-2.0
import { namespace, secret, storageClass } from "../../src/kube/index.ts";
import { networkAttachmentDefinition } from "../../src/providers/harvester/kinds.ts";
import type { HarvesterLife } from "./harvester-life.ts";

/** Stands in every secret place and must never be seen elsewhere. */
export const CANARY = "canary-5e1f0b7c";

/** One thing that is wrong, and how it is put right. */
export interface BadInput {
  readonly what: string;
  /** What differs in the MachineRequest's spec. */
  readonly spec?: object;
  /** Where the MachineRequest is, where not in butler-system. */
  readonly namespace?: string;
  /** Makes it wrong, before the request is made. */
  readonly breaks?: (life: HarvesterLife) => Promise<unknown>;
  /** Puts it right. */
  readonly mends: (life: HarvesterLife) => Promise<unknown>;
  readonly phase: "Pending" | "Failed" | "Creating";
  readonly reason: string;
  /** The field or key, what is wrong with it, and what to do. */
  readonly says: RegExp;
  /** The most it may take until the machine runs, in minutes of the clock; 3 unless told otherwise. */
  readonly minutes?: number;
}

const editSpec = (spec: object) => (life: HarvesterLife) => life.edit("web-1", { spec });

const config =
  (changes: object = {}) =>
  (life: HarvesterLife) =>
    life.config({ harvester: { ...life.sim.settings, ...changes } });

const credentials = (kubeconfig: string) => (life: HarvesterLife) => life.secret({ kubeconfig });
const goodCredentials = (life: HarvesterLife) => life.secret({ ...life.sim.secret });

const kubeconfig = ({ user = `{ token: ${CANARY} }`, server = "https://harvester.invalid:6443" } = {}) => `
apiVersion: v1
kind: Config
current-context: harvester
contexts: [{ name: harvester, context: { cluster: harvester, user: me } }]
clusters: [{ name: harvester, cluster: { server: "${server}" } }]
users: [{ name: me, user: ${user} }]
`;

const WAIT_MS = 3_600_000;

/** What a request itself may have wrong. */
const requests: readonly BadInput[] = [
  {
    what: "spec.network",
    spec: { network: { poolRef: { name: "lab" } } },
    mends: editSpec({ network: null }),
    phase: "Failed",
    reason: "InvalidConfiguration",
    says: /^spec\.network: .*remove it/,
  },
  {
    what: "a label name that Harvester refuses",
    spec: { labels: { "a/b/c": "x" } },
    mends: editSpec({ labels: { "a/b/c": null } }),
    phase: "Failed",
    reason: "InvalidConfiguration",
    says: /^spec\.labels\["a\/b\/c"\]: is no valid label name/,
  },
  {
    what: "a label value that Harvester refuses",
    spec: { labels: { owner: "team a" } },
    mends: editSpec({ labels: { owner: "team-a" } }),
    phase: "Failed",
    reason: "InvalidConfiguration",
    says: /^spec\.labels\["owner"\]: the value "team a" must be/,
  },
  {
    what: "a label that is Butler's own",
    spec: { labels: { "harvesterhci.io/vmName": "x" } },
    mends: editSpec({ labels: { "harvesterhci.io/vmName": null } }),
    phase: "Failed",
    reason: "InvalidConfiguration",
    says: /^spec\.labels\["harvesterhci\.io\/vmName"\]: is set by Butler itself; choose another name/,
  },
  {
    what: "no image anywhere",
    breaks: config({ imageName: undefined }),
    mends: editSpec({ image: "default/talos-v1.9.2" }),
    phase: "Failed",
    reason: "InvalidConfiguration",
    says: /^spec\.image: is needed/,
  },
  {
    what: "an image that does not exist",
    spec: { image: "default/nope" },
    mends: editSpec({ image: "default/talos-v1.9.2" }),
    phase: "Failed",
    reason: "ImageNotFound",
    says: /image "default\/nope": there is none.*upload it, or correct spec\.image/,
  },
  ...["default/", "/talos-v1.9.2", "https://factory.talos.dev/image.raw.xz", " "].map(
    (image): BadInput => ({
      what: `an image in a wrong form, "${image}"`,
      spec: { image },
      mends: editSpec({ image: "default/talos-v1.9.2" }),
      phase: "Failed",
      reason: "InvalidConfiguration",
      says: /^spec\.image: ".*" names no image of Harvester: write NAMESPACE\/NAME/,
    }),
  ),
  {
    what: "a default image in a wrong form",
    breaks: config({ imageName: "Talos:v1.9.2/talos" }),
    mends: config(),
    phase: "Failed",
    reason: "InvalidConfiguration",
    says: /^spec\.harvester\.imageName of the ProviderConfig: ".*" names no image of Harvester/,
  },
  {
    what: "an image that is uploaded later",
    spec: { image: "default/later" },
    mends: ({ sim }) => sim.addImage("default/later"),
    phase: "Failed",
    reason: "ImageNotFound",
    says: /image "default\/later": there is none.*upload it/,
    minutes: 20,
  },
  {
    what: "an image whose import failed",
    spec: { image: "default/broken" },
    async breaks({ sim, settle }) {
      await sim.addImage("default/broken", { import: "fails" });
      await settle(WAIT_MS / 4);
    },
    mends: ({ sim }) => sim.finishImport("default/broken"),
    phase: "Failed",
    reason: "ImageFailed",
    says: /image "default\/broken": Harvester could not import it.*upload it again, or name another image/,
    minutes: 30,
  },
  {
    what: "an image that is still being imported",
    spec: { image: "default/slow" },
    breaks: ({ sim }) => sim.addImage("default/slow", { import: "stalls" }),
    mends: ({ sim }) => sim.finishImport("default/slow"),
    phase: "Pending",
    reason: "ImageImporting",
    says: /image "default\/slow": Harvester is still importing it/,
    minutes: 5,
  },
  {
    what: "an extra disk's storage class that does not exist",
    spec: { extraDisks: [{ sizeGB: 10, storageClass: "nvme" }] },
    mends: editSpec({ extraDisks: [{ sizeGB: 10, storageClass: "longhorn" }] }),
    phase: "Failed",
    reason: "StorageClassNotFound",
    says: /storage class "nvme" does not exist on Harvester: make it, or change spec\.extraDisks\[0\]\.storageClass/,
  },
  {
    what: "user data that is too long for the rights there are",
    spec: { userData: `#cloud-config\n# ${CANARY}\n# ${"x".repeat(3_000)}\n` },
    breaks: (life) => life.secret({ ...life.sim.basicAccess.secret }),
    mends: goodCredentials,
    phase: "Pending",
    reason: "PermissionMissing",
    says: /userData is longer than 2,048 bytes.*may not create.* secrets in namespace "default": grant that right/,
  },
  {
    what: "a machine name that somebody else's machine has",
    breaks: ({ sim }) => sim.addStranger("web-1"),
    mends: editSpec({ machineName: "web-2" }),
    phase: "Failed",
    reason: "NameConflict",
    says: /web-1.*(choose another spec\.machineName|left alone)/,
  },
];

/** What a ProviderConfig, or the way to it, may have wrong. */
const configs: readonly BadInput[] = [
  {
    what: "a ProviderConfig that does not exist",
    spec: { providerRef: { name: "nope" } },
    mends: (life) => life.config({ harvester: life.sim.settings }, { name: "nope" }),
    phase: "Pending",
    reason: "ProviderConfigNotFound",
    says: /^ProviderConfig "butler-system\/nope" does not exist; create it, or correct spec\.providerRef$/,
  },
  {
    what: "a ProviderConfig that is looked for in the wrong namespace",
    spec: { providerRef: { name: "prod", namespace: "elsewhere" } },
    mends: editSpec({ providerRef: { name: "prod", namespace: "butler-system" } }),
    phase: "Pending",
    reason: "ProviderConfigNotFound",
    says: /^ProviderConfig "elsewhere\/prod" does not exist/,
  },
  {
    what: "a team's ProviderConfig that the namespace may not use",
    namespace: "team-b",
    async breaks(life) {
      await life.client.create(namespace, { metadata: { name: "team-b" } });
      await life.config({ harvester: life.sim.settings, scope: { type: "team", teamRef: { name: "a" } } });
    },
    mends: (life) =>
      life.client.mergePatch(
        namespace,
        { name: "team-b" },
        { metadata: { labels: { "butler.butlerlabs.dev/team": "a" } } },
      ),
    phase: "Pending",
    reason: "ProviderConfigNotAllowed",
    says: /^ProviderConfig "butler-system\/prod" is for team "a" alone, and namespace "team-b" does not belong to it/,
  },
  {
    what: "a provider that cannot run yet",
    spec: { providerRef: { name: "cloud" } },
    breaks: (life) =>
      life.config({ provider: "aws", harvester: undefined, aws: { region: "eu-central-1" } }, { name: "cloud" }),
    mends: editSpec({ providerRef: { name: "prod" } }),
    phase: "Pending",
    reason: "ProviderNotSupported",
    says: /^provider "aws" of ProviderConfig "butler-system\/cloud" cannot make machines yet; providers that can: harvester$/,
  },
  {
    what: "a network that does not exist",
    breaks: config({ networkName: "default/vlan99" }),
    mends: config(),
    phase: "Failed",
    reason: "NetworkNotFound",
    says: /network "default\/vlan99" does not exist on Harvester: make it, or change spec\.harvester\.networkName/,
  },
  {
    what: "a network that is made later",
    breaks: config({ networkName: "default/vlan99" }),
    mends: ({ sim }) => sim.addNetwork("default/vlan99"),
    phase: "Failed",
    reason: "NetworkNotFound",
    says: /network "default\/vlan99" does not exist/,
    minutes: 15,
  },
  {
    what: "a network that goes while the machine starts",
    async breaks({ harvester, request, phase, remove, gone }) {
      // It has been seen, so that it is believed for a minute.
      await request("web-0");
      await phase("web-0", "Running");
      await remove("web-0");
      await gone("web-0");
      await harvester.delete(networkAttachmentDefinition, { namespace: "default", name: "vlan40-workloads" });
    },
    mends: ({ sim }) => sim.addNetwork("default/vlan40-workloads"),
    phase: "Failed",
    reason: "NetworkNotFound",
    says: /network.*spec\.harvester\.networkName/,
    minutes: 15,
  },
  {
    what: "a default storage class that does not exist",
    spec: { extraDisks: [{ sizeGB: 10 }] },
    breaks: config({ storageClassName: "nvme" }),
    mends: config({ storageClassName: "longhorn" }),
    phase: "Failed",
    reason: "StorageClassNotFound",
    says: /storage class "nvme" does not exist on Harvester: make it, or change spec\.harvester\.storageClassName/,
  },
  {
    what: "a storage class that is made later",
    spec: { extraDisks: [{ sizeGB: 10, storageClass: "nvme" }] },
    mends: ({ harvester }) =>
      harvester.create(storageClass, { metadata: { name: "nvme" }, provisioner: "driver.longhorn.io" }),
    phase: "Failed",
    reason: "StorageClassNotFound",
    says: /storage class "nvme" does not exist/,
    minutes: 15,
  },
  {
    what: "a namespace on Harvester that does not exist",
    breaks: config({ namespace: "nowhere" }),
    mends: config(),
    phase: "Failed",
    reason: "NamespaceNotFound",
    says: /there is no namespace "nowhere" on Harvester: make it, or change spec\.harvester\.namespace/,
  },
  {
    what: "settings that do not go together",
    breaks: config({ secureBoot: true, efi: false }),
    mends: config(),
    phase: "Failed",
    reason: "InvalidSettings",
    says: /spec\.harvester\.secureBoot: needs spec\.harvester\.efi: true/,
  },
];

/** What the credentials may have wrong. */
const secrets: readonly BadInput[] = [
  {
    what: "a Secret that does not exist",
    breaks: ({ client }) => client.delete(secret, { namespace: "butler-system", name: "credentials" }),
    mends: goodCredentials,
    phase: "Pending",
    reason: "SecretNotFound",
    says: /^Secret "butler-system\/credentials", which ProviderConfig "butler-system\/prod" names, does not exist; create it/,
  },
  {
    what: "a Secret in a namespace that a tenant's ProviderConfig may not use",
    namespace: "tenant",
    spec: { providerRef: { name: "own" } },
    async breaks(life) {
      await life.client.create(namespace, { metadata: { name: "tenant" } });
      await life.config(
        { harvester: life.sim.settings, credentialsRef: { name: "credentials", namespace: "butler-system" } },
        { name: "own", namespace: "tenant" },
      );
    },
    async mends(life) {
      await life.secret({ ...life.sim.secret }, { name: "credentials", namespace: "tenant" });
      await life.config(
        { harvester: life.sim.settings, credentialsRef: { name: "credentials", namespace: "tenant" } },
        { name: "own", namespace: "tenant" },
      );
    },
    phase: "Failed",
    reason: "CredentialsNotAllowed",
    says: /spec\.credentialsRef\.namespace: .*keep the Secret beside the ProviderConfig/,
  },
  {
    what: "a Secret without the key",
    breaks: (life) => life.secret({ token: CANARY }),
    mends: goodCredentials,
    phase: "Pending",
    reason: "SecretKeyMissing",
    says: /lacks the key "kubeconfig"; add it to the Secret's data/,
  },
  {
    what: "a kubeconfig that is empty",
    breaks: credentials(""),
    mends: goodCredentials,
    phase: "Pending",
    reason: "SecretKeyMissing",
    says: /lacks the key "kubeconfig"; add it to the Secret's data/,
  },
  {
    what: "a kubeconfig that is no YAML",
    breaks: credentials(`{ ${CANARY}: [`),
    mends: goodCredentials,
    phase: "Failed",
    reason: "InvalidKubeconfig",
    says: /key "kubeconfig" of the credentials Secret/,
  },
  {
    what: "a kubeconfig that runs a program",
    breaks: credentials(
      kubeconfig({ user: `{ exec: { apiVersion: client.authentication.k8s.io/v1, command: ${CANARY} } }` }),
    ),
    mends: goodCredentials,
    phase: "Failed",
    reason: "InvalidKubeconfig",
    says: /exec is not allowed/,
  },
  {
    what: "a kubeconfig that reads files",
    breaks: credentials(kubeconfig({ user: `{ tokenFile: /etc/${CANARY} }` })),
    mends: goodCredentials,
    phase: "Failed",
    reason: "InvalidKubeconfig",
    says: /tokenFile is not allowed/,
  },
  {
    what: "a kubeconfig whose server does not exist",
    breaks: credentials(kubeconfig({ server: "https://elsewhere.invalid", user: `{ token: ${CANARY}@unknown }` })),
    mends: goodCredentials,
    phase: "Pending",
    reason: "ConnectionFailed",
    says: /ENOTFOUND harvester\.invalid.*check the server in the kubeconfig of the credentials Secret/,
  },
  {
    what: "a kubeconfig whose server does not listen",
    breaks: credentials(kubeconfig({ server: "https://elsewhere.invalid", user: `{ token: ${CANARY}@closed }` })),
    mends: goodCredentials,
    phase: "Pending",
    reason: "ConnectionFailed",
    says: /ECONNREFUSED.*check the server in the kubeconfig of the credentials Secret/,
  },
  {
    what: "a kubeconfig whose server is something else",
    breaks: credentials(kubeconfig({ server: "https://elsewhere.invalid", user: `{ token: ${CANARY}@website }` })),
    mends: goodCredentials,
    phase: "Pending",
    reason: "ConnectionFailed",
    says: /check the server in the kubeconfig of the credentials Secret/,
  },
  {
    what: "a token that Harvester does not know",
    breaks: credentials(kubeconfig()),
    mends: goodCredentials,
    phase: "Pending",
    reason: "CredentialsRefused",
    says: /does not accept the credentials.*put a valid kubeconfig into the credentials Secret/,
  },
  {
    what: "a token that has expired",
    breaks: async ({ sim }) => sim.expireCredentials(),
    mends: (life) => life.secret({ ...life.sim.renewCredentials().secret }),
    phase: "Pending",
    reason: "CredentialsRefused",
    says: /wrong or have expired: put a valid kubeconfig into the credentials Secret/,
  },
];

/** Everything that can be wrong. */
export const badInputs: readonly BadInput[] = [...requests, ...configs, ...secrets];
