// SPDX-License-Identifier: Apache-2.0
import type { MachineWant } from "../../engine/provider.ts";
import { parseImageName } from "./image.ts";
import { isReservedLabel } from "./names.ts";
import type { HarvesterSettings } from "./virtual-machine.ts";

const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;
const LABEL_NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const LABEL_PREFIX = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

const VALUE_RULE =
  "must be at most 63 letters, digits, `-`, `_` or `.`, beginning and ending with a letter or digit, to be a label on Harvester";

/** What the user must change before Harvester could make this machine; empty when fine. */
export function validate(want: MachineWant, settings: HarvesterSettings): readonly string[] {
  const problems: string[] = [];
  if (want.network !== undefined)
    problems.push(
      "spec.network: addresses from pools are not given to Harvester machines yet; remove it, the machine gets its address by DHCP",
    );
  problems.push(...imageProblems(want, settings));
  for (const [name, value] of Object.entries(want.labels)) problems.push(...labelProblems(name, value));
  for (const field of ["spreadGroup", "failureDomain"] as const) {
    const value = want[field];
    if (value !== undefined && (value === "" || !LABEL_VALUE.test(value)))
      problems.push(`spec.${field}: "${value}" ${VALUE_RULE}`);
  }
  return problems;
}

/** Names of resources have their own rules; people may have called an image anything. */
function imageProblems({ image }: MachineWant, settings: HarvesterSettings): readonly string[] {
  const text = image ?? settings.imageName ?? "";
  if (text === "") return ["spec.image: is needed, since the ProviderConfig has no spec.harvester.imageName"];
  const { namespace, name } = parseImageName(text, settings);
  if (NAMESPACE.test(namespace) && name.trim() !== "") return [];
  const field = image === undefined ? "spec.harvester.imageName of the ProviderConfig" : "spec.image";
  return [
    `${field}: "${text}" names no image of Harvester: write NAMESPACE/NAME, with the image's name or display name`,
  ];
}

function labelProblems(name: string, value: string): readonly string[] {
  const field = `spec.labels["${name}"]`;
  if (isReservedLabel(name)) return [`${field}: is set by Butler itself; choose another name`];
  const [last = "", prefix, ...rest] = name.split("/").reverse();
  const isName = LABEL_NAME.test(last) && rest.length === 0;
  const isPrefix = prefix === undefined || (prefix.length <= 253 && LABEL_PREFIX.test(prefix));
  return [
    ...(isName && isPrefix ? [] : [`${field}: is no valid label name on Harvester`]),
    ...(LABEL_VALUE.test(value) ? [] : [`${field}: the value "${value}" ${VALUE_RULE}`]),
  ];
}

/** What is wrong with a ProviderConfig's block that its schema cannot tell; empty when fine. */
export function validateSettings({ efi, secureBoot }: HarvesterSettings): readonly string[] {
  return secureBoot && !efi ? ["spec.harvester.secureBoot: needs spec.harvester.efi: true"] : [];
}
