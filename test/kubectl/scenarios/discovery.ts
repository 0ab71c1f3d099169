// SPDX-License-Identifier: Apache-2.0
import type { Scenario } from "../types.ts";

/** What there is to be had. */
export const apiResources: Scenario = {
  name: "api-resources",
  steps: [
    { run: "version" },
    { run: "api-resources --sort-by=name", partly: true },
    { run: "api-resources -o wide --sort-by=name", partly: true },
    { run: "api-resources --api-group=butler.butlerlabs.dev -o wide" },
    { run: "api-resources --api-group=rbac.authorization.k8s.io -o wide" },
    { run: "api-resources --api-group=apiextensions.k8s.io -o wide" },
    { run: "api-resources --api-group=events.k8s.io" },
    { run: "api-resources --api-group=butler.butlerlabs.dev --namespaced=false" },
    { run: "api-versions", partly: true },
    { run: "get nonsense", exit: 1 },
    { run: "get --raw /readyz" },
    { run: "get --raw /apis/butler.butlerlabs.dev" },
  ],
};

/** What kubectl knows of fields, from the server's OpenAPI. */
export const explain: Scenario = {
  name: "explain",
  steps: [
    { run: "explain mr", wordless: true },
    { run: "explain mr.spec", wordless: true },
    { run: "explain machinerequests.spec.extraDisks.sizeGB" },
    { run: "explain mr.status.conditions", wordless: true },
    { run: "explain mr.spec.nonsense", exit: 1 },
    { run: "explain team.spec --recursive", wordless: true },
    { run: "explain configmap", wordless: true },
    { run: "explain secret.metadata.ownerReferences", wordless: true },
    { run: "explain namespace.spec", wordless: true },
    { run: "explain rolebinding.subjects", wordless: true },
    { run: "explain lease.spec.renewTime", wordless: true },
    { run: "explain crd.spec.versions.additionalPrinterColumns", wordless: true },
    { run: "explain events.involvedObject", wordless: true },
    { run: "explain events --api-version=events.k8s.io/v1", wordless: true },
  ],
};
