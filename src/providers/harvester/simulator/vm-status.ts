// SPDX-License-Identifier: Apache-2.0
import { isDeepStrictEqual } from "node:util";
import type { KubeObject } from "../../../plane/types.ts";
import { conditionOf, isTold, type Told, withConditions } from "./conditions.ts";
import { isToRun } from "./harvester-controller.ts";
import { claimsOf, isDeleting, runStrategyOf } from "./machine-view.ts";
import { at, mapAt, textAt } from "./read.ts";
import { isBound } from "./volumes.ts";
import type { World } from "./world.ts";

/** Whether a machine's status says what is so. */
export function hasStatusOf(world: World, vm: KubeObject, vmi: KubeObject | undefined): boolean {
  return isDeepStrictEqual(mapAt(vm, "status"), statusOf(world, vm, vmi));
}

/** What KubeVirt writes into a machine's status. `ready` follows the instance's own condition, which comes last. */
export function statusOf(world: World, vm: KubeObject, vmi: KubeObject | undefined): Record<string, unknown> {
  const isReady = vmi !== undefined && isTold(vmi.status, { type: "Ready" });
  const time = `${new Date(world.clock.now()).toISOString().slice(0, 19)}Z`;
  const conditions = withConditions(vm.status, [readiness(vmi), ...mirrored(vmi)], time);
  const { created: _, ready: __, ...kept } = mapAt(vm, "status");
  return {
    ...kept,
    conditions,
    ...(vmi === undefined ? {} : { created: true }),
    ...(isReady ? { ready: true } : {}),
    printableStatus: printable(world, vm, vmi),
    runStrategy: runStrategyOf(vm),
  };
}

function readiness(vmi: KubeObject | undefined): Told {
  if (vmi === undefined)
    return { type: "Ready", status: "False", reason: "VMINotExists", message: "VMI does not exist" };
  if (isTold(vmi.status, { type: "Ready" })) return { type: "Ready", status: "True" };
  const reason = textAt(conditionOf(vmi.status, "Ready"), "reason") || "GuestNotRunning";
  return { type: "Ready", status: "False", reason, message: "Guest VM is not reported as running" };
}

/** What an instance suffers from stands in its machine's conditions too. */
function mirrored(vmi: KubeObject | undefined): readonly Told[] {
  return ["PodScheduled", "Synchronized", "AgentConnected", "LiveMigratable"].map((type) => {
    const found = conditionOf(vmi?.status, type);
    const status = textAt(found, "status");
    if (status !== "True" && status !== "False") return { type };
    const reason = textAt(found, "reason");
    const message = textAt(found, "message");
    return { type, status, ...(reason === "" ? {} : { reason }), ...(message === "" ? {} : { message }) };
  });
}

/** The first that is so, in KubeVirt's order. */
function printable(world: World, vm: KubeObject, vmi: KubeObject | undefined): string {
  const phase = textAt(vmi, "status", "phase");
  if (isDeleting(vm)) return "Terminating";
  if (vmi !== undefined && isDeleting(vmi)) return "Stopping";
  if (at(vmi, "status", "migrationState") !== undefined && at(vmi, "status", "migrationState", "completed") !== true)
    return "Migrating";
  if (phase === "Running") return "Running";
  if (vmi !== undefined && isTold(vmi.status, { type: "Synchronized", status: "False", reason: "FailedPvcNotFound" }))
    return "ErrorPvcNotFound";
  if (vmi !== undefined && isTold(vmi.status, { type: "PodScheduled", status: "False", reason: "Unschedulable" }))
    return "ErrorUnschedulable";
  const isUnfinished = vmi !== undefined && !["Succeeded", "Failed"].includes(phase);
  if (isUnfinished && claimsOf(vm).some((key) => isUnbound(world.get("claim", key)))) return "WaitingForVolumeBinding";
  if (isUnfinished || (vmi === undefined && isToRun(vm))) return "Starting";
  return "Stopped";
}

function isUnbound(claim: KubeObject | undefined): boolean {
  return claim !== undefined && !isBound(claim);
}
