// SPDX-License-Identifier: Apache-2.0
import type { Scenario } from "../types.ts";
import { configMap, machineRequest } from "./manifests.ts";

/** Three-way merges of kubectl's own. */
export const applyOnClient: Scenario = {
  name: "apply",
  steps: [
    { run: "create namespace applied" },
    { run: "apply -f -", input: configMap("settings", "applied", { a: "1", b: "2" }) },
    { run: "apply -f -", input: configMap("settings", "applied", { a: "1", b: "2" }) },
    { run: "apply -f -", input: configMap("settings", "applied", { a: "changed", c: "3" }) },
    { run: "get cm settings -n applied -o yaml --show-managed-fields" },
    { run: "apply view-last-applied cm settings -n applied" },
    { run: "apply -f -", input: machineRequest("web-1", { namespace: "applied" }) },
    { run: "apply -f -", input: machineRequest("web-1", { namespace: "applied", cpu: 8 }) },
    { run: "apply -f - --dry-run=server", input: machineRequest("web-1", { namespace: "applied", cpu: 16 }) },
    { run: "get mr web-1 -n applied -o jsonpath='{.spec.cpu} {.metadata.generation}'" },
    { run: "apply -f -", input: machineRequest("web-1", { namespace: "applied", cpu: 0 }), exit: 1 },
    { run: "apply -f -", input: configMap("settings", "nowhere", { a: "1" }), exit: 1 },
    {
      run: "apply -f - --prune --prune-allowlist=core/v1/ConfigMap -l app=shop -n applied",
      input: configMap("other", "applied", { z: "26" }),
    },
    { run: "get cm -n applied" },
    { run: "create cm plain -n applied --from-literal=k=v" },
    { run: "apply -f -", input: configMap("plain", "applied", { k: "w" }) },
  ],
};

/** Who owns which field. */
export const applyOnServer: Scenario = {
  name: "apply on the server",
  steps: [
    { run: "create namespace ssa" },
    { run: "apply --server-side -f -", input: configMap("settings", "ssa", { a: "1", b: "2" }) },
    { run: "apply --server-side -f -", input: configMap("settings", "ssa", { a: "1", b: "2" }) },
    { run: "apply --server-side --field-manager=other -f -", input: configMap("settings", "ssa", { a: "9" }), exit: 1 },
    {
      run: "apply --server-side --field-manager=other --force-conflicts -f -",
      input: configMap("settings", "ssa", { a: "9" }),
    },
    { run: "get cm settings -n ssa -o yaml --show-managed-fields" },
    { run: "apply --server-side -f -", input: configMap("settings", "ssa", { b: "3" }) },
    { run: "get cm settings -n ssa -o yaml --show-managed-fields" },
    { run: "apply --server-side -f -", input: machineRequest("web-1", { namespace: "ssa" }) },
    {
      run: "apply --server-side --field-manager=other -f -",
      input: machineRequest("web-1", { namespace: "ssa", cpu: 8, role: "worker" }),
      exit: 1,
    },
    {
      run: "apply --server-side --field-manager=other --force-conflicts -f -",
      input: machineRequest("web-1", { namespace: "ssa", cpu: 8 }),
    },
    { run: "get mr web-1 -n ssa -o yaml --show-managed-fields" },
    { run: "apply --server-side -f -", input: machineRequest("web-2", { namespace: "ssa", cpu: 0 }), exit: 1 },
    { run: "apply --server-side --dry-run=server -f - -o name", input: machineRequest("web-3", { namespace: "ssa" }) },
    // What kubectl's own apply owned before goes over to the server's.
    { run: "apply -f -", input: configMap("moved", "ssa", { a: "1", b: "2" }) },
    { run: "apply --server-side -f -", input: configMap("moved", "ssa", { a: "2" }) },
    { run: "get cm moved -n ssa -o yaml --show-managed-fields" },
  ],
};

/** What an apply would change. */
export const diff: Scenario = {
  name: "diff",
  steps: [
    { run: "create namespace different" },
    { run: "diff -f -", input: machineRequest("web-1", { namespace: "different" }), exit: 1 },
    { run: "apply -f -", input: machineRequest("web-1", { namespace: "different" }) },
    { run: "diff -f -", input: machineRequest("web-1", { namespace: "different" }) },
    { run: "diff -f -", input: machineRequest("web-1", { namespace: "different", cpu: 8 }), exit: 1 },
    {
      run: "diff --server-side --force-conflicts -f -",
      input: machineRequest("web-1", { namespace: "different", cpu: 2 }),
      exit: 1,
    },
    { run: "apply -f -", input: configMap("settings", "different", { a: "1" }) },
    { run: "diff -f -", input: configMap("settings", "different", { a: "2", b: "3" }), exit: 1 },
  ],
};
