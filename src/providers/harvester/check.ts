// SPDX-License-Identifier: Apache-2.0
import type { CheckReport, Finding } from "../../engine/provider.ts";
import { ProviderError } from "../../engine/provider-error.ts";
import { namespace as namespaceKind } from "../../kube/index.ts";
import { checkRights } from "./check-rights.ts";
import type { Requests } from "./client.ts";
import { guessedStorageClass, imageState, lookUpImage, parseImageName } from "./image.ts";
import { harvesterSetting } from "./kinds.ts";
import type { Site } from "./site.ts";
import { hasNetwork, hasStorageClass } from "./surroundings.ts";
import type { TokenLife } from "./token-life.ts";

const SOON_MS = 7 * 24 * 3_600_000;
const OLDEST = [1, 2] as const;

interface Checking {
  readonly site: Site;
  readonly requests: Requests;
}

/** Logs in and looks whether machines can be made. Throws only where Harvester does not answer. */
export async function checkSite(
  site: Site,
  { requests, tokenLife }: { readonly requests: Requests; readonly tokenLife: TokenLife | undefined },
): Promise<CheckReport> {
  const checking = { site, requests };
  const rights = await credentialsOf(checking);
  if ("refusal" in rights) return { findings: [rights.refusal] };
  const version = await versionOf(checking);
  const findings = [
    credentialsFinding(site, tokenLife),
    ...endpointFindings(site),
    ...rights.findings,
    ...(await namespaceFindings(checking)),
    await networkFinding(checking),
    ...(await imageAndStorageFindings(checking)),
    ...versionFindings(version),
  ];
  return { findings, ...(version === undefined ? {} : { providerVersion: version }) };
}

/** The first questions also prove the credentials: an API server answers them to nobody else. */
async function credentialsOf({
  site,
  requests,
}: Checking): Promise<{ readonly findings: readonly Finding[] } | { readonly refusal: Finding }> {
  try {
    return { findings: await checkRights(site, requests) };
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== "denied") throw error;
    const { reason, message, kind } = error;
    return {
      refusal: { condition: "CredentialsValid", result: "failed", reason, message, isBlocking: true, kind },
    };
  }
}

function credentialsFinding({ clock }: Site, life: TokenLife | undefined): Finding {
  const fine = { condition: "CredentialsValid", result: "fine", isBlocking: true } as const;
  if (life === undefined || life.endsAtMs - clock.now() > SOON_MS)
    return { ...fine, reason: "LoggedIn", message: "Harvester accepts the credentials of the kubeconfig" };
  const day = new Date(life.endsAtMs).toISOString().slice(0, 16);
  return {
    ...fine,
    reason: "CredentialsExpireSoon",
    message: `the ${life.what} of the kubeconfig ends on ${day}Z: put a new kubeconfig into the credentials Secret before that`,
  };
}

function endpointFindings({ settings: { endpoint }, server }: Site): readonly Finding[] {
  if (endpoint === undefined || endpoint === "" || isSameAddress(endpoint, server)) return [];
  return [
    {
      condition: "EndpointMatches",
      result: "failed",
      reason: "EndpointIgnored",
      message: `spec.harvester.endpoint "${endpoint}" is not used and differs from the kubeconfig's server "${server}", which is: remove it, or correct the kubeconfig`,
      isBlocking: false,
    },
  ];
}

function isSameAddress(one: string, other: string): boolean {
  if (!URL.canParse(one) || !URL.canParse(other)) return one === other;
  const [left, right] = [new URL(one), new URL(other)];
  return left.origin === right.origin && left.pathname.replace(/\/+$/, "") === right.pathname.replace(/\/+$/, "");
}

async function namespaceFindings({ site, requests }: Checking): Promise<readonly Finding[]> {
  const { namespace: name } = site.settings;
  if (!(await site.may(requests, { kind: namespaceKind, verb: "get", name }))) return [];
  const found = await requests.get(namespaceKind, { name });
  const common = { condition: "NamespaceAvailable", isBlocking: true } as const;
  if (found === undefined)
    return [
      {
        ...common,
        result: "failed",
        reason: "NamespaceNotFound",
        message: `there is no namespace "${name}" on Harvester: make it, or change spec.harvester.namespace`,
      },
    ];
  return [{ ...common, result: "fine", reason: "NamespaceFound", message: `namespace "${name}" exists` }];
}

