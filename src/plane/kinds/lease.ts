// SPDX-License-Identifier: Apache-2.0
import type { Problem } from "../../schema/index.ts";
import { subdomainName } from "../../schema/metadata-rules.ts";
import { at, invalid } from "../../schema/problems.ts";
import type { KubeObject, ResourceType } from "../types.ts";
import { ageColumn, column, nameColumn } from "./columns.ts";
import { int32, microTime, named, of, pointer, shown, struct, text } from "./fields.ts";
import { builtIn } from "./kind.ts";
import { anyMetadata, anyMetadataChange, field, mapAt, textAt, valueAt } from "./rules.ts";

const COORDINATION = "io.k8s.api.coordination.v1";

const spec = struct(`${COORDINATION}.LeaseSpec`, "Who holds a lease, and since when.", {
  holderIdentity: pointer(text, "Who holds it; nobody when empty."),
  leaseDurationSeconds: pointer(int32, "How long others wait after renewTime before they take it."),
  acquireTime: pointer(microTime, "When the holder got it."),
  renewTime: pointer(microTime, "When the holder last renewed it."),
  leaseTransitions: pointer(int32, "How often it went from one holder to another."),
  strategy: pointer(named("v1.CoordinatedLeaseStrategy"), "How the holder is chosen. Not kept by this server."),
  preferredHolder: pointer(text, "Who should hold it. Not kept by this server."),
});

/** Leases: who is the leader of what. */
export const leases: ResourceType = builtIn({
  group: "coordination.k8s.io",
  kind: "Lease",
  plural: "leases",
  namespaced: true,
  definitions: COORDINATION,
  about: "A claim that one holder renews and others wait for, as leader elections use it.",
  fields: { spec: shown(of(spec), "Who holds the lease, and since when.") },
  columns: [
    nameColumn,
    column("Holder", "Who holds the lease.", (object) => textAt(object, "spec", "holderIdentity")),
    ageColumn,
  ],
  allowsUnconditionalUpdate: false,
  allowsCreateOnUpdate: true,
  behaviour: {
    prepareCreate: withoutStrategy,
    prepareUpdate: withoutStrategy,
    validate: (object, old) => [
      ...(old === undefined ? anyMetadata(object, subdomainName) : anyMetadataChange(object, old)),
      ...specProblems(object),
    ],
  },
});

function withoutStrategy(object: KubeObject): KubeObject {
  const { strategy: _, preferredHolder: __, ...others } = mapAt(object, "spec");
  return { ...object, spec: others };
}

function specProblems(object: KubeObject): Problem[] {
  const problems: Problem[] = [];
  const seconds = valueAt(object, "spec", "leaseDurationSeconds");
  if (typeof seconds === "number" && seconds <= 0)
    problems.push(invalid(at(field("spec", "leaseDurationSeconds")), seconds, "must be greater than 0"));
  const transitions = valueAt(object, "spec", "leaseTransitions");
  if (typeof transitions === "number" && transitions < 0)
    problems.push(invalid(at(field("spec", "leaseTransitions")), transitions, "must be greater than or equal to 0"));
  return problems;
}
