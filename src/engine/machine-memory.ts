// SPDX-License-Identifier: Apache-2.0
import type { MachineRequest } from "../api/index.ts";
import { backoffMs, type ObjectKey } from "../kube/index.ts";
import type { Launch } from "./identity.ts";
import type { Connection, MachineHave } from "./provider.ts";
import type { Trouble } from "./retry-plan.ts";
import type { Sightings } from "./sightings.ts";

/**
 * What this process remembers of one machine. It may be gone at any moment: whatever must not be forgotten stands in annotations, in
 * the status or on the infrastructure. Times are monotonic.
 */
export interface MachineRecord {
  readonly uid: string;
  /** What the trouble was met with: a spec, a connection, a wish to retry. Another one deserves a fresh try. */
  circumstances: { readonly text: string; readonly connection: Connection | undefined } | undefined;
  trouble: Trouble | undefined;
  /** What the machine, which is there, does not start for want of, and when create is called for it again. */
  shortage: Trouble | undefined;
  /** The id for a machine that has none yet. */
  newId: string | undefined;
  /** What was written down for the last create call that was sent. */
  launched: { readonly machineId: string; readonly attempt: number; readonly launch: Launch } | undefined;
  /** The launch whose create call was answered: it has had its effect or never will. */
  answered: { readonly launch: string; readonly time: number } | undefined;
  /** The launch that is known to be this request's own, at the ProviderConfig that it names: made here, or its machine was seen there. */
  provenLaunch: string | undefined;
  /** The launch whose create call has failed. */
  tried: string | undefined;
  /** The launch of an attempt of which every create call was refused and nothing was left, as a direct look has shown. */
  voided: string | undefined;
  /** The launch whose create call was answered with success, whether or not the machine is seen yet. */
  welcomed: string | undefined;
  /** The attempt of which a machine was seen. */
  seenAttempt: number | undefined;
  lastLook: { readonly at: number; readonly times: number; readonly shown: string } | undefined;
  lastDelete: { readonly at: number; readonly state: MachineHave["state"] } | undefined;
  /** Since when nothing but remains of the machine that was deleted have been seen. */
  remainsSince: number | undefined;
  lastAlignment: { readonly at: number; readonly labels: string } | undefined;
  /** Since when something has been wrong with the machine, as the infrastructure tells it. */
  ailingSince: number | undefined;
  /** Since when the machine has run with IPv6 addresses alone. */
  onlyIpv6Since: number | undefined;
  /** Since when the infrastructure cannot be talked to. */
  downSince: number | undefined;
  awaitedIn: { readonly sightings: Sightings; readonly machineId: string } | undefined;
}

/** The records of all machines. */
export interface MachineMemory {
  /** The record of this very request; a new one where another had its name. */
  of(request: MachineRequest): MachineRecord;
  forget(key: ObjectKey): void;
}

/** Nothing is remembered yet. */
export function createMachineMemory(): MachineMemory {
  const records = new Map<string, MachineRecord>();
  const textOf = ({ namespace = "", name = "" }: { namespace?: string; name?: string }) => `${namespace}/${name}`;
  const drop = (key: string) => {
    const record = records.get(key);
    if (record !== undefined) expectChange(record, undefined);
    records.delete(key);
  };
  return {
    of({ metadata }) {
      const key = textOf(metadata);
      const { uid = "" } = metadata;
      const known = records.get(key);
      if (known?.uid === uid) return known;
      drop(key);
      const fresh = emptyRecord(uid);
      records.set(key, fresh);
      return fresh;
    },
    forget: (key) => drop(textOf(key)),
  };
}

function emptyRecord(uid: string): MachineRecord {
  return {
    uid,
    circumstances: undefined,
    trouble: undefined,
    shortage: undefined,
    answered: undefined,
    provenLaunch: undefined,
    tried: undefined,
    voided: undefined,
    welcomed: undefined,
    newId: undefined,
    launched: undefined,
    seenAttempt: undefined,
    lastLook: undefined,
    lastDelete: undefined,
    remainsSince: undefined,
    lastAlignment: undefined,
    ailingSince: undefined,
    onlyIpv6Since: undefined,
    downSince: undefined,
    awaitedIn: undefined,
  };
}

/** Tells the sightings whether a change of the machine is waited for. */
export function expectChange(record: MachineRecord, awaited: MachineRecord["awaitedIn"]): void {
  const { awaitedIn: before } = record;
  const isSame = before?.sightings === awaited?.sightings && before?.machineId === awaited?.machineId;
  if (isSame) return;
  before?.sightings.await(before.machineId, false);
  awaited?.sightings.await(awaited.machineId, true);
  record.awaitedIn = awaited;
}

/** Forgets trouble that was met under other circumstances: there the next try comes at once. */
export function meetCircumstances(record: MachineRecord, now: NonNullable<MachineRecord["circumstances"]>): void {
  const { circumstances: before } = record;
  record.circumstances = now;
  if (before === undefined || (before.text === now.text && before.connection === now.connection)) return;
  record.trouble = undefined;
  record.lastLook = undefined;
}

const NOTHING = "nothing";

/** Remembers what a direct look has shown. Looks that show nothing new come later each time. */
export function rememberLook(record: MachineRecord, have: MachineHave | undefined, now: number): void {
  const shown = JSON.stringify(have) ?? NOTHING;
  const times = record.lastLook?.shown === shown ? record.lastLook.times + 1 : 1;
  record.lastLook = { at: now, times, shown };
}

/** Whether a machine, or a part of one, was ever this request's, as far as is known. */
export function wasOurs({ status }: MachineRequest, record: MachineRecord): boolean {
  const { seenAttempt, lastDelete, welcomed } = record;
  return [status?.providerID, seenAttempt, lastDelete, welcomed].some((each) => each !== undefined);
}

const LOOKS = { baseMs: 1_000, maxMs: 15_000 };
const TOLD_LOOKS = { baseMs: 10_000, maxMs: 60_000 };

/** What else is known of a machine that was looked for. */
export interface LookingOn {
  /** Monotonic. */
  readonly now: number;
  /** Whether its end would be told. */
  readonly isTold: boolean;
  /** As it is pictured. */
  readonly have: MachineHave | undefined;
}

/** Until the next direct look. */
export function nextLookInMs({ lastLook }: MachineRecord, { now, isTold, have }: LookingOn): number {
  if (lastLook === undefined) return 0;
  const wasThere = lastLook.shown !== NOTHING;
  // What was there is told to be gone since.
  if (wasThere && have === undefined) return 0;
  const limits = wasThere && isTold ? TOLD_LOOKS : LOOKS;
  return Math.max(0, lastLook.at + backoffMs(lastLook.times, limits, () => 1) - now);
}
