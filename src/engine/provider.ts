// SPDX-License-Identifier: Apache-2.0
import type { z } from "zod";
import type { ProviderBlock } from "../api/provider-block.ts";
import type { Clock, HandlerTransport, Random } from "../kube/index.ts";
import type { Call } from "./call.ts";

/**
 * What every object on an infrastructure carries from the very call that makes it, so that its owner can be proven, whatever was
 * lost here.
 */
export interface Mark {
  /** The request's own id, a UUID that survives moves and restores. */
  readonly machineId: string;
  /** The installation of Butler, a UUID. */
  readonly installation: string;
  readonly attempt: number;
  /** Hash of the launch parameters. */
  readonly launch: string;
  /** The MachineRequest, as `namespace/name`. */
  readonly owner: string;
}

/** A disk besides the root disk. */
export interface DiskWant {
  readonly sizeGb: number;
  readonly storageClass?: string;
}

/** The machine that is wanted. Frozen; a provider never changes it. */
export interface MachineWant {
  readonly name: string;
  readonly mark: Mark;
  /** A UUID that is the same for every try of one attempt and for no other, for infrastructures that tell repeats apart by it. */
  readonly token: string;
  readonly role: "control-plane" | "worker";
  readonly cpu: number;
  readonly memoryMb: number;
  readonly diskGb: number;
  readonly extraDisks: readonly DiskWant[];
  /** Left out, the image of the provider's settings. */
  readonly image?: string;
  readonly userData?: string;
  readonly networkData?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly failureDomain?: string;
  readonly spreadGroup?: string;
  /** A static address. Providers that cannot give one say so in `validate`. */
  readonly network?: { readonly pool?: string; readonly address?: string };
  /** Names a cloud's machine type outright. */
  readonly instanceType?: string;
  /** The providerId of the one machine that `create` is to bring in line. Nothing is to be made then. */
  readonly existing?: string;
}

/**
 * What the machine is doing. `pending`: on its way up. `running`: it runs; its addresses may still be unknown. `stopped`: it is there
 * and does not run. `failed`: the infrastructure gave up on it. `deleting`: on its way out. `remains`: the machine itself is not
 * there (not yet, or no longer), but disks or other parts of it are.
 */
export type MachineState = "pending" | "running" | "stopped" | "failed" | "deleting" | "remains";

/** Why a machine is not what it should be, as the infrastructure tells it. */
export interface Trouble {
  readonly kind: ErrorKind;
  /** One CamelCase word. */
  readonly reason: string;
  /** One plain sentence that says what, which, why and what to do. */
  readonly message: string;
}

