// SPDX-License-Identifier: Apache-2.0
import type { Finding } from "../../engine/provider.ts";
import type { Requests } from "./client.ts";
import { parseImageName } from "./image.ts";
import { RIGHTS, type Right, resourceText } from "./rights.ts";
import type { Site } from "./site.ts";
import { parseNetworkName } from "./surroundings.ts";

interface Missing {
  readonly right: Right;
  readonly verbs: readonly string[];
  /** The server did not tell of all. */
  readonly isUnknown: boolean;
}

/** Asks anew for every right there is a use for, and says which are missing and what comes of it. */
export async function checkRights(site: Site, requests: Requests): Promise<readonly Finding[]> {
  site.forgetRights();
  const answers = await askAll(site, requests);
  const missing = answers.filter(({ verbs }) => verbs.length > 0);
  const needed = missing.filter(({ right }) => right.isNeeded);
  const wished = missing.filter(({ right }) => !right.isNeeded);
  const common = { condition: "PermissionsGranted", isBlocking: true } as const;
  if (needed.length > 0)
    return [
      {
        ...common,
        result: "failed",
        reason: "PermissionsMissing",
        message: `the kubeconfig's user may not ${textOf(needed, site)}: grant these rights on Harvester`,
        kind: "denied",
      },
    ];
  if (answers.some(({ isUnknown }) => isUnknown))
    return [
      {
        ...common,
        result: "unverified",
        reason: "NotTold",
        message: "Harvester does not tell this user which rights it has",
      },
    ];
  if (wished.length === 0)
    return [{ ...common, result: "fine", reason: "AllGranted", message: "all rights are granted" }];
  const consequences = [...new Set(wished.map(({ right }) => right.without ?? ""))].join("; ");
  return [
    {
      ...common,
      result: "fine",
      reason: "NeededOnesGranted",
      message: `the needed rights are granted, but not ${textOf(wished, site)}: ${consequences}`,
    },
  ];
}

/** The namespace a right is needed in. */
export function namespaceOf({ where }: Right, { settings }: Pick<Site, "settings">): string | undefined {
  if (where === "cluster") return undefined;
  if (where === "network") return parseNetworkName(settings.networkName).namespace;
  return where === "image" ? parseImageName(settings.imageName ?? "", settings).namespace : settings.namespace;
}

/** Asks one question first: a Harvester that does not answer that one is not asked dozens more. */
async function askAll(site: Site, requests: Requests): Promise<readonly Missing[]> {
  const questions = RIGHTS.flatMap((right) => right.verbs.map((verb) => ({ right, verb })));
  const ask = async ({ right, verb }: (typeof questions)[number]) => {
    const namespace = namespaceOf(right, site);
    const name = right.kind.plural === "namespaces" ? { name: site.settings.namespace } : {};
    const asked = { kind: right.kind, verb, ...(namespace === undefined ? name : { namespace }) };
    return { right, verb, isGranted: await site.askRight(requests, asked) };
  };
  const first = await Promise.all(questions.slice(0, 1).map(ask));
  const answers = [...first, ...(await Promise.all(questions.slice(1).map(ask)))];
  return RIGHTS.map((right) => {
    const own = answers.filter((answer) => answer.right === right);
    const verbs = own.filter(({ isGranted }) => isGranted === false).map(({ verb }) => verb);
    return { right, verbs, isUnknown: own.some(({ isGranted }) => isGranted === undefined) };
  });
}

function textOf(missing: readonly Missing[], site: Site): string {
  return missing
    .map(({ right, verbs }) => {
      const namespace = namespaceOf(right, site);
      return `${verbs.join(", ")} ${resourceText(right.kind)}${namespace === undefined ? "" : ` in "${namespace}"`}`;
    })
    .join(" and ");
}
