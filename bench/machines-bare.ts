// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from "node:crypto";
import { cloudInitBySecret, cloudInitSecret } from "../src/providers/harvester/cloud-init.ts";
import { LABELS } from "../src/providers/harvester/names.ts";
import { harvesterBlock } from "../src/providers/harvester/settings.ts";
import { buildVirtualMachine, claimNames } from "../src/providers/harvester/virtual-machine.ts";
import { answerQuestions } from "./machines-child.ts";
import { COPIES, EVENTS, eventAbout, PROBE, statusWith, wantNamed } from "./machines-objects.ts";
import { createLanes, LANES, openWire, type Seen, type Wire } from "./machines-wire.ts";

/**
 * A client that does no more than a perfect controller must: of each machine the writes that nobody can do without, and one watch
 * of each kind for all of them. It makes nothing sure, remembers nothing and stands nothing that goes wrong, but a watch
 * that a server ends.
 */
const MACHINES = "/apis/kubevirt.io/v1/namespaces/default/virtualmachines";
const INSTANCES = "/apis/kubevirt.io/v1/namespaces/default/virtualmachineinstances";
const CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
const IMAGES = (namespace = "") => `/apis/harvesterhci.io/v1beta1/namespaces/${namespace}/virtualmachineimages`;
const SECRETS = "/api/v1/namespaces/default/secrets";
const FINALIZER = "machinerequest.butler.butlerlabs.dev/bench-finalizer";

interface Life {
  request: Seen;
  machine: Seen | undefined;
  machineId: string;
  address: string | undefined;
  isTold: boolean;
  isEnding: boolean;
  /** Parts that are there. */
  readonly parts: Set<string>;
}

const lives = new Map<string, Life>();
/** Enough to keep the connections to both servers busy. */
const lanes = createLanes(2 * LANES);
/** Nobody waits for events. */
const eventLanes = createLanes(4);
const installation = randomUUID();
let kubernetes: Wire;
let harvester: Wire;
let settings: ReturnType<typeof harvesterBlock.settings.parse>;
let imageClass: string;

async function writeStatus(life: Life, status: object): Promise<void> {
  const { name } = life.request.metadata;
  life.request = await kubernetes.send("PUT", `${COPIES}/${name}/status`, { ...life.request, status });
}

function tell(life: Life, reason: string): void {
  const { name, uid } = life.request.metadata;
  void eventLanes(() => kubernetes.send("POST", EVENTS, eventAbout({ name, uid }, reason)));
}

async function launch(life: Life): Promise<void> {
  const { name } = life.request.metadata;
  const machineId = randomUUID();
  life.machineId = machineId;
  const annotations = {
    "butler.butlerlabs.dev/machine-id": machineId,
    "butler.butlerlabs.dev/attempt": "1",
    "butler.butlerlabs.dev/launch": JSON.stringify({
      time: new Date().toISOString(),
      owner: `bench/${name}`,
      name,
      tries: 1,
    }),
  };
  const metadata = { finalizers: [FINALIZER], annotations };
  life.request = await kubernetes.send("PATCH", `${COPIES}/${name}`, { metadata });
  const want = wantNamed(name, installation, machineId);
  const image = { id: settings.imageName ?? "", storageClass: imageClass };
  const draft = buildVirtualMachine({ want, settings, image, cloudInit: cloudInitBySecret(want) });
  const kind = { apiVersion: "kubevirt.io/v1", kind: "VirtualMachine" };
  const machine = await harvester.send("POST", MACHINES, { ...kind, ...draft });
  life.machine = machine;
  life.parts.add(name);
  const stored = cloudInitSecret(want, {
    ...kind,
    ...draft,
    metadata: { name, namespace: "default", uid: machine.metadata.uid },
  });
  await harvester.send("POST", SECRETS, { apiVersion: "v1", kind: "Secret", ...stored });
  await writeStatus(life, statusWith("Creating", { id: machine.metadata.uid }));
  tell(life, "VMCreated");
  if (life.address !== undefined) await tellRunning(life);
}