/** A machine as it was found. */
export interface MachineHave {
  readonly name: string;
  readonly mark: Mark;
  /** Undefined for `remains`. */
  readonly providerId: string | undefined;
  readonly state: MachineState;
  /** The first is the primary one. Empty until it is known. */
  readonly addresses: readonly string[];
  readonly macAddress?: string;
  readonly failureDomain?: string;
  readonly instanceType?: string;
  /**
   * What it waits for or suffers from. A machine with trouble of kind `invalid` has failed; with other kinds it waits. For one that is
   * `pending` with kind `exhausted`, `create` is to be called again by the retry table: some infrastructures switch such a machine
   * off and do not go on by themselves.
   */
  readonly trouble?: Trouble;
  /** What the infrastructure calls its state, for people: `Starting`, `WaitingForVolumeBinding`. */
  readonly detail?: string;
  /** The labels that can be changed, as they are; compared with the wanted ones. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Something that has the wanted name and is not the wanted machine. */
export interface Stranger {
  /** For people: `VirtualMachine default/web-1`. */
  readonly what: string;
  /** Its mark, where it has one: another request's, or another installation's. */
  readonly mark?: Mark;
  /** Where it is a machine: a machine that has lost its mark is known again by this. */
  readonly providerId?: string;
}

/** The answer to a direct look. */
export interface Found {
  /** Our machine, or what remains of it. Undefined once every piece is gone: machine, disks, addresses, Secrets. */
  readonly have?: MachineHave;
  /** Told besides where the name is somebody else's. */
  readonly stranger?: Stranger;
}

/** A long operation of the infrastructure, to be told apart and resumed after a restart. */
export interface Operation {
  readonly id: string;
}

/** What happened on an infrastructure. `all-told` follows when everything that is there has been told once. */
export type Sighting =
  | { readonly type: "machine"; readonly have: MachineHave }
  | { readonly type: "gone"; readonly machineId: string; readonly name: string }
  | { readonly type: "all-told" };

/** One thing a check has looked at. */
export interface Finding {
  /** The condition it belongs to: `CredentialsValid`, `PermissionsGranted`, `ImageAvailable`, `NetworkAvailable`, `StorageAvailable`. */
  readonly condition: string;
  /** `unverified`: what may not be read is not known, which is no failure. */
  readonly result: "fine" | "unverified" | "failed";
  /** One CamelCase word. */
  readonly reason: string;
  /** One plain sentence; where it failed, with what to do. */
  readonly message: string;
  /** Machines cannot be made while this has failed. */
  readonly isBlocking: boolean;
  /** How to treat it where it failed; `invalid` unless told otherwise. */
  readonly kind?: ErrorKind;
}

/** What a check found. */
export interface CheckReport {
  readonly findings: readonly Finding[];
  readonly providerVersion?: string;
}

/**
 * Machines on one infrastructure. Every call may be repeated; none may wait for completion; all but `create` and `delete` only
 * read. Refusals and troubles are thrown as `ProviderError`; what is not found is no error.
 */
export interface Machines {
  /** Pure. What the user must change, as "field: problem"; empty when fine. */
  validate(want: MachineWant): readonly string[];
  /** Logs in and looks whether machines can be made. Findings, not exceptions; throws only where nothing at all could be asked. */
  check(call: Call): Promise<CheckReport>;
  /** Everything that carries the mark of this installation, all pages of it. */
  list(call: Call): Promise<readonly MachineHave[]>;
  /**
   * Tells everything that `list` would, then `all-told`, then every change, until the signal. It may end or throw at any time
   * and is begun again.
   */
  watch?(call: Call): AsyncIterable<Sighting>;
  /** The authoritative look at one machine and all its parts. */
  find(want: MachineWant, call: Call): Promise<Found>;
  /**
   * Starts creation, continues what an earlier, interrupted call left behind, or brings labels in line. Called twice, also by two
   * processes at once, it leaves one machine. What has the name and not the mark is refused as `NameConflict` and left alone.
   * With `want.existing` it makes nothing, and answers with the machine as `have`; without one where that machine is gone, or
   * another has its name.
   */
  create(want: MachineWant, call: Call): Promise<Created>;
  /** Starts deletion of the machine and all its parts, or continues it. Success if already gone. Touches only what carries the mark. */
  delete(have: MachineHave, call: Call): Promise<Operation | undefined>;
}

/** What came of a create call. */
export interface Created {
  /** The machine as the answer shows it. */
  readonly have?: MachineHave;
  readonly operation?: Operation;
}

/** One logged-in connection to one infrastructure, for one state of a ProviderConfig and its Secret. */
export interface Connection {
  /** Where machines are made, as one stable line of text: absence elsewhere is no absence. Holds no credentials. */
  readonly place: string;
  readonly machines: Machines;
  /** Ends watches and closes connections. Never rejects. */
  close(): Promise<void>;
}

/** What a connection is made from. */
export interface ConnectInput<Settings> {
  readonly settings: Settings;
  /** The credentials Secret, decoded. */
  readonly secret: Readonly<Record<string, string>>;
  /** The key in `credentialsRef.key`, where it was given. */
  readonly secretKey?: string;
  readonly installation: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Where given, requests go to this server in the process instead of a socket. */
  readonly transport?: HandlerTransport;
}

/** One infrastructure: what the API knows about it, and how to talk to it. */
export interface Provider {
  readonly name: string;
  /** For how long after a launch a machine may be invisible to a look. */
  readonly visibilityLagMs: number;
  /** The longest a create call may take until its answer; later ones are given up. */
  readonly callLimitMs: number;
  /**
   * After so long a watch is begun anew, which reads everything once: a connection may die without a word. Long where the watch
   * itself notices when nothing comes any more.
   */
  readonly watchLastsMs: number;
  /** Parses the settings and opens a connection. Throws a `ProviderError` that names the field or key that is wrong. Sends nothing. */
  connect(input: ConnectInput<unknown>): Promise<Connection>;
}

/** How a provider is written down: as `Provider`, with its settings typed by its block. */
export interface ProviderDefinition<Block extends ProviderBlock> {
  readonly block: Block;
  readonly visibilityLagMs?: number;
  readonly callLimitMs?: number;
  readonly watchLastsMs?: number;
  connect(input: ConnectInput<z.output<Block["settings"]>>): Promise<Connection>;
}

/** What happens next, which is what an error is named after. See the table in docs/concepts/providers.md. */
export type ErrorKind = "invalid" | "denied" | "exhausted" | "throttled" | "unavailable" | "internal";
