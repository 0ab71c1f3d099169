// SPDX-License-Identifier: Apache-2.0
import { createHash } from "node:crypto";
import type { MachineRequest } from "../api/index.ts";
import { ANNOTATIONS, ownerOf, tokenOf } from "./identity.ts";
import type { MachineWant, Mark } from "./provider.ts";

/** What of a machine is fixed at its launch. */
type Parameters = Omit<MachineWant, "mark" | "token" | "labels" | "existing">;

/** The machine that a request asks for, marked; with `existing` only that very machine, to be brought in line. Deeply frozen. */
export function wantOf(request: MachineRequest, mark: Omit<Mark, "owner">, existing?: string): MachineWant {
  const owner = ownerOf(request);
  return freeze({
    ...parametersOf(request),
    labels: { ...request.spec.labels },
    mark: { ...mark, owner },
    token: tokenOf({ ...mark, owner }),
    ...(existing === undefined ? {} : { existing }),
  });
}

/**
 * Sixteen hex digits that change with the launch parameters: all of the spec but `providerRef`, `labels` and `deletionPolicy`, and the
 * annotation that names a machine type. The recipe must never change: a machine whose request is Pending and has another hash is
 * taken to be made for another spec, and is replaced.
 */
export function launchHashOf(request: MachineRequest): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted(parametersOf(request))))
    .digest("hex")
    .slice(0, 16);
}

function parametersOf({ spec, metadata }: MachineRequest): Parameters {
  const { image, userData, networkData, failureDomain, spreadGroup, network } = spec;
  const instanceType = metadata.annotations?.[ANNOTATIONS.instanceType];
  return {
    name: spec.machineName,
    role: spec.role,
    cpu: spec.cpu,
    memoryMb: spec.memoryMB,
    diskGb: spec.diskGB,
    extraDisks: (spec.extraDisks ?? []).map(({ sizeGB, storageClass }) => ({
      sizeGb: sizeGB,
      ...(storageClass === undefined ? {} : { storageClass }),
    })),
    ...(image === undefined ? {} : { image }),
    ...(userData === undefined ? {} : { userData }),
    ...(networkData === undefined ? {} : { networkData }),
    ...(failureDomain === undefined ? {} : { failureDomain }),
    ...(spreadGroup === undefined ? {} : { spreadGroup }),
    ...(instanceType === undefined ? {} : { instanceType }),
    ...(network === undefined
      ? {}
      : {
          network: {
            ...(network.poolRef === undefined ? {} : { pool: network.poolRef.name }),
            ...(network.address === undefined ? {} : { address: network.address }),
          },
        }),
  };
}

/** The same value with the fields of every object in order, so that equal values have equal text. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([name, each]) => [name, sorted(each)]));
}

function freeze<T extends object>(value: T): T {
  for (const each of Object.values(value)) if (typeof each === "object" && each !== null) freeze(each);
  return Object.freeze(value);
}
