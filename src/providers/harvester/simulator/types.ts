// SPDX-License-Identifier: Apache-2.0
import type { RunningSimulator, SimulatedAccess, SimulatorOptions } from "../../../engine/testing/simulator.ts";
import type { Plane } from "../../../plane/plane.ts";
import type { WatchEnd } from "./watch-streams.ts";
import type { HarvesterVersion } from "./world.ts";

/** How to start a simulated Harvester. */
export interface HarvesterOptions extends SimulatorOptions {
  /** Whose ways it has; 1.4 unless told otherwise. */
  readonly harvester?: HarvesterVersion;
}

/** An image to be. */
export interface ImageWish {
  readonly displayName?: string;
  /** Whether it can tell the addresses of machines; true unless told otherwise. */
  readonly hasGuestAgent?: boolean;
  /** What becomes of its import; it succeeds unless told otherwise. */
  readonly import?: "succeeds" | "fails" | "stalls";
}

/** The quota of a namespace: what its machines may have together, and how many of some kinds there may be. */
export interface QuotaWish {
  readonly cpu?: number;
  readonly memoryMb?: number;
  readonly virtualMachines?: number;
  readonly secrets?: number;
}

/** A Harvester that is simulated, with the strings of its own. Objects are named by `namespace/name`. */
export interface HarvesterSimulation extends RunningSimulator {
  readonly version: HarvesterVersion;
  /** The API server it is made of, for what no string here does. */
  readonly plane: Plane;
  /** With the rights of the older controller's readme alone. */
  readonly basicAccess: SimulatedAccess;
  /** A kubeconfig that may do everything, for people. */
  readonly adminKubeconfig: string;
  /** Starts the import of an image. */
  addImage(key: string, wish?: ImageWish): Promise<void>;
  /** An import that stalled or failed goes on to its end. */
  finishImport(key: string): Promise<void>;
  /** The copy below an image is lost. */
  loseBackingImage(key: string): Promise<void>;
  addNetwork(key: string): Promise<void>;
  /** Sets the quota of a namespace; left out, it has none any more. */
  setQuota(namespace: string, quota?: QuotaWish): Promise<void>;
  /** Whether there is room for machines that are not placed yet. */
  setRoom(hasRoom: boolean): void;
  /** Whether webhooks cannot be reached, as during an upgrade. */
  setUpgrading(isUpgrading: boolean): void;
  /** Whether Harvester's own controller has crashed: no volumes are made or removed, and nothing is cleaned up. */
  setHarvesterDown(isDown: boolean): void;
  /** Whether guests keep their addresses to themselves; those that have told them already have. */
  holdAddresses(isHeld: boolean): void;
  /** Moves a running machine to another node. */
  migrate(key: string): Promise<void>;
  /** The guest shuts itself down, or crashes. */
  endGuest(key: string, how: "Succeeded" | "Failed"): Promise<void>;
  /** Somebody deletes something behind our back; webhooks do not hold them up. */
  deleteObject(kind: "vm" | "vmi" | "claim" | "secret", key: string): Promise<void>;
  /** From this moment on no token given out so far is good any more. */
  expireCredentials(): void;
  /** New credentials with the same rights as the ones that `secret` had, or with those of `basicAccess`. */
  renewCredentials(options?: { readonly livesMs?: number; readonly isBasic?: boolean }): SimulatedAccess;
  /** Ends the watches under way. With `expire`, and for whoever goes on from where they were, history is forgotten. */
  cutWatches(how: WatchEnd): void;
  /** The API server goes away: connections break and none are accepted, until the time has passed. */
  restartApi(downMs: number): void;
  /** How many watches are under way. */
  readonly watches: number;
}
