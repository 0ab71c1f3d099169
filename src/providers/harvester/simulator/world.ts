// SPDX-License-Identifier: Apache-2.0
import type { Clock, Random } from "../../../kube/index.ts";
import type { Objects } from "../../../plane/rest/objects.ts";
import { StatusError } from "../../../plane/status-error.ts";
import type { KubeObject, User } from "../../../plane/types.ts";
import { type Changes, placeOf } from "./changes.ts";
import { createLeases, type Leases } from "./guest-network.ts";
import { type KindName, kind } from "./kinds.ts";
import type { References } from "./references.ts";
import type { SerialQueue } from "./work-queue.ts";

/** What the simulation's own parts write as: webhooks let them pass, as Harvester's own service accounts do. */
export const CONTROLLER: User = {
  name: "system:serviceaccount:harvester-system:harvester",
  groups: ["system:masters", "system:serviceaccounts", "system:authenticated"],
};

/** A version line of Harvester whose ways the simulation follows. */
export type HarvesterVersion = "1.2" | "1.3" | "1.4" | "1.8";

/** What can be turned while it runs. */
export interface Knobs {
  /** Whether there is room for another machine. */
  hasRoom: boolean;
  /** Whether Harvester's own controller runs: it makes and removes volumes and sees to quotas. */
  isHarvesterUp: boolean;
  /** Whether there is an API server for anybody to act through. */
  isApiUp: boolean;
  /** Whether webhooks cannot be reached. */
  isUpgrading: boolean;
  /** Whether guests keep their addresses to themselves for now. */
  holdsAddresses: boolean;
}

/** What every controller of the simulation works with. */
export interface World {
  readonly version: HarvesterVersion;
  readonly knobs: Knobs;
  readonly clock: Clock;
  readonly random: Random;
  /** How long something takes that usually takes so long. */
  delay(usualMs: number): number;
  readonly changes: Pick<Changes, "get" | "list" | "tally">;
  readonly references: References;
  readonly leases: Leases;
  readonly queue: SerialQueue;
  /** The object as it is on the plane; `changes` may be a moment behind. */
  get(name: KindName, key: string): KubeObject | undefined;
  /** Undefined where there is one of that name already. */
  create(name: KindName, object: KubeObject): Promise<KubeObject | undefined>;
  /** Undefined where it is gone. */
  update(name: KindName, key: string, change: (current: KubeObject) => KubeObject): Promise<KubeObject | undefined>;
  /** Writes the status alone. */
  updateStatus(name: KindName, key: string, change: (current: KubeObject) => object): Promise<void>;
  remove(name: KindName, key: string): Promise<void>;
  /** Tells of something once. */
  event(news: EventNews): Promise<void>;
}

/** Something that happened to an object. */
export interface EventNews {
  readonly about: KubeObject;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly component: string;
}

interface WorldOptions
  extends Pick<World, "version" | "knobs" | "clock" | "random" | "changes" | "references" | "queue"> {
  readonly objects: Objects;
  readonly pace: number;
}

/** Makes a world on a plane's objects. */
export function createWorld({ objects, pace, ...parts }: WorldOptions): World {
  const told = new Set<string>();
  const options = { user: CONTROLLER, manager: "harvester" };
  const { clock, random } = parts;
  const update: World["update"] = async (name, key, change) => {
    const written = await unless("NotFound", objects.updateObject(kind(name), placeOf(key), change, options));
    return written === undefined ? undefined : objects.get(kind(name), placeOf(key));
  };
  return {
    ...parts,
    leases: createLeases(),
    delay: (usualMs) => Math.round(usualMs * pace * (0.75 + random() / 2)),
    get: (name, key) => objects.get(kind(name), placeOf(key)),
    async create(name, object) {
      const { namespace = "" } = object.metadata;
      const made = await unless("AlreadyExists", objects.createObject(kind(name), namespace, object, options));
      const { name: own = "" } = object.metadata;
      return made === undefined ? undefined : objects.get(kind(name), { namespace, name: own });
    },
    update,
    async updateStatus(name, key, change) {
      const withStatus = (current: KubeObject) => ({ ...current, status: change(current) });
      const subresource = kind(name).hasStatus ? "status" : "";
      await unless("NotFound", objects.updateObject(kind(name), placeOf(key), withStatus, { ...options, subresource }));
    },
    async remove(name, key) {
      await unless("NotFound", objects.deleteObject(kind(name), placeOf(key), { user: CONTROLLER }));
    },
    async event({ about, type, reason, message, component }) {
      const { namespace = "default", name = "", uid = "" } = about.metadata;
      const id = `${about.kind} ${namespace}/${name} ${uid} ${reason} ${message}`;
      if (told.has(id)) return;
      told.add(id);
      const time = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
      const suffix = Math.floor(random() * 2 ** 48).toString(16);
      const event = {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: `${name}.${suffix}`, namespace },
        involvedObject: { apiVersion: about.apiVersion, kind: about.kind, namespace, name, uid },
        type,
        reason,
        message,
        source: { component },
        firstTimestamp: time,
        lastTimestamp: time,
        count: 1,
      };
      await objects.createObject(kind("event"), namespace, event, options);
    },
  };
}

/** What came of it; undefined where it failed for the one reason that is fine. */
async function unless<T>(reason: string, action: Promise<T>): Promise<T | undefined> {
  try {
    return await action;
  } catch (error) {
    if (error instanceof StatusError && error.status.reason === reason) return undefined;
    throw error;
  }
}
