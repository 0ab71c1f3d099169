// SPDX-License-Identifier: Apache-2.0
import { type MachineRequest, machineRequest } from "../api/index.ts";
import {
  ApiError,
  addFinalizer,
  ConnectionError,
  isConflict,
  isForbidden,
  keyOf,
  LostLeadershipError,
  removeFinalizer,
} from "../kube/index.ts";
import { ANNOTATIONS, FIELD_MANAGER, finalizerOf, ownerOf } from "./identity.ts";
import { rememberLook, wasOurs } from "./machine-memory.ts";
import type { Survey } from "./machine-survey.ts";
import { SYSTEM_NAMESPACE } from "./names.ts";
import type { Found, MachineHave } from "./provider.ts";
import { ProviderError } from "./provider-error.ts";
import { planRetry } from "./retry-plan.ts";
import { type StepResult, tryCall, type Workbench } from "./workbench.ts";

/** Looks directly. An error is remembered as trouble. */
export async function look(surveyed: Survey, bench: Workbench): Promise<Found | ProviderError> {
  const { home, sought } = surveyed;
  if (home === undefined || sought === undefined) throw new Error("a machine is looked for where nothing is connected");
  const what = `look for machine "${sought.name}"`;
  const since = home.sightings.told;
  const found = await tryCall(bench, { place: home, verb: "find", what, machine: sought.name }, (call) =>
    home.connection.machines.find(sought, call),
  );
  if (found instanceof ProviderError) return found;
  rememberLook(bench.record, found.have, bench.clock.monotonic());
  if (found.have === undefined) home.sightings.forget(sought.mark, { since });
  else if (found.have.mark.owner === sought.mark.owner) home.sightings.note(found.have, { since });
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

/** Says that nothing is left, and lets the request go. Undefined where it is gone. */
export async function release(
  request: MachineRequest,
  surveyed: Survey,
  bench: Workbench,
): Promise<StepResult | undefined> {
  const isTold = bench.record.trouble?.verb === "release";
  const told = isTold ? request : await tellGone(request, surveyed, bench);
  return await orTell(told, { machine: "is gone", bench }, () => dropFinalizer(told, bench));
}

async function tellGone(request: MachineRequest, surveyed: Survey, bench: Workbench): Promise<MachineRequest> {
  const { launch } = surveyed.identity ?? {};
  if (launch !== undefined && wasOurs(request, bench.record)) {
    const note = `Virtual machine "${launch.name}" and all that belonged to it are gone`;
    bench.events.record(request, { type: "Normal", reason: "VMDeleted", note });
  }
  return await bench.writeStatus(request, { is: "deleted" });
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

/**
 * Writes down that the machine is let go of, says so, and lets the request go. The machine is not touched. Undefined where the request
 * is gone.
 */
export async function letGo(
  request: MachineRequest,
  { why, surveyed, bench }: { why: "abandon" | "Retain"; surveyed: Survey; bench: Workbench },
): Promise<StepResult | undefined> {
  const { identity, situation, home } = surveyed;
  const name = identity?.launch?.name ?? request.spec.machineName;
  const seen = situation.look.by === "nothing" ? undefined : situation.look.have;
  const providerId = request.status?.providerID ?? seen?.providerId;
  return await orTell(request, { machine: "stays", bench }, async () => {
    const known = isAnothers(request, surveyed, bench) ? undefined : (identity ?? seen?.mark)?.machineId;
    // What is known by its providerID alone is told from others by that and by its owner, when it is seen again.
    const machineId = known ?? (providerId === undefined ? undefined : `of-request-${request.metadata.uid}`);
    if (machineId !== undefined) {
      const namespace = home?.config.object.metadata.namespace ?? SYSTEM_NAMESPACE;
      const machine = { machineId, owner: ownerOf(request), name, providerId, why };
      await bench.releasedIn(namespace).record(machine, { signal: bench.signal });
      const cause = why === "abandon" ? `the annotation ${ANNOTATIONS.abandon}` : "spec.deletionPolicy Retain";
      const note = `Virtual machine "${name}"${providerId === undefined ? "" : ` (${providerId})`} was let go of, as ${cause} asks: it stays, and Butler does not look after it any more`;
      bench.events.record(request, { type: "Normal", reason: "VMReleased", note });
    }
    await dropFinalizer(request, bench);
  });
}

/** Whether the machine id is another request's: annotations are the user's to copy, and nobody lets go of what is not theirs. */
function isAnothers(request: MachineRequest, { identity, home, situation }: Survey, { cache }: Workbench): boolean {
  const { look } = situation;
  // What is seen as ours has our mark.
  if (identity === undefined || (look.by !== "nothing" && look.have !== undefined)) return false;
  const own = ownerOf(request);
  const isTwin = (machineId: string | undefined, owner: string) => machineId === identity.machineId && owner !== own;
  const seen = home?.sightings.list() ?? [];
  const found = look.by === "find" ? look.stranger?.mark : undefined;
  return (
    seen.some(({ mark }) => isTwin(mark.machineId, mark.owner)) ||
    (found !== undefined && isTwin(found.machineId, found.owner)) ||
    cache.list().some((other) => isTwin(other.metadata.annotations?.[ANNOTATIONS.machineId], ownerOf(other)))
  );
}

/** Lets go by what Kubernetes may refuse. That is told like any other trouble, and tried again like one. */
async function orTell(
  request: MachineRequest,
  { machine, bench }: { machine: "stays" | "is gone"; bench: Workbench },
  write: () => Promise<void>,
): Promise<StepResult | undefined> {
  const { record, clock, random, signal } = bench;
  const before = record.trouble?.verb === "release" ? record.trouble : undefined;
  const result: StepResult = { request, outcome: { is: "letting-go", machine } };
  if (before !== undefined && before.retryAt > clock.monotonic()) return result;
  try {
    await write();
    return undefined;
  } catch (thrown) {
    if (signal.aborted || thrown instanceof LostLeadershipError || isConflict(thrown)) throw thrown;
    const error = new ProviderError({
      kind: isForbidden(thrown) ? "denied" : thrown instanceof ConnectionError ? "unavailable" : "internal",
      reason: "ReleaseFailed",
      message: `let go of the MachineRequest: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
      ...(thrown instanceof ApiError ? { code: thrown.reason, requestId: thrown.requestId } : {}),
    });
    bench.log.warn("a request could not be let go of", { request: ownerOf(request), error: thrown });
    record.trouble = planRetry({ verb: "release", error, before, clock, random });
    return result;
  }
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
