// SPDX-License-Identifier: Apache-2.0
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Authority, createAuth, createAuthority, kubeconfig, writeKubeconfig } from "./auth/index.ts";
import { ensureBootstrapped } from "./bootstrap.ts";
import { systemClock } from "./clock.ts";
import { type Controllers, startControllers } from "./controllers.ts";
import { createHandler, type Interceptor } from "./handler.ts";
import { builtInTypes } from "./kinds/index.ts";
import { createRandomness } from "./randomness.ts";
import { createRegistry, type Registry, storagePrefix } from "./registry.ts";
import type { AdmissionFunction, Machinery } from "./rest/machinery.ts";
import type { Objects } from "./rest/objects.ts";
import { createObjects } from "./rest/verbs.ts";
import { type RunningServer, type ServerLimits, startServer } from "./server.ts";
import { openStore } from "./store/index.ts";
import type { Clock, Handler, KubeObject, Store } from "./types.ts";

/** How to start a plane. */
export interface PlaneOptions {
  /** The folder that keeps its objects and keys. Without one everything is gone when the plane stops. */
  readonly dir?: string;
  readonly memory?: boolean;
  /** 127.0.0.1 unless told otherwise. */
  readonly host?: string;
  /** A free one unless told otherwise. */
  readonly port?: number;
  /** Without a server the plane is reached through `handle` alone. */
  readonly listen?: boolean;
  readonly clock?: Clock;
  /** Numbers from 0 up to 1, for ids and generated names. */
  readonly random?: () => number;
  /** Looks at every write before it is validated. */
  readonly admission?: readonly AdmissionFunction[];
  /** Sees every request first. */
  readonly intercept?: Interceptor;
  /** Whether garbage is collected, namespaces are emptied and so on; true unless told otherwise. See `startControllers`. */
  readonly controllers?: boolean;
  /** Told of faults of the plane itself. */
  readonly onFault?: (error: unknown) => void;
  /** How many changes watches can go back. */
  readonly historyLength?: number;
  /** Limits for slow and many clients, where they are not the usual ones. */
  readonly limits?: Partial<ServerLimits>;
}

/** A running plane. */
export interface Plane {
  /** Empty when it does not listen. */
  readonly url: string;
  /** A kubeconfig of its administrator. */
  readonly kubeconfig: string;
  /** Where that is written, where the plane has a folder. */
  readonly kubeconfigPath: string | undefined;
  /** The same handler that serves HTTPS, for callers in this process. */
  readonly handle: Handler;
  /** Certificates and tokens for other users. */
  readonly authority: Authority;
  readonly registry: Registry;
  readonly objects: Objects;
  /** Every object, by its key; of one kind alone where that is named. */
  dump(kind?: string): ReadonlyMap<string, KubeObject>;
  /** Forgets the history of all that was written so far: watches and lists that go back there get 410. */
  compact(): void;
  /** Starts the controllers of a plane that was started without. May be repeated. */
  startControllers(): void;
  /** Resolves when the controllers have nothing left to do. */
  settled(): Promise<void>;
  /** Ends watches and connections, finishes writes, closes the store. May be repeated. */
  stop(): Promise<void>;
}

/** Starts a Kubernetes API server in this process. Throws where the folder is in use, damaged or of a newer version. */
export async function startPlane(options: PlaneOptions = {}): Promise<Plane> {
  const { dir, clock = systemClock, host = "127.0.0.1", onFault = () => {} } = options;
  if (dir !== undefined) mkdirSync(dir, { recursive: true, mode: 0o700 });
  const limits = options.historyLength === undefined ? {} : { historyLength: options.historyLength };
  const store = openStore(dir === undefined ? { memory: true } : { dir }, limits);
  try {
    return await assemble(options, { store, clock, host, onFault });
  } catch (error) {
    await store.close();
    throw error;
  }
}

interface Parts {
  readonly store: Store;
  readonly clock: Clock;
  readonly host: string;
  readonly onFault: (error: unknown) => void;
}

async function assemble(options: PlaneOptions, { store, clock, host, onFault }: Parts): Promise<Plane> {
  const registry = createRegistry(builtInTypes());
  const random = createRandomness(options.random);
  const authority = createAuthority(options.dir);
  const auth = createAuth({ store, clock, authority, newId: random.uid });
  const admission = [auth.admission, ...(options.admission ?? [])];
  const machinery: Machinery = { store, registry, clock, random, admission };
  const objects = createObjects(machinery);
  await ensureBootstrapped(machinery);
  const controllers = startControllers({ store, registry, objects, clock, onFault });
  let address = "";
  const handle = createHandler({
    machinery,
    objects,
    auth,
    intercept: options.intercept,
    onFault,
    serverAddress: () => address,
  });
  try {
    const server = options.listen === false ? undefined : await listen(options, { authority, handle, host, onFault });
    address = server === undefined ? "" : `${host.includes(":") ? `[${host}]` : host}:${server.port}`;
    if (options.controllers !== false) controllers.startManager();
    const running = { store, registry, objects, authority, handle, controllers, server };
    return planeOf(running, { url: address === "" ? "" : `https://${address}`, dir: options.dir });
  } catch (error) {
    await controllers.stop();
    throw error;
  }
}

interface Running {
  readonly store: Store;
  readonly registry: Registry;
  readonly objects: Objects;
  readonly authority: Authority;
  readonly handle: Handler;
  readonly controllers: Controllers;
  readonly server: RunningServer | undefined;
}

function planeOf(running: Running, { url, dir }: { readonly url: string; readonly dir: string | undefined }): Plane {
  const { store, registry, objects, authority, handle, controllers, server } = running;
  const text = () =>
    kubeconfig({ server: url, certificateAuthority: authority.certificate, credentials: authority.admin });
  const kubeconfigPath = dir === undefined ? undefined : join(dir, "kubeconfig");
  if (kubeconfigPath !== undefined) writeKubeconfig(kubeconfigPath, text());
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    await server?.stop();
    await controllers.stop();
    await store.close();
  };
  return {
    url,
    get kubeconfig() {
      return text();
    },
    kubeconfigPath,
    handle,
    authority,
    registry,
    objects,
    dump: (kind) => dumpOf(store, registry, kind),
    compact: () => store.compact(store.revision),
    startControllers: controllers.startManager,
    settled: controllers.settled,
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}

function listen(
  options: PlaneOptions,
  { authority, handle, host, onFault }: { authority: Authority; handle: Handler } & Pick<Parts, "host" | "onFault">,
) {
  const hosts = [...new Set(["127.0.0.1", "localhost", ...(host === "0.0.0.0" || host === "::" ? [] : [host])])];
  const { certificate, key } = authority.serving(hosts);
  const ca = authority.certificate;
  return startServer({ host, port: options.port ?? 0, ca, certificate, key, handle, onFault, limits: options.limits });
}

function dumpOf(store: Store, registry: Registry, kind: string | undefined): ReadonlyMap<string, KubeObject> {
  const types = registry.resources().filter((type) => kind === undefined || type.kind === kind);
  const entries = types.flatMap((type) => store.list(storagePrefix(type)));
  return new Map(entries.map(({ key, object }) => [key, object]));
}
