// SPDX-License-Identifier: Apache-2.0
import type { Clock, HandlerTransport, Random } from "../../kube/index.ts";

/**
 * How one request goes wrong. `refuse`: an answer with this status, and nothing happens. `cut-before`: the connection breaks and
 * nothing happens. `lose-answer`: it happens, and the connection breaks. `hang`: it never answers and nothing happens until the
 * caller gives up. `twice`: it happens twice, the second answer is given. `late`: the caller's connection breaks, and the request
 * happens so many milliseconds later.
 */
export type FaultEffect =
  | { readonly type: "refuse"; readonly status: number; readonly message?: string; readonly retryAfterSeconds?: number }
  | { readonly type: "cut-before" | "lose-answer" | "hang" | "twice" }
  | { readonly type: "late"; readonly byMs: number };

/** Which requests go wrong, and how. */
export interface Fault {
  /** Left out: every request. */
  readonly on?: (request: SimulatedRequest) => boolean;
  /** How often; left out: until it is taken back. */
  readonly times?: number;
  readonly effect: FaultEffect;
}

/** A request as the simulator sees it. */
export interface SimulatedRequest {
  readonly method: string;
  readonly path: string;
  readonly isWrite: boolean;
}

/** A machine that exists on a simulated infrastructure, whoever made it. */
export interface SimulatedMachine {
  readonly name: string;
  /** As `status.providerID` has it. */
  readonly id: string;
  readonly isRunning: boolean;
  readonly isDeleting: boolean;
  readonly addresses: readonly string[];
  /** What it has, not what it was asked to have. */
  readonly cpu: number;
  readonly memoryMb: number;
}

/** Credentials and settings that a ProviderConfig needs for a simulated infrastructure. */
export interface SimulatedAccess {
  /** The provider's block in a ProviderConfig. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The credentials Secret, decoded. */
  readonly secret: Readonly<Record<string, string>>;
}

/** A running simulation of one infrastructure: a server that speaks its protocol, and the strings to pull behind it. */
export interface RunningSimulator extends SimulatedAccess {
  /** Where it listens; empty where it is reached through `transport` alone. */
  readonly url: string;
  /** The same server, for callers in this process. */
  readonly transport: HandlerTransport;
  /** For people, where the infrastructure is a Kubernetes API: a kubeconfig that may do everything in it. */
  readonly adminKubeconfig?: string;
  /** The same, with credentials that are refused. */
  readonly badAccess: SimulatedAccess;
  /** Every object that exists, by a key for people; nothing is left out, whoever made it. The same state gives the same text. */
  state(): ReadonlyMap<string, string>;
  /** What exists now and did not when the simulator had started; with whose keys differ in content left out. */
  leftovers(): readonly string[];
  /** Every machine, ours and strangers'. */
  machines(): readonly SimulatedMachine[];
  /** Every request so far; where there were very many, the last ones. */
  requests(): readonly SimulatedRequest[];
  /** Makes requests go wrong; returns how to take it back. */
  inject(fault: Fault): () => void;
  /** Makes a machine that is not ours. */
  addStranger(name: string): Promise<void>;
  /** Somebody removes or stops a machine behind our back, its disks left as that infrastructure leaves them. */
  removeMachine(name: string): Promise<void>;
  stopMachine(name: string): Promise<void>;
  /** Nothing more can be created, or it can again. */
  setExhausted(isExhausted: boolean): void;
  /** Small pages, so that a list of a few machines has several. */
  setPageSize(size: number): void;
  /** Resolves when everything that does not wait for the clock has happened. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

/** How to start a simulator. */
export interface SimulatorOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Whether it listens on a port of 127.0.0.1; otherwise `transport` alone reaches it. */
  readonly listens: boolean;
  readonly port?: number;
  /** All of its waits are multiplied by this: 0 makes everything happen at once, before the next write is taken on. 1 unless told otherwise. */
  readonly pace?: number;
}

/** Simulates one infrastructure. */
export interface Simulator {
  readonly name: string;
  start(options: SimulatorOptions): Promise<RunningSimulator>;
}
