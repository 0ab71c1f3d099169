// SPDX-License-Identifier: Apache-2.0
import { createHash } from "node:crypto";
import { z } from "zod";
import type { MachineRequest } from "../api/index.ts";
import { ATTEMPT_ANNOTATION, LAUNCH_ANNOTATION, MACHINE_ID_ANNOTATION } from "./names.ts";
import type { Mark } from "./provider.ts";

const PREFIX = "butler.butlerlabs.dev";

/** The annotations that carry a machine's identity, which moves and restores keep, and those that people steer it with. */
export const ANNOTATIONS = {
  machineId: MACHINE_ID_ANNOTATION,
  attempt: ATTEMPT_ANNOTATION,
  launch: LAUNCH_ANNOTATION,
  retry: `${PREFIX}/retry`,
  paused: `${PREFIX}/paused`,
  abandon: `${PREFIX}/abandon`,
  instanceType: `${PREFIX}/instance-type`,
} as const;

/** Whoever writes to a MachineRequest writes as this manager, so that it has one author, whichever provider's that is. */
export const FIELD_MANAGER = "butler-machine-requests";

/** The finalizer of one provider's machines. */
export function finalizerOf(provider: string): string {
  return `machinerequest.${PREFIX}/${provider}-finalizer`;
}

const FINALIZER = /^machinerequest\.butler\.butlerlabs\.dev\/(.+)-finalizer$/;

/** The provider that holds the request by its finalizer, where one does. */
export function holderOf({ metadata }: MachineRequest): string | undefined {
  for (const finalizer of metadata.finalizers ?? []) {
    const [, provider] = FINALIZER.exec(finalizer) ?? [];
    if (provider !== undefined) return provider;
  }
  return undefined;
}

const time = z.string().refine((text) => Number.isFinite(Date.parse(text)));

const launchShape = z.object({
  time,
  hash: z.string(),
  providerConfig: z.string(),
  place: z.string(),
  owner: z.string().default(""),
  name: z.string().default(""),
  tries: z.int().min(1).default(2),
  doubt: time.optional(),
  since: time.optional(),
  installation: z.string().optional(),
  attempt: z.int().min(1).optional(),
  isEnding: z.literal(true).optional(),
  isVoid: z.literal(true).optional(),
  provider: z.string().optional(),
});

/** What is written down before a create call is sent. */
export interface Launch {
  /** When, in RFC 3339: a create call may take effect until its time limit after that. */
  readonly time: string;
  /** Hash of the launch parameters. */
  readonly hash: string;
  /** The ProviderConfig, as `namespace/name`. */
  readonly providerConfig: string;
  /** The connection's `place`. */
  readonly place: string;
  /** The MachineRequest, as `namespace/name`. */
  readonly owner: string;
  /** The machine's name. The spec's may be edited while the machine is not in it any more. */
  readonly name: string;
  /** How many create calls this attempt has had, this one included. */
  readonly tries: number;
  /** When the latest of the earlier calls of this attempt was begun whose answer nobody knows. */
  readonly doubt?: string | undefined;
  /** When the machine was first on its way, where that is not `time`. */
  readonly since?: string | undefined;
  /** The installation whose mark the machine carries, so that it is known again where that was lost here. */
  readonly installation?: string | undefined;
  /** The attempt that it is of. The annotation of that name is for people to read. */
  readonly attempt?: number | undefined;
  /** The machine is being deleted for another one to be made. */
  readonly isEnding?: true | undefined;
  /** Every create call of this attempt was refused, and a direct look has shown that nothing was left. */
  readonly isVoid?: true | undefined;
  /** Who made the machine, so that its manager knows it again where finalizer and ProviderConfig are gone. */
  readonly provider?: string | undefined;
}

