// SPDX-License-Identifier: Apache-2.0
import type { Scenario } from "../types.ts";
import { configMap } from "./manifests.ts";

const bare = "--kubeconfig={home}/bare";

/** Who may do what, and tokens that say who one is. */
export const access: Scenario = {
  name: "auth and tokens",
  steps: [
    { run: "create namespace guarded" },
    { run: "create serviceaccount robot -n guarded" },
    { run: "auth can-i delete mr" },
    { run: "auth can-i delete mr -n guarded --as=alice", exit: 1 },
    { run: "auth can-i get nonsense --as=alice", exit: 1 },
    { run: "create role machinist -n guarded --verb=get,list,watch --resource=machinerequests.butler.butlerlabs.dev" },
    { run: "create rolebinding machinist -n guarded --role=machinist --user=alice --serviceaccount=guarded:robot" },
    { run: "auth can-i list mr -n guarded --as=alice" },
    { run: "auth can-i list mr -n default --as=alice", exit: 1 },
    { run: "auth can-i patch mr/web-1 --subresource=status -n guarded --as=alice", exit: 1 },
    { run: "auth can-i --list -n guarded --as=alice" },
    { run: "auth can-i get /healthz --as=alice" },
    { run: "auth whoami --as=alice --as-group=developers -o yaml" },
    { run: "get mr -n guarded --as=alice" },
    { run: "get mr -A --as=alice", exit: 1 },
    { run: "get secrets -n guarded --as=alice", exit: 1 },
    { run: "create -f - --as=alice", input: configMap("mine", "guarded", { a: "b" }), exit: 1 },
    { run: "create token robot -n guarded --duration=1h", keep: "token" },
    { run: "create token robot -n guarded --duration=1s", exit: 1 },
    { run: "create token absent -n guarded", exit: 1 },
    { run: `auth whoami ${bare} --token={token}` },
    { run: `get mr -n guarded ${bare} --token={token}` },
    { run: `get cm -n guarded ${bare} --token={token}`, exit: 1 },
    { run: `get mr -n guarded ${bare} --token=nonsense`, exit: 1 },
    { run: "delete serviceaccount robot -n guarded" },
    {
      run: "auth reconcile -f -",
      input: `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: machinist, namespace: guarded }
rules:
  - apiGroups: [butler.butlerlabs.dev]
    resources: [machinerequests]
    verbs: [get, delete]
`,
    },
    { run: "auth can-i delete mr -n guarded --as=alice" },
  ],
};
