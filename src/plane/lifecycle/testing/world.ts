// SPDX-License-Identifier: Apache-2.0
import type { TestContext } from "node:test";
import { type LocalServer, localServer } from "../../kinds/testing/local-server.ts";
import type { DeleteOptions } from "../../rest/objects.ts";
import type { KubeObject, OwnerReference } from "../../types.ts";
import { type Lifecycle, startLifecycle } from "../index.ts";
import { type ManualClock, manualClock } from "./manual-clock.ts";

/** A server with its controllers, and short words for what tests do with it. Everything is in `default` unless told. */
export interface World {
  readonly server: LocalServer;
  readonly clock: ManualClock;
  readonly faults: unknown[];
  create(
    resource: string,
    name: string,
    more?: Partial<Metadata> & { body?: Record<string, unknown> },
  ): Promise<KubeObject>;
  get(resource: string, name: string, namespace?: string): KubeObject | undefined;
  /** Names of what is there, sorted. */
  names(resource: string, namespace?: string): string[];
  remove(resource: string, name: string, options?: DeleteOptions & { namespace?: string }): Promise<void>;
  change(resource: string, name: string, next: (object: KubeObject) => KubeObject): Promise<void>;
  /** Waits until nothing is left to do. */
  settled(): Promise<void>;
  /** Starts the controllers, where they were not started with the world. */
  start(): void;
}

interface Metadata {
  readonly namespace: string;
  readonly finalizers: readonly string[];
  readonly owners: readonly OwnerReference[];
  readonly labels: Readonly<Record<string, string>>;
}

/** Makes a world that ends with the test. */
export async function world(t: TestContext, { isStarted = true }: { isStarted?: boolean } = {}): Promise<World> {
  const clock = manualClock();
  const server = await localServer(clock);
  const faults: unknown[] = [];
  let lifecycle: Lifecycle | undefined;
  const start = () => {
    lifecycle = startLifecycle({ ...server, clock, onFault: (error) => faults.push(error) });
  };
  if (isStarted) start();
  t.after(async () => {
    await lifecycle?.stop();
    await server.stop();
  });
  const { objects, store } = server;
  const spaceOf = (resource: string, namespace: string) => (server.type(resource).namespaced ? namespace : "");
  return {
    server,
    clock,
    faults,
    start,
    async create(resource, name, { namespace = "default", finalizers, owners, labels, body = {} } = {}) {
      const type = server.type(resource);
      const space = spaceOf(resource, namespace);
      const metadata = {
        name,
        ...(finalizers === undefined ? {} : { finalizers }),
        ...(owners === undefined ? {} : { ownerReferences: owners }),
        ...(labels === undefined ? {} : { labels }),
      };
      const apiVersion = type.group === "" ? type.version : `${type.group}/${type.version}`;
      return (await objects.createObject(type, space, { apiVersion, kind: type.kind, ...body, metadata })).object;
    },
    get: (resource, name, namespace = "default") =>
      objects.get(server.type(resource), { namespace: spaceOf(resource, namespace), name }),
    names(resource, namespace = "default") {
      const { group, plural } = server.type(resource);
      const space = spaceOf(resource, namespace);
      return store.list(`${group}/${plural}/${space}/`).map(({ object }) => object.metadata.name ?? "");
    },
    async remove(resource, name, { namespace = "default", ...options } = {}) {
      await objects.deleteObject(server.type(resource), { namespace: spaceOf(resource, namespace), name }, options);
    },
    async change(resource, name, next) {
      await objects.updateObject(server.type(resource), { namespace: spaceOf(resource, "default"), name }, next);
    },
    async settled() {
      await server.settled();
      await lifecycle?.settled();
    },
  };
}

/** A reference to an owner. */
export function owner(object: KubeObject, more: Partial<OwnerReference> = {}): OwnerReference {
  const { name = "", uid = "" } = object.metadata;
  return { apiVersion: object.apiVersion, kind: object.kind, name, uid, ...more };
}
