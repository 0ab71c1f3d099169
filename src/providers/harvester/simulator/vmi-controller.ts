// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from "../../../plane/types.ts";
import { keyOf } from "./changes.ts";
import { isTold, type Told, withConditions } from "./conditions.ts";
import { earlyInterface, fullInterface, guestOnlyInterfaces, newMac, silentInterface } from "./guest-network.ts";
import {
  claimsOf,
  GUEST_AGENT,
  IMAGE_ID,
  instanceSpec,
  isDeleting,
  networksOf,
  secretsOf,
  withoutFinalizer,
} from "./machine-view.ts";
import { at, listAt, mapAt, textAt } from "./read.ts";
import { chooseNode } from "./scheduling.ts";
import type { Step } from "./steps.ts";
import { isBound } from "./volumes.ts";
import type { HarvesterVersion, World } from "./world.ts";

const LONGEST_SHUTDOWN_MS = 5000;

/** What keeps an instance until its pod has ended; newer KubeVirt names it properly. */
export function instanceFinalizer(version: HarvesterVersion): string {
  return version === "1.8" ? "kubevirt.io/foregroundDeleteVirtualMachine" : "foregroundDeleteVirtualMachine";
}

/** What there is to do about an instance, by its phase. */
export function instanceSteps(world: World, vmi: KubeObject): readonly Step[] {
  const phase = textAt(vmi, "status", "phase");
  if (isDeleting(vmi)) return endSteps(world, vmi, phase);
  switch (phase) {
    case "":
      return [{ name: "pend", afterMs: 50, act: () => enter(world, vmi, { phase: "Pending" }) }];
    case "Pending":
      return pendingSteps(world, vmi);
    case "Scheduling":
      return schedulingSteps(world, vmi);
    case "Scheduled":
      return [{ name: "boot", afterMs: 4000, act: () => boot(world, vmi) }];
    case "Running":
      return runningSteps(world, vmi);
    default:
      return [];
  }
}

function endSteps(world: World, vmi: KubeObject, phase: string): readonly Step[] {
  if (phase !== "Running") {
    const end = () =>
      world.update("vmi", keyOf(vmi), (current) => withoutFinalizer(current, instanceFinalizer(world.version)));
    return [{ name: "end", afterMs: 300, act: end }];
  }
  const grace = textAt(instanceSpec(vmi), "terminationGracePeriodSeconds");
  const afterMs = grace === "" ? LONGEST_SHUTDOWN_MS : Math.min(LONGEST_SHUTDOWN_MS, Number(grace) * 1000);
  const told: Told[] = [{ type: "Ready", status: "False", reason: "PodTerminating" }];
  return [{ name: "shut down", afterMs, act: () => enter(world, vmi, { phase: "Succeeded", told }) }];
}

