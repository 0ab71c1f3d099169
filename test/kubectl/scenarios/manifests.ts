// SPDX-License-Identifier: Apache-2.0

/** A MachineRequest of the shape users write, as YAML. */
export function machineRequest(name: string, options: { namespace: string; role?: string; cpu?: number }): string {
  const { namespace, role = "control-plane", cpu = 4 } = options;
  return `apiVersion: butler.butlerlabs.dev/v1alpha1
kind: MachineRequest
metadata:
  name: ${name}
  namespace: ${namespace}
  labels:
    role: ${role}
spec:
  providerRef:
    name: harvester-prod
    namespace: ${namespace}
  machineName: ${name}
  role: ${role}
  cpu: ${cpu}
  memoryMB: 16384
  diskGB: 100
  extraDisks:
    - sizeGB: 500
      storageClass: longhorn
  image: default/talos-v1.9.2
  labels:
    butler.butlerlabs.dev/cluster: butler-mgmt
`;
}

/** The command that writes a running machine's status. */
export function runningStatus(name: string, options: { namespace: string; ip: string; isReady?: boolean }): string {
  const { namespace, ip, isReady = true } = options;
  const condition = {
    type: "Ready",
    status: isReady ? "True" : "False",
    lastTransitionTime: "2020-03-10T12:00:00Z",
    reason: isReady ? "VMRunning" : "VMStarting",
    message: isReady ? "Virtual machine is running" : "Virtual machine is starting",
  };
  const status = { phase: "Running", ipAddress: ip, ipAddresses: [ip], conditions: [condition] };
  return `patch mr ${name} -n ${namespace} --subresource=status --type=merge -p '${JSON.stringify({ status })}'`;
}

/** A ConfigMap, as YAML. */
export function configMap(name: string, namespace: string, data: Readonly<Record<string, string>>): string {
  const lines = Object.entries(data).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}\n`);
  return `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
  namespace: ${namespace}
  labels:
    app: shop
data:
${lines.join("")}`;
}

/** An event of some past day about a MachineRequest, as YAML. */
export function event(
  name: string,
  options: { namespace: string; about: string; type: string; reason: string; message: string },
): string {
  const { namespace, about, type, reason, message } = options;
  return `apiVersion: v1
kind: Event
metadata:
  name: ${name}
  namespace: ${namespace}
involvedObject:
  apiVersion: butler.butlerlabs.dev/v1alpha1
  kind: MachineRequest
  name: ${about}
  namespace: ${namespace}
type: ${type}
reason: ${reason}
message: ${message}
source:
  component: butler
firstTimestamp: "2020-01-01T00:00:00Z"
lastTimestamp: "2020-01-01T00:05:00Z"
count: 3
`;
}