/** Who a machine is, as its request's annotations say. */
export interface Identity {
  readonly machineId: string;
  readonly attempt: number;
  readonly launch: Launch | undefined;
  /** The request, as `namespace/name`, whose annotations these are, where that is another. */
  readonly copiedFrom?: string | undefined;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Reads the identity from the annotations. Undefined where there is none, or none that we have written. Never throws. */
export function identityOf(request: MachineRequest): Identity | undefined {
  const known = identities.get(request);
  if (known !== undefined) return known === "none" ? undefined : known;
  const read = readIdentity(request);
  identities.set(request, read ?? "none");
  return read;
}

/** Objects of the API are never changed, so what was read of them once holds. */
const identities = new WeakMap<object, Identity | "none">();

function readIdentity(request: MachineRequest): Identity | undefined {
  const annotations = request.metadata.annotations ?? {};
  const machineId = annotations[ANNOTATIONS.machineId];
  if (machineId === undefined || !UUID.test(machineId)) return undefined;
  const attempt = Number(annotations[ANNOTATIONS.attempt]);
  const launch = parseLaunch(annotations[ANNOTATIONS.launch], request);
  const written = Number.isSafeInteger(attempt) && attempt >= 1 ? attempt : 1;
  const whose = { machineId, attempt: launch?.attempt ?? written };
  // Annotations are the user's to copy. This request has launched nothing.
  if (launch !== undefined && launch.owner !== ownerOf(request))
    return { ...whose, launch: undefined, copiedFrom: launch.owner };
  return { ...whose, launch };
}

function parseLaunch(text: string | undefined, request: MachineRequest): Launch | undefined {
  if (text === undefined) return undefined;
  const parsed = launchShape.safeParse(parseJson(text));
  const otherwise = { name: request.spec.machineName, owner: ownerOf(request) };
  if (parsed.success)
    return { ...parsed.data, name: parsed.data.name || otherwise.name, owner: parsed.data.owner || otherwise.owner };
  // Somebody changed it. That there was a launch must not be forgotten, or its machine would be.
  const { creationTimestamp = new Date(0).toISOString() } = request.metadata;
  return { time: creationTimestamp, hash: "", providerConfig: "", place: "", ...otherwise, tries: 2 };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether it says what was launched and where. What does not, somebody else has written: it is good for looking, never for making. */
export function isWhole({ hash, place, providerConfig }: Launch): boolean {
  return hash !== "" && place !== "" && providerConfig !== "";
}

/** Whether the identity says where its machine was made, if anywhere. Absence at another place is no absence. */
export function isTraced(identity: Identity | undefined): boolean {
  return identity?.launch !== undefined && identity.launch.place !== "";
}

/** As the annotation has it: fields in a fixed order, those that say nothing left out. */
export function launchText(launch: Launch): string {
  const { time, hash, providerConfig, place, owner, name, tries, doubt, since, installation } = launch;
  const { attempt, isEnding, isVoid, provider } = launch;
  const where = { time, hash, providerConfig, place, owner, name };
  return JSON.stringify({ ...where, tries, doubt, since, installation, attempt, isEnding, isVoid, provider });
}

/** Tells one create call from all others, whatever has become of its machine since. */
export function launchIdOf(launch: Launch): string {
  return launchText({ ...launch, isEnding: undefined, isVoid: undefined });
}

/**
 * What the annotation `abandon` may say for the request's machine to be let go of, the best first: its machine id, or the providerID
 * that is recorded; and where the request is held and neither is known any more, its own uid.
 */
export function abandonIds(request: MachineRequest, identity: Identity | undefined): readonly string[] {
  const { metadata, status } = request;
  const recorded = status?.providerID === undefined ? [] : [status.providerID];
  if (identity === undefined) {
    const isBare = recorded.length === 0 && holderOf(request) !== undefined;
    return isBare && metadata.uid !== undefined ? [metadata.uid] : recorded;
  }
  // A copied id is another machine's.
  return identity.copiedFrom === undefined ? [identity.machineId, ...recorded] : [...recorded, identity.machineId];
}

/** The MachineRequest as `namespace/name`. */
export function ownerOf({ metadata: { namespace = "", name = "" } }: MachineRequest): string {
  return `${namespace}/${name}`;
}

/**
 * Whether the mark names this very request as its owner, on this installation, and another machine id than the request has: it lost
 * its annotations, or never had them.
 */
export function isKin(mark: Mark, own: Pick<Mark, "machineId" | "installation" | "owner">): boolean {
  const isSameOwner = mark.owner === own.owner && mark.installation === own.installation;
  return isSameOwner && mark.machineId !== own.machineId && UUID.test(mark.machineId) && mark.attempt >= 1;
}

/** Whether the mark is this request's: its machine id and its owner, on this installation. */
export function isOurs(mark: Mark, own: Pick<Mark, "machineId" | "installation" | "owner">): boolean {
  return mark.machineId === own.machineId && mark.installation === own.installation && mark.owner === own.owner;
}

/**
 * A UUID made of the machine's id, attempt and owner: the same for every try of one attempt, whoever makes it, and another for a
 * request whose annotations were copied.
 */
export function tokenOf({ machineId, attempt, owner }: Pick<Mark, "machineId" | "attempt" | "owner">): string {
  const hex = createHash("sha256")
    .update(JSON.stringify([machineId, attempt, owner]))
    .digest("hex");
  // Version 8, variant 1: a UUID of its maker's own recipe (RFC 9562).
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
