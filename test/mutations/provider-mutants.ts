// SPDX-License-Identifier: Apache-2.0
import type { Mutant } from "./mutant.ts";

const CREATE_VM = "infrastructure POST .*/virtualmachines$";

/** Providers with a broken part. */
export const PROVIDER_MUTANTS: readonly Mutant[] = [
  {
    name: "error kind wrong",
    breaks: "a server in trouble counts as a mistake of the user",
    replacements: [
      {
        file: "src/providers/harvester/refusal.ts",
        from: `if (status === 408 || status >= 500) return { kind: "unavailable",`,
        to: `if (status === 408 || status >= 500) return { kind: "invalid",`,
      },
    ],
    life: { at: CREATE_VM, fault: "500" },
    rule: "status",
  },
  {
    name: "broken connection taken for a refusal",
    breaks: "a create call whose connection broke is said to have had no effect",
    replacements: [
      {
        file: "src/providers/harvester/refusal.ts",
        from: "mayHaveActed: error.wasSent && WRITES.has(verb),",
        to: "mayHaveActed: false,",
      },
    ],
    life: { at: CREATE_VM, fault: "late-cut", deletes: "before" },
    rule: "leftover",
  },
  {
    name: "machine without a mark",
    breaks: "the virtual machine does not say whose it is",
    replacements: [
      {
        file: "src/providers/harvester/virtual-machine.ts",
        from: "labels: { ...want.labels, ...labels },\n      annotations: {\n        ...markAnnotations(want.mark),",
        to: "labels: { ...want.labels },\n      annotations: {",
      },
    ],
    life: { undisturbed: true },
    rule: "stuck",
  },
  {
    name: "disks not looked for",
    breaks: "a machine is said to be gone while its disks are there",
    replacements: [
      {
        file: "src/providers/harvester/find.ts",
        from: "    claims: own,\n    secrets,\n    events: [],",
        to: "    claims: [],\n    secrets,\n    events: [],",
      },
    ],
    life: { on: "harvester with basic rights", undisturbed: true },
    rule: "leftover",
  },
  {
    name: "disks left out of delete",
    breaks: "disks that Harvester does not remove with their machine are never deleted",
    replacements: [
      {
        file: "src/providers/harvester/delete.ts",
        from: `  for (const claim of await listClaims(have.mark, site, requests))
    if (claim.metadata.deletionTimestamp === undefined) await requests.delete(persistentVolumeClaim, claim);`,
        to: "",
      },
    ],
    life: { on: "harvester with basic rights", undisturbed: true },
    rule: "stuck",
  },
  {
    name: "Secret left out of delete",
    breaks: "the Secret of a machine neither belongs to it nor is deleted after it",
    replacements: [
      {
        file: "src/providers/harvester/cloud-init.ts",
        from: "ownerReferences: [ownerReference(machine)],",
        to: "",
      },
      {
        file: "src/providers/harvester/delete.ts",
        from: `  for (const each of await listSecrets(have, site, requests))
    if (isOf(each, have.mark) && each.metadata.deletionTimestamp === undefined) await requests.delete(secret, each);`,
        to: "",
      },
    ],
    life: { undisturbed: true },
    rule: "stuck",
  },
  {
    name: "name collision adopted",
    breaks: "what has the machine's name is taken for the machine",
    replacements: [
      {
        file: "src/providers/harvester/ownership.ts",
        from: `  if (other === undefined || !isSameMachine(other, mark)) return strangerParts(what, other, mark);`,
        to: "  if (other === undefined || !isSameMachine(other, mark)) return undefined;",
      },
    ],
    life: { scenario: "stranger-before-who-stays", at: CREATE_VM },
    rule: "stuck",
  },
  {
    name: "stranger deleted",
    breaks: "what has the machine's name is deleted, whatever its mark says",
    replacements: [
      {
        file: "src/providers/harvester/delete.ts",
        from: "if (vm !== undefined && isOf(vm, have.mark)) {",
        to: "if (vm !== undefined) {",
      },
    ],
    life: {
      on: "harvester with basic rights",
      scenario: "stranger-after",
      at: "infrastructure GET .*/virtualmachines\\?",
    },
    rule: "leftover",
  },
  {
    name: "lag not told",
    breaks: "a cloud whose lists lag behind says that they do not",
    replacements: [
      {
        file: "test/mutations/token-cloud/provider.ts",
        from: "visibilityLagMs: LAG_MS,",
        to: "visibilityLagMs: 0,",
      },
    ],
    life: { on: "token cloud", undisturbed: true },
    rule: "status",
  },
];