async function tellRunning(life: Life): Promise<void> {
  if (life.isTold) return;
  life.isTold = true;
  const id = life.machine?.metadata.uid ?? "";
  await writeStatus(life, statusWith("Running", { id, address: life.address ?? "" }));
  tell(life, "VMRunning");
}

async function end(life: Life): Promise<void> {
  const { name } = life.request.metadata;
  const id = life.machine?.metadata.uid ?? "";
  await writeStatus(life, statusWith("Deleting", { id }));
  const removed = claimNames(wantNamed(name, installation, life.machineId)).join(",");
  const annotations = { "harvesterhci.io/removedPersistentVolumeClaims": removed };
  await harvester.send("PATCH", `${MACHINES}/${name}`, { metadata: { annotations } });
  await harvester.send("DELETE", `${MACHINES}/${name}`);
}

async function letGo(life: Life): Promise<void> {
  const { name } = life.request.metadata;
  await writeStatus(life, statusWith("Deleted", {}));
  tell(life, "VMDeleted");
  await kubernetes.send("PATCH", `${COPIES}/${name}`, [{ op: "remove", path: "/metadata/finalizers/0" }]);
}

function seeRequest(type: string, request: Seen): void {
  const { name, deletionTimestamp } = request.metadata;
  if (name === PROBE) return;
  const life = lives.get(name);
  if (type === "DELETED") lives.delete(name);
  else if (life === undefined) {
    const fresh = {
      request,
      machine: undefined,
      machineId: "",
      address: undefined,
      isTold: false,
      isEnding: false,
      parts: new Set<string>(),
    };
    lives.set(name, fresh);
    void lanes(() => launch(fresh));
  } else if (deletionTimestamp !== undefined && !life.isEnding) {
    life.isEnding = true;
    life.request = request;
    void lanes(() => end(life));
  }
}

function seeInstance(type: string, { metadata: { name }, status }: Seen): void {
  const life = lives.get(name);
  if (type === "DELETED" || life === undefined || life.isTold || life.address !== undefined) return;
  const cards: { ipAddresses?: string[] }[] = Object(status).interfaces ?? [];
  life.address = cards[0]?.ipAddresses?.find((each) => each.includes("."));
  // Whoever still launches it tells it along.
  if (life.address !== undefined && life.request.status?.phase === "Creating") void lanes(() => tellRunning(life));
}

/** A machine and its disk, which begins with the machine's name. */
function seePart(type: string, { metadata: { name } }: Seen): void {
  const life = lives.get(name.replace(/-rootdisk.*$/, ""));
  if (type !== "DELETED") life?.parts.add(name);
  else if (life?.parts.delete(name) && life.isEnding && life.parts.size === 0) void lanes(() => letGo(life));
}

/** What is in use after everything that can be collected was, counted as the manager's is. */
async function memoryKb(): Promise<number> {
  for (let turns = 4; turns > 0; turns -= 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024;
}

interface Places {
  readonly kubeconfig: string;
  readonly harvesterKubeconfig: string;
  readonly settings: object;
}

answerQuestions({
  memory: memoryKb,
  async open({ kubeconfig, harvesterKubeconfig, settings: given }: Places) {
    kubernetes = openWire(kubeconfig);
    harvester = openWire(harvesterKubeconfig);
    settings = harvesterBlock.settings.parse(given);
    const [namespace, image] = (settings.imageName ?? "").split("/");
    const { status } = await harvester.send("GET", `${IMAGES(namespace)}/${image}`);
    imageClass = String(status?.storageClassName);
    const marked = `labelSelector=${encodeURIComponent(`${LABELS.installation}=${installation}`)}`;
    await harvester.watch(`${INSTANCES}?${marked}`, seeInstance);
    await harvester.watch(`${MACHINES}?${marked}`, seePart);
    await harvester.watch(`${CLAIMS}?${marked}`, seePart);
    await kubernetes.watch(COPIES, seeRequest);
  },
});
