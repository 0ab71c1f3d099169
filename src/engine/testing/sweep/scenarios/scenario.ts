// SPDX-License-Identifier: Apache-2.0
import type { MachineRequest } from "../../../../api/index.ts";
import type { RunningSimulator, SimulatedAccess, SimulatedMachine } from "../../simulator.ts";
import type { Violation } from "../oracle.ts";
import type { Point } from "../traffic.ts";
import type { World } from "../world.ts";

/**
 * A moment of the life of a machine that nothing disturbs. `launched`: its request says that it is about to be made. `fixed`: the request
 * may not be changed any more. `exists`: the infrastructure shows it. `leaving`: the infrastructure deletes it. `released`: its request
 * is gone. `gone`: so is what was left to be done after that.
 */
export type Moment =
  | "start"
  | "asked"
  | "launched"
  | "fixed"
  | "exists"
  | "running"
  | "deleted"
  | "leaving"
  | "released"
  | "gone";

/** What scenarios need of an infrastructure beyond what every simulator has. Those that need what is left out are not played. */
export interface Circumstances<Sim extends RunningSimulator = RunningSimulator> {
  /** New credentials with the same rights. From then on the earlier ones are refused. */
  readonly rotate?: (sim: Sim) => SimulatedAccess;
  /** Another place on the same infrastructure, made ready for machines. */
  readonly elsewhere?: (sim: Sim) => Promise<SimulatedAccess>;
}

/** Something that people or outsiders do once in the life of a machine, at one of its requests, and what must come of it. */
export interface Scenario {
  /** As reports have it. */
  readonly name: string;
  /** It is played at the requests between these moments: no sooner and no later than there is something to be done. */
  readonly from: Moment;
  readonly to: Moment;
  /** Those of them that matter; all unless told otherwise. */
  readonly isAt?: (point: Point) => boolean;
  /** What is different from the beginning, in a word: lives in which nothing happens are alike where that is. */
  readonly setting?: string;
  /** Whether the manager is killed there, and a new one started once it is done. */
  readonly kills?: boolean;
  /** Whether lives with another fault in them have managers that are killed: a new one would not stand for election. */
  readonly standsKills?: boolean;
  /** Phases that must not be seen in it; `Failed` and `Unknown` unless told otherwise. */
  readonly never?: readonly string[];
  /** How many machines may be made in it, one after the other; 1 unless told otherwise. */
  readonly mostEver?: number;
  readonly needs?: keyof Circumstances;
  /** Sets the scene before any manager is started. */
  begin(scene: Scene): Promise<Play> | Play;
}

/** One performance of a scenario. */
export interface Play {
  /** Starts the managers, where that is not simply one. */
  readonly start?: () => Promise<void> | void;
  /** The thing itself. The request at the point waits for it. Returns false where there was nothing to be done. */
  act(point: Point): Promise<boolean | undefined> | boolean | undefined;
  /** What must come of it, and what people do about it. After it the machine runs by itself, or its request is being deleted. */
  readonly afterwards?: () => Promise<void>;
  /** What people do once the request is gone. */
  readonly tidy?: () => Promise<void>;
  /** How many machines there may be now; as many as there are requests unless told otherwise. */
  readonly most?: () => number;
  readonly isStranger?: (machine: SimulatedMachine) => boolean;
  /** What may be there in the end and was not, or was another way, by its key on either side. */
  readonly mayDiffer?: (key: string) => boolean;
  readonly stop?: () => Promise<void>;
}

/** What a scenario is played with. */
export interface Scene {
  readonly world: World;
  /** The MachineRequest's, and its machine's. */
  readonly name: string;
  /** See `Circumstances`. Throws where the infrastructure has no such thing. */
  rotate(): SimulatedAccess;
  elsewhere(): Promise<SimulatedAccess>;
  /** Another Kubernetes with Butler on the same infrastructure. */
  another(): Promise<World>;
  /** Credentials that came later and must not be seen either. */
  readonly secrets: SimulatedAccess[];
  blame(kind: Violation["kind"], text: string): void;
  request(): MachineRequest | undefined;
  isThere(): boolean;
  isDeleting(): boolean;
  isRunning(): boolean;
  /** The reason of a condition, where it is as wanted. */
  reasonOf(type: string, status: "True" | "False" | "Unknown"): string | undefined;
  /** Machines that are not strangers'. */
  machines(): readonly SimulatedMachine[];
  /** Has the request exactly one machine that runs, and does its status say so? */
  checkRunning(): void;
  /** Deletes the request where it is there and nobody has yet. */
  remove(): Promise<void>;
  until(what: string, holds: () => boolean, withinMs?: number): Promise<void>;
}

/** For people, and to repeat one: `config-deleted infrastructure#7`. */
export function playText(scenario: Pick<Scenario, "name">, at: Pick<Point, "side" | "number"> | undefined): string {
  return at === undefined ? scenario.name : `${scenario.name} ${at.side}#${at.number}`;
}