interface Entry {
  readonly phase?: string;
  readonly told?: readonly Told[];
  readonly status?: Readonly<Record<string, unknown>>;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Writes what has become of an instance, unless another has taken its place. */
async function enter(world: World, vmi: KubeObject, { phase, told = [], status = {}, labels }: Entry): Promise<void> {
  const time = `${new Date(world.clock.now()).toISOString().slice(0, 19)}Z`;
  await world.update("vmi", keyOf(vmi), (current) => {
    if (current.metadata.uid !== vmi.metadata.uid) return current;
    const conditions = withConditions(current.status, told, time);
    return {
      ...current,
      ...(labels === undefined
        ? {}
        : { metadata: { ...current.metadata, labels: { ...current.metadata.labels, ...labels } } }),
      status: { ...mapAt(current, "status"), ...status, conditions, ...(phase === undefined ? {} : { phase }) },
    };
  });
}

/** A condition that is told once, and the event that goes with it. */
function telling(world: World, vmi: KubeObject, told: Told): readonly Step[] {
  if (isTold(vmi.status, told)) return [];
  return [
    { name: `tell ${told.reason} ${told.message}`, afterMs: 100, act: () => enter(world, vmi, { told: [told] }) },
  ];
}

function warning(world: World, vmi: KubeObject, reason: string, message: string): Step {
  const component = "virtualmachine-controller";
  const act = () => world.event({ about: vmi, type: "Warning", reason, message, component });
  return { name: `warn ${reason} ${message}`, afterMs: 100, isOnce: true, act };
}

function pendingSteps(world: World, vmi: KubeObject): readonly Step[] {
  const absent = claimsOf(vmi).find((key) => world.get("claim", key) === undefined);
  if (absent !== undefined) {
    const message = `PVC ${absent} does not exist, waiting for it to appear`;
    return telling(world, vmi, { type: "Synchronized", status: "False", reason: "FailedPvcNotFound", message });
  }
  const nowhere = networksOf(vmi).find((key) => world.get("network", key) === undefined);
  if (nowhere !== undefined) {
    const message = `failed to render launch manifest: failed to locate network attachment definition ${nowhere}`;
    const told: Told = { type: "Synchronized", status: "False", reason: "FailedCreate", message };
    return [...telling(world, vmi, told), warning(world, vmi, "FailedCreate", message)];
  }
  if (!claimsOf(vmi).every((key) => isBound(world.get("claim", key))))
    return isTold(vmi.status, { type: "Synchronized", status: "False" })
      ? [{ name: "recover", afterMs: 50, act: () => enter(world, vmi, { told: [{ type: "Synchronized" }] }) }]
      : [];
  const told: Told[] = [{ type: "Synchronized" }, { type: "Ready", status: "False", reason: "GuestNotRunning" }];
  return [{ name: "schedule", afterMs: 300, act: () => enter(world, vmi, { phase: "Scheduling", told }) }];
}

function schedulingSteps(world: World, vmi: KubeObject): readonly Step[] {
  const chosen = chooseNode(world, vmi);
  if ("why" in chosen) {
    const told: Told = { type: "PodScheduled", status: "False", reason: "Unschedulable", message: chosen.why };
    return telling(world, vmi, told);
  }
  const without = secretsOf(vmi).find(({ key, entries }) => !hasOneOf(world.get("secret", key), entries));
  if (without !== undefined) {
    const name = without.key.slice(without.key.indexOf("/") + 1);
    const isThere = world.get("secret", without.key) !== undefined;
    const why = isThere ? `references non-existent secret key: ${without.entries[0]}` : `secret "${name}" not found`;
    return [warning(world, vmi, "FailedMount", `MountVolume.SetUp failed for volume "cloudinitdisk-udata" : ${why}`)];
  }
  return [{ name: "place", afterMs: 2000, act: () => place(world, vmi) }];
}

function hasOneOf(secret: KubeObject | undefined, entries: readonly string[]): boolean {
  return secret !== undefined && entries.some((entry) => at(secret, "data", entry) !== undefined);
}

/** The node is chosen at the last moment: others were placed meanwhile. */
async function place(world: World, vmi: KubeObject): Promise<void> {
  const chosen = chooseNode(world, vmi);
  if ("why" in chosen) return;
  await enter(world, vmi, {
    phase: "Scheduled",
    told: [{ type: "PodScheduled" }],
    status: { nodeName: chosen.node },
    labels: { "kubevirt.io/nodeName": chosen.node },
  });
}

function boot(world: World, vmi: KubeObject): Promise<void> {
  const interfaces = listAt(instanceSpec(vmi), "domain", "devices", "interfaces").map((nic) =>
    silentInterface(textAt(nic, "name"), textAt(nic, "macAddress") || newMac(world.random)),
  );
  return enter(world, vmi, {
    phase: "Running",
    told: [{ type: "LiveMigratable", status: "True" }],
    status: { interfaces },
  });
}

function runningSteps(world: World, vmi: KubeObject): readonly Step[] {
  const steps: Step[] = [];
  if (!isTold(vmi.status, { type: "Ready" }))
    steps.push({
      name: "be ready",
      afterMs: 500,
      act: () => enter(world, vmi, { told: [{ type: "Ready", status: "True" }] }),
    });
  const migration = at(vmi, "status", "migrationState");
  if (migration !== undefined && at(migration, "completed") !== true)
    steps.push({ name: "arrive", afterMs: 3000, act: () => arrive(world, vmi) });
  if (!hasGuestAgent(world, vmi) || world.knobs.holdsAddresses) return steps;
  const nics = listAt(vmi, "status", "interfaces").filter((nic) => textAt(nic, "name") !== "");
  if (nics.some((nic) => !listAt(nic, "ipAddresses").some((ip) => String(ip).startsWith("fd"))))
    steps.push({ name: "speak", afterMs: 3000, act: () => speak(world, vmi, nics) });
  else if (nics.some((nic) => !listAt(nic, "ipAddresses").some((ip) => String(ip).includes("."))))
    steps.push({ name: "lease", afterMs: 2500, act: () => takeLeases(world, vmi, nics) });
  return steps;
}

/** An agent is part of the image; without one, addresses on bridge networks stay the guest's own secret. */
function hasGuestAgent(world: World, vmi: KubeObject): boolean {
  const ids = claimsOf(vmi).map((key) => world.get("claim", key)?.metadata.annotations?.[IMAGE_ID]);
  const images = ids.flatMap((id) => (id === undefined ? [] : [world.get("image", id)]));
  return images.some((image) => image !== undefined && image.metadata.annotations?.[GUEST_AGENT] !== "false");
}

function speak(world: World, vmi: KubeObject, nics: readonly unknown[]): Promise<void> {
  const interfaces = nics.map((nic, index) => earlyInterface(nic, world.leases.of(textAt(nic, "mac")), index));
  return enter(world, vmi, {
    told: [{ type: "AgentConnected", status: "True" }],
    status: { interfaces: [...interfaces, ...guestOnlyInterfaces] },
  });
}

function takeLeases(world: World, vmi: KubeObject, nics: readonly unknown[]): Promise<void> {
  const isV6First = world.random() < 0.5;
  const interfaces = nics.map((nic, index) =>
    fullInterface(nic, world.leases.of(textAt(nic, "mac")), { at: index, isV6First }),
  );
  return enter(world, vmi, { status: { interfaces: [...interfaces, ...guestOnlyInterfaces] } });
}

async function arrive(world: World, vmi: KubeObject): Promise<void> {
  const node = textAt(vmi, "status", "migrationState", "targetNode");
  await enter(world, vmi, {
    status: { nodeName: node, migrationState: { ...mapAt(vmi, "status", "migrationState"), completed: true } },
    labels: { "kubevirt.io/nodeName": node },
  });
}