async function networkFinding({ site, requests }: Checking): Promise<Finding> {
  const { networkName } = site.settings;
  const common = { condition: "NetworkAvailable", isBlocking: true } as const;
  const exists = await hasNetwork(networkName, site, requests);
  if (exists === undefined)
    return {
      ...common,
      result: "unverified",
      reason: "MayNotRead",
      message: `network "${networkName}" may not be read with this kubeconfig`,
    };
  if (exists) return { ...common, result: "fine", reason: "NetworkFound", message: `network "${networkName}" exists` };
  return {
    ...common,
    result: "failed",
    reason: "NetworkNotFound",
    message: `there is no network "${networkName}" on Harvester: make it under Networks > Virtual Machine Networks, or change spec.harvester.networkName`,
  };
}

async function imageAndStorageFindings(checking: Checking): Promise<readonly Finding[]> {
  const { site, requests } = checking;
  const { imageName, storageClassName } = site.settings;
  const condition = "ImageAvailable";
  const classes = new Set(storageClassName === undefined ? [] : [storageClassName]);
  const findings: Finding[] = [];
  if (imageName === undefined || imageName === "")
    findings.push({
      condition,
      result: "unverified",
      reason: "NoDefaultImage",
      message: "spec.harvester.imageName is not set: each MachineRequest has to name its image",
      isBlocking: false,
    });
  else {
    const image = await lookUpImage(imageName, site, requests);
    const state = image === undefined || image === "unreadable" ? image : imageState(image);
    findings.push(imageFinding(imageName, state));
    if (state === "unreadable")
      classes.add(guessedStorageClass(parseImageName(imageName, site.settings).name, site.settings));
    else if (state?.type === "imported" && state.storageClass !== undefined) classes.add(state.storageClass);
  }
  for (const name of classes) findings.push(await storageFinding(name, checking));
  return findings;
}

function imageFinding(name: string, state: ReturnType<typeof imageState> | "unreadable" | undefined): Finding {
  const common = { condition: "ImageAvailable", isBlocking: false } as const;
  if (state === undefined)
    return {
      ...common,
      result: "failed",
      reason: "ImageNotFound",
      message: `there is no image "${name}" on Harvester, neither by name nor by display name: upload it, or change spec.harvester.imageName`,
    };
  if (state === "unreadable")
    return {
      ...common,
      result: "unverified",
      reason: "MayNotRead",
      message: `image "${name}" may not be read with this kubeconfig; it must be given by its resource name`,
    };
  if (state.type === "failed")
    return {
      ...common,
      result: "failed",
      reason: "ImageFailed",
      message: `Harvester could not import image "${name}" (${state.message}): upload it again`,
    };
  if (state.type === "importing")
    return {
      ...common,
      result: "failed",
      reason: "ImageImporting",
      message: `image "${name}" is still being imported (${state.progress} %): machines wait for it`,
      kind: "unavailable",
    };
  return { ...common, result: "fine", reason: "ImageImported", message: `image "${name}" is imported` };
}

async function storageFinding(name: string, { site, requests }: Checking): Promise<Finding> {
  const exists = await hasStorageClass(name, site, requests);
  const common = { condition: "StorageAvailable", isBlocking: false } as const;
  if (exists === undefined)
    return {
      ...common,
      result: "unverified",
      reason: "MayNotRead",
      message: `storage class "${name}" may not be read with this kubeconfig`,
    };
  if (exists)
    return { ...common, result: "fine", reason: "StorageClassFound", message: `storage class "${name}" exists` };
  return {
    ...common,
    result: "failed",
    reason: "StorageClassNotFound",
    message: `there is no storage class "${name}" on Harvester: make it, or change spec.harvester.storageClassName`,
  };
}

async function versionOf({ site, requests }: Checking): Promise<string | undefined> {
  if (!(await site.may(requests, { kind: harvesterSetting, verb: "get" }))) return undefined;
  const setting = await requests.get(harvesterSetting, { name: "server-version" });
  return setting?.value || setting?.default || undefined;
}

function versionFindings(version: string | undefined): readonly Finding[] {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version ?? "") ?? [];
  if (major === undefined || minor === undefined) return [];
  const [oldestMajor, oldestMinor] = OLDEST;
  const isOld = Number(major) < oldestMajor || (Number(major) === oldestMajor && Number(minor) < oldestMinor);
  if (!isOld)
    return [
      {
        condition: "VersionSupported",
        result: "fine",
        reason: "Supported",
        message: `Harvester ${version} is supported`,
        isBlocking: false,
      },
    ];
  return [
    {
      condition: "VersionSupported",
      result: "failed",
      reason: "TooOld",
      message: `Harvester ${version} is older than ${OLDEST.join(".")}, with which machines are not tried: upgrade it`,
      isBlocking: false,
    },
  ];
}
