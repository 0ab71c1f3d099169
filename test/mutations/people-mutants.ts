// SPDX-License-Identifier: Apache-2.0
import type { Mutant } from "./mutant.ts";

const CREATE_VM = "infrastructure POST .*/virtualmachines$";
/** The last such request is of the check while the machine runs. */
const CHECK_AT_REST = { at: "infrastructure GET .*/settings/server-version", nth: -1 };

/** Engines that stand what infrastructures do, and not what people and other managers do. */
export const PEOPLE_MUTANTS: readonly Mutant[] = [
  {
    name: "guard removed",
    breaks: "machines are made although there are more of them than requests",
    replacements: [
      {
        file: "src/engine/guard.ts",
        from: `      const isFrozen = await frozen(signal);
      if (isFrozen !== undefined) return isFrozen;
`,
        to: "",
      },
    ],
    life: {
      scenario: "restored-as-in-the-beginning",
      at: "kubernetes PUT .*/machinerequests/web-1/status",
      nth: 1,
    },
    rule: "duplicate",
  },
  {
    name: "no ownership check",
    breaks: "whoever carries a machine's id owns it, whatever its mark says",
    replacements: [
      {
        file: "src/engine/identity.ts",
        from: "return mark.machineId === own.machineId && mark.installation === own.installation && mark.owner === own.owner;",
        to: "return mark.machineId === own.machineId && mark.installation === own.installation;",
      },
      {
        file: "src/engine/identity.ts",
        from: "if (launch !== undefined && launch.owner !== ownerOf(request))",
        to: "if (false)",
      },
      {
        file: "src/providers/harvester/mark.ts",
        from: `one.installation === other.installation &&
    one.owner === other.owner`,
        to: "one.installation === other.installation",
      },
    ],
    life: {
      scenario: "manifest-copied-to-another-namespace-with-own-name",
      at: "kubernetes PUT .*/machinerequests/web-1/status",
    },
    rule: "leftover",
  },
  {
    name: "lost machine made again",
    breaks: "a machine that somebody deleted on the infrastructure is made again unasked",
    replacements: [
      {
        file: "src/engine/decide.ts",
        from: `if (wasSeen) return doubtOf(situation) ?? tell({ is: "lost" });`,
        to: "",
      },
    ],
    life: { scenario: "outsider-deletes", ...CHECK_AT_REST },
    rule: "status",
  },
  {
    name: "place not compared",
    breaks: "absence at another place counts as absence",
    replacements: [
      {
        file: "src/engine/machine-survey.ts",
        from: `const isPlaceSame = launch === undefined || launch.place === "" || launch.place === home?.connection.place;`,
        to: "const isPlaceSame = true;",
      },
    ],
    life: { scenario: "config-repointed-and-request-deleted", ...CHECK_AT_REST },
    rule: "duplicate",
  },
  {
    name: "old machine not removed first",
    breaks: "the machine of an edited spec is made while the one of the old spec stands",
    replacements: [
      {
        file: "src/engine/decide.ts",
        from: "if (have !== undefined && !isWorthALook(situation, have)) return remove(situation, have, { isReplaced: true });",
        to: "if (have !== undefined) return waitOut(situation) ?? next;",
      },
    ],
    life: { scenario: "spec-edited-name", at: CREATE_VM },
    rule: "duplicate",
  },
  {
    name: "own launch forgotten",
    breaks: "a request whose annotations were taken off while its machine is made counts as new",
    replacements: [
      {
        file: "src/engine/machine-launch.ts",
        from: "identity === undefined && record.launched !== undefined",
        to: "identity === undefined && record.launched === null",
      },
    ],
    life: { scenario: "manifest-replaced-with-another-name", at: CREATE_VM },
    rule: "duplicate",
  },
  {
    name: "protection forgotten",
    breaks: "nothing keeps a ProviderConfig and its Secret while a machine needs them",
    replacements: [
      {
        file: "src/engine/protection.ts",
        from: "const own = protectBoth(config, { client: options.client, signal });",
        to: "const own = Promise.resolve();",
      },
      {
        file: "src/engine/protection.ts",
        from: "else await keepBoth(config, need, writing);",
        to: "",
      },
    ],
    life: { scenario: "config-deleted", ...CHECK_AT_REST },
    rule: "leftover",
  },
  {
    name: "credentials kept for ever",
    breaks: "a connection is used on though the Secret it was made from has changed",
    replacements: [
      {
        file: "src/engine/open-connections.ts",
        from: `    if (known === undefined) return undefined;
    const { credentials: place } = config;`,
        to: `    if (known === undefined || known !== null) return known;
    const { credentials: place } = config;`,
      },
    ],
    life: { scenario: "credentials-rotated", ...CHECK_AT_REST },
    rule: "stuck",
  },
  {
    name: "fence removed",
    breaks: "a manager goes on where it was when it wakes, whoever leads by then and however late it is",
    replacements: [
      {
        file: "src/engine/outside-call.ts",
        from: "if (clock.monotonic() >= endsAt) throw tooSlow(what, limitMs);",
        to: "",
      },
      {
        file: "src/engine/engine-run.ts",
        from: `      if (gate === undefined) throw new LostLeadershipError("the engine does not run");
      gate();`,
        to: "      void gate;",
      },
    ],
    life: {
      scenario: "leader-paused-for-600-s-and-request-deleted",
      at: "infrastructure GET .*/virtualmachineimages/",
    },
    rule: "duplicate",
  },
];
