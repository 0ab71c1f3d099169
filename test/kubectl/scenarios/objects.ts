// SPDX-License-Identifier: Apache-2.0
import type { Scenario } from "../types.ts";
import { configMap, event, machineRequest, runningStatus } from "./manifests.ts";

const namespace = "butler-system";
const machines = [
  { name: "butler-mgmt-cp-0", role: "control-plane", ip: "10.40.0.10" },
  { name: "butler-mgmt-cp-1", role: "control-plane", ip: "10.40.0.11" },
  { name: "butler-mgmt-cp-2", role: "control-plane", ip: "10.40.0.12" },
  { name: "butler-mgmt-w-0", role: "worker", ip: "10.40.0.20" },
];

/** Our own kind, looked at in every way. */
export const machineRequests: Scenario = {
  name: "get and describe machine requests",
  steps: [
    { run: `create namespace ${namespace}` },
    { run: `get mr -n ${namespace}` },
    {
      run: "apply -f -",
      input: machines.map(({ name, role }) => machineRequest(name, { namespace, role })).join("---\n"),
    },
    { run: `get mr -n ${namespace}` },
    ...machines.map(({ name, ip }) => ({ run: runningStatus(name, { namespace, ip }) })),
    { run: `get mr -n ${namespace}` },
    { run: `get mr -n ${namespace} -o wide --show-labels` },
    { run: "get machinerequests -A -l role=worker" },
    { run: `get mr -n ${namespace} -l 'role in (control-plane),role!=worker' -o name` },
    { run: `get mr -n ${namespace} --field-selector metadata.name=butler-mgmt-cp-1` },
    { run: `get mr -n ${namespace} --field-selector spec.cpu=4`, exit: 1 },
    { run: `get mr butler-mgmt-cp-0 -n ${namespace} -o yaml` },
    { run: `get mr butler-mgmt-cp-0 -n ${namespace} -o yaml --show-managed-fields` },
    { run: `get mr butler-mgmt-cp-0 -n ${namespace} -o json` },
    { run: `get mr -n ${namespace} -o jsonpath='{range .items[*]}{.metadata.name}={.status.ipAddress};{end}'` },
    {
      run: `get mr -n ${namespace} --sort-by=.status.ipAddress -o custom-columns=NAME:.metadata.name,IP:.status.ipAddress`,
    },
    { run: `get mr -n ${namespace} --chunk-size=2 --no-headers` },
    { run: `get mr butler-mgmt-cp-0 butler-mgmt-cp-9 -n ${namespace}`, exit: 1 },
    { run: `get mr/butler-mgmt-cp-0 ns/${namespace}`, exit: 1 },
    {
      run: "apply -f -",
      input: event("created", {
        namespace,
        about: "butler-mgmt-cp-0",
        type: "Normal",
        reason: "Created",
        message: "machine created",
      }),
    },
    { run: `describe mr butler-mgmt-cp-0 -n ${namespace}` },
    { run: `describe mr nobody -n ${namespace}`, exit: 1 },
    { run: `apply -f -`, input: machineRequest("wrong", { namespace, role: "queen", cpu: 1000 }), exit: 1 },
    { run: `create -f -`, input: machineRequest("strange", { namespace }).replace("cpu:", "cpus:"), exit: 1 },
    {
      run: `create -f - --validate=warn`,
      input: machineRequest("warned", { namespace }).replace("  image:", "  picture: none\n  image:"),
    },
    { run: `scale mr butler-mgmt-cp-0 -n ${namespace} --replicas=2`, exit: 1 },
    { run: `delete mr --all -n ${namespace}` },
  ],
};

/** Kinds every server has. */
export const builtInKinds: Scenario = {
  name: "built-in kinds",
  steps: [
    { run: "create namespace shop" },
    { run: "create namespace shop", exit: 1 },
    { run: "get namespace shop" },
    { run: "describe namespace shop", partly: true },
    { run: "create configmap colours -n shop --from-literal=sky=blue --from-literal=grass=green" },
    { run: "get configmaps -n shop -o wide" },
    { run: "describe configmap colours -n shop" },
    { run: "create secret generic pass -n shop --from-literal=word=hunter2" },
    { run: "get secret -n shop" },
    { run: "describe secret pass -n shop" },
    { run: "get secret -n shop --field-selector type=Opaque -o name" },
    { run: "get secret pass -n shop -o yaml" },
    { run: "create serviceaccount clerk -n shop" },
    { run: "get serviceaccounts -n shop -o wide" },
    { run: "describe serviceaccount clerk -n shop" },
    { run: "create role reader -n shop --verb=get,list --resource=configmaps,secrets" },
    { run: "create rolebinding clerk-reads -n shop --role=reader --serviceaccount=shop:clerk --user=carol" },
    { run: "get role,rolebinding -n shop -o wide" },
    { run: "describe role reader -n shop" },
    { run: "describe rolebinding clerk-reads -n shop" },
    { run: "create clusterrole shop-viewer --verb=get,watch --resource=machinerequests.butler.butlerlabs.dev" },
    { run: "describe clusterrole shop-viewer" },
    {
      run: "apply -f -",
      input: `apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: { name: leader, namespace: shop }
spec: { holderIdentity: one, leaseDurationSeconds: 15 }
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: disk, namespace: shop }
spec:
  accessModes: [ReadWriteOnce]
  resources: { requests: { storage: 1Gi } }
  storageClassName: fast
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: shop-fast }
provisioner: example.com/disk
`,
    },
    { run: "get lease,pvc -n shop" },
    { run: "get storageclass shop-fast" },
    { run: "describe storageclass shop-fast" },
    { run: "get crd machinerequests.butler.butlerlabs.dev" },
    {
      run: "create -f -",
      input: configMap("", "shop", { a: "b" }).replace("name: \n", "generateName: UPPER-\n"),
      exit: 1,
    },
    { run: "create -f - --dry-run=server -o yaml", input: configMap("dry", "shop", { a: "b" }) },
    { run: "replace -f -", input: configMap("colours", "shop", { sky: "grey" }) },
    { run: "replace -f -", input: configMap("absent", "shop", { sky: "grey" }), exit: 1 },
    { run: "get cm colours -n shop -o yaml --show-managed-fields" },
    { run: "delete cm colours -n shop --dry-run=server" },
    { run: "delete configmap,secret -n shop --all" },
  ],
};
