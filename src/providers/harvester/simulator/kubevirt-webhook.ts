// SPDX-License-Identifier: Apache-2.0

import type { KubeObject } from "../../../plane/types.ts";
import { labelValueProblems } from "../../../schema/names.ts";
import { instanceSpec } from "./machine-view.ts";
import { at, listAt, mapAt, textAt, textsAt } from "./read.ts";
import type { Refusal } from "./refuse.ts";

const MAX_INLINE_BYTES = 2048;
const RUN_STRATEGIES = ["Halted", "Manual", "Always", "RerunOnFailure", "Once"];
const SPEC = "spec.template.spec";

/** What KubeVirt objects to in a machine. */
export function kubevirtRefusals(vm: KubeObject): readonly Refusal[] {
  if (at(vm.spec, "template") === undefined)
    return [{ message: "missing virtual machine template.", field: "spec.template" }];
  return [
    ...nameRefusals(vm),
    ...labelRefusals(vm),
    ...deviceRefusals(vm),
    ...firmwareRefusals(vm),
    ...listAt(instanceSpec(vm), "volumes").flatMap(cloudInitRefusals),
    ...runRefusals(vm),
  ];
}

function nameRefusals({ metadata: { name = "" } }: KubeObject): readonly Refusal[] {
  if (name.length <= 63) return [];
  return [
    { message: `metadata.name: Invalid value: "${name}": must be no more than 63 characters`, field: "metadata.name" },
  ];
}

/** The labels of the instance's pod; the machine's own are the API server's to check. */
function labelRefusals({ spec }: KubeObject): readonly Refusal[] {
  const field = "spec.template.metadata.labels";
  return Object.values(textsAt(spec, "template", "metadata", "labels")).flatMap((value) =>
    labelValueProblems(value).map((why) => ({ message: `${field}: Invalid value: "${value}": ${why}`, field })),
  );
}

function deviceRefusals(vm: KubeObject): readonly Refusal[] {
  const spec = instanceSpec(vm);
  const names = (...path: string[]) => listAt(spec, ...path).map((one) => textAt(one, "name"));
  const missing = (wanted: readonly string[], given: readonly string[], field: string) =>
    wanted.flatMap((name, index) =>
      given.includes(name)
        ? []
        : [
            {
              message: `${SPEC}.${field}[${index}].name '${name}' not found.`,
              field: `${SPEC}.${field}[${index}].name`,
            },
          ],
    );
  return [
    ...missing(names("domain", "devices", "disks"), names("volumes"), "domain.devices.disks"),
    ...missing(names("domain", "devices", "interfaces"), names("networks"), "domain.devices.interfaces"),
    ...missing(names("networks"), names("domain", "devices", "interfaces"), "networks"),
  ];
}

function firmwareRefusals(vm: KubeObject): readonly Refusal[] {
  const domain = mapAt(instanceSpec(vm), "domain");
  const efi = at(domain, "firmware", "bootloader", "efi");
  const smm = at(domain, "features", "smm");
  const hasSmm = smm !== undefined && at(smm, "enabled") !== false;
  if (efi === undefined || at(efi, "secureBoot") === false || hasSmm) return [];
  const field = `${SPEC}.domain.firmware`;
  return [
    { message: `${field} has EFI SecureBoot enabled. SecureBoot requires SMM, which is currently disabled.`, field },
  ];
}

function cloudInitRefusals(volume: unknown, index: number): readonly Refusal[] {
  return ["cloudInitNoCloud", "cloudInitConfigDrive"].flatMap((source) => {
    const given = at(volume, source);
    if (given === undefined) return [];
    const field = `${SPEC}.volumes[${index}].${source}`;
    const user = dataOf(given, ["userData", "userDataBase64"], "secretRef");
    const network = dataOf(given, ["networkData", "networkDataBase64"], "networkDataSecretRef");
    const refusals: string[] = [];
    if (user.sources > 1) refusals.push("must have only one userdatasource set.");
    if (user.bytes > MAX_INLINE_BYTES)
      refusals.push(`userdata exceeds ${MAX_INLINE_BYTES} byte limit. Should use UserDataSecretRef for larger data.`);
    if (network.sources > 1) refusals.push("must have only one networkdata source set.");
    if (network.bytes > MAX_INLINE_BYTES)
      refusals.push(
        `networkdata exceeds ${MAX_INLINE_BYTES} byte limit. Should use NetworkDataSecretRef for larger data.`,
      );
    if (user.sources + network.sources === 0)
      refusals.push("must have at least one userdatasource or one networkdatasource set.");
    return refusals.map((why) => ({ message: `${field} ${why}`, field }));
  });
}

function dataOf(source: unknown, [plain = "", encoded = ""]: readonly string[], secret: string) {
  const texts = [Buffer.from(textAt(source, plain)), Buffer.from(textAt(source, encoded), "base64")];
  const given = texts.filter(({ length }) => length > 0);
  return {
    sources: given.length + (textAt(source, secret, "name") === "" ? 0 : 1),
    bytes: Math.max(0, ...given.map(({ length }) => length)),
  };
}

function runRefusals({ spec }: KubeObject): readonly Refusal[] {
  const strategy = textAt(spec, "runStrategy");
  const hasRunning = at(spec, "running") !== undefined;
  const refuse = (message: string) => [{ message, field: "spec.running" }];
  if (hasRunning && strategy !== "")
    return refuse(
      "Running and RunStrategy are mutually exclusive. Note that Running is deprecated, please use RunStrategy instead",
    );
  if (!hasRunning && strategy === "") return refuse("RunStrategy must be specified");
  if (strategy !== "" && !RUN_STRATEGIES.includes(strategy)) return refuse(`Invalid RunStrategy (${strategy})`);
  return [];
}
