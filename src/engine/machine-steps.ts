// SPDX-License-Identifier: Apache-2.0
import { type MachineRequest, machineRequest } from "../api/index.ts";
import { addFinalizer, keyOf, parseKeyText, removeFinalizer } from "../kube/index.ts";
import { ANNOTATIONS, FIELD_MANAGER, finalizerOf } from "./identity.ts";
import { rememberLook } from "./machine-memory.ts";
import type { Survey } from "./machine-survey.ts";
import type { Found, MachineHave } from "./provider.ts";
import { ProviderError } from "./provider-error.ts";
import { type StepResult, tryCall, type Workbench } from "./workbench.ts";

/** Looks directly. An error is remembered as trouble. */
export async function look(surveyed: Survey, bench: Workbench): Promise<Found | ProviderError> {
  const { home, sought } = surveyed;
  if (home === undefined || sought === undefined) throw new Error("a machine is looked for where nothing is connected");
  const what = `look for machine "${sought.name}"`;
  const found = await tryCall(bench, { place: home, verb: "find", what, machine: sought.name }, (call) =>
    home.connection.machines.find(sought, call),
  );
  if (found instanceof ProviderError) return found;
  rememberLook(bench.record, found.have, bench.clock.monotonic());
  if (found.have === undefined) home.sightings.forget(sought.mark);
  else if (found.have.mark.owner === sought.mark.owner) home.sightings.note(found.have);
  return found;
}

/** Asks the infrastructure to delete the machine, or what remains of it. */
export async function remove(
  request: MachineRequest,
  { have, surveyed, bench }: { have: MachineHave; surveyed: Survey; bench: Workbench },
): Promise<StepResult> {
  const { home } = surveyed;
  if (home === undefined) throw new Error("a machine is deleted where nothing is connected");
  const { record, clock } = bench;
  const what = `delete machine "${have.name}"`;
  const operation = await tryCall(bench, { place: home, verb: "delete", what, machine: have.name }, (call) =>
    home.connection.machines.delete(have, call),
  );
  if (operation instanceof ProviderError) return { request, outcome: { is: "waiting" } };
  record.lastDelete = { at: clock.monotonic(), state: have.state };
  record.lastLook = undefined;
  return { request, outcome: { is: "going", have }, operation };
}

/** Says that nothing is left, and lets the request go. */
export async function release(request: MachineRequest, surveyed: Survey, bench: Workbench): Promise<void> {
  if (surveyed.identity?.launch !== undefined) {
    const note = `Virtual machine "${surveyed.identity.launch.name}" and all that belonged to it are gone`;
    bench.events.record(request, { type: "Normal", reason: "VMDeleted", note });
  }
  const told = await bench.writeStatus(request, { is: "deleted" });
  await dropFinalizer(told, bench);
}

/** Leaves the request to another provider: no machine of ours is left. */
export async function handOver(request: MachineRequest, surveyed: Survey, bench: Workbench): Promise<void> {
  const { client, signal, provider } = bench;
  const cleared = await bench.writeStatus(request, { is: "cleared" });
  const { finalizers = [], resourceVersion = "" } = cleared.metadata;
  const metadata = {
    resourceVersion,
    finalizers: finalizers.filter((each) => each !== finalizerOf(provider)),
    annotations: {
      [ANNOTATIONS.attempt]: String((surveyed.identity?.attempt ?? 1) + 1),
      [ANNOTATIONS.launch]: null,
      [ANNOTATIONS.retry]: null,
    },
  };
  await client.mergePatch(machineRequest, keyOf(cleared), { metadata }, { signal, fieldManager: FIELD_MANAGER });
}

/** Writes down that the machine is let go of, says so, and lets the request go. The machine is not touched. */
export async function letGo(
  request: MachineRequest,
  { why, surveyed, bench }: { why: "abandon" | "Retain"; surveyed: Survey; bench: Workbench },
): Promise<void> {
  const { identity, situation } = surveyed;
  const launched = identity?.launch;
  if (identity === undefined || launched === undefined) return dropFinalizer(request, bench);
  const seen = situation.look.by === "nothing" ? undefined : situation.look.have?.providerId;
  const providerId = request.status?.providerID ?? seen;
  const { namespace = request.metadata.namespace ?? "" } = parseKeyText(launched.providerConfig);
  const machine = { machineId: identity.machineId, name: launched.name, providerId, why };
  await bench.releasedIn(namespace).record(machine, { signal: bench.signal });
  const cause = why === "abandon" ? `the annotation ${ANNOTATIONS.abandon}` : "spec.deletionPolicy Retain";
  const note = `Virtual machine "${launched.name}"${providerId === undefined ? "" : ` (${providerId})`} was let go of, as ${cause} asks: it stays, and Butler does not look after it any more`;
  bench.events.record(request, { type: "Normal", reason: "VMReleased", note });
  await dropFinalizer(request, bench);
}

/** Puts our finalizer back on. */
export async function hold(request: MachineRequest, { client, provider, signal }: Workbench): Promise<void> {
  await addFinalizer(request, finalizerOf(provider), { client, kind: machineRequest, signal });
}

/** Takes the wish to retry off where there is nothing to retry: it must not come true later. */
export async function dropRetry(request: MachineRequest, { client, signal }: Workbench): Promise<void> {
  const { resourceVersion = "" } = request.metadata;
  const metadata = { resourceVersion, annotations: { [ANNOTATIONS.retry]: null } };
  await client.mergePatch(machineRequest, keyOf(request), { metadata }, { signal, fieldManager: FIELD_MANAGER });
}

async function dropFinalizer(request: MachineRequest, { client, provider, signal }: Workbench): Promise<void> {
  await removeFinalizer(request, finalizerOf(provider), { client, kind: machineRequest, signal });
}
