// SPDX-License-Identifier: Apache-2.0
import type { SimulatedAccess } from "../../../engine/testing/simulator.ts";
import { type RunningServer, startServer } from "../../../plane/server.ts";
import type { Handler } from "../../../plane/types.ts";
import { type Account, createTokens } from "./access.ts";
import { type Assembly, assemble } from "./assemble.ts";
import { createFront, type Front } from "./front.ts";
import { imageClass, storageClassName, tellImage } from "./images.ts";
import { machinesOf, strangerMachine } from "./machines.ts";
import { type OwnClock, ownClock } from "./own-clock.ts";
import { textAt } from "./read.ts";
import { DEFAULTS, RELEASES, seeds } from "./seeds.ts";
import { stateKeys, stateOf } from "./state.ts";
import { createStrings } from "./strings.ts";
import type { HarvesterOptions, HarvesterSimulation } from "./types.ts";

const HOST = "127.0.0.1";
const NOWHERE = "https://harvester.invalid:6443";
const HOUR_MS = 3_600_000;

/** Starts a simulated Harvester with a network, storage classes and one imported image. */
export async function startHarvester(given: HarvesterOptions): Promise<HarvesterSimulation> {
  const clock = ownClock(given.clock);
  const options = { ...given, clock };
  const assembly = await assemble(options);
  let server: RunningServer | undefined;
  try {
    await sow(assembly);
    let front: Front | undefined;
    const handle: Handler = (request) => (front === undefined ? assembly.plane.handle(request) : front.handle(request));
    server = options.listens ? await listen(assembly, handle, options.port) : undefined;
    const url = server === undefined ? "" : `https://${HOST}:${server.port}`;
    const tokens = createTokens({
      clock: options.clock,
      random: options.random,
      server: url === "" ? NOWHERE : url,
      certificateAuthority: () => (url === "" ? "" : assembly.plane.authority.certificate),
    });
    const { kubernetes } = RELEASES[assembly.world.version];
    const newId = () => uuid(options.random);
    front = createFront({
      clock: options.clock,
      tokens,
      plane: assembly.plane.handle,
      isUp: () => assembly.world.knobs.isApiUp,
      newId,
      kubernetes,
      // Everything is to happen at once: what thousands of writes set off must not pile up behind their answers.
      untilReady: options.pace === 0 ? assembly.world.queue.idle : undefined,
    });
    return simulationOf({ assembly, clock, front, tokens, server, url });
  } catch (error) {
    clock.stop();
    await server?.stop();
    await assembly.stop();
    throw error;
  }
}

/** What is there from the start. */
async function sow({ world, settled }: Assembly): Promise<void> {
  await Promise.all(seeds(world.version).map(({ kind, object }) => world.create(kind, object)));
  await importAtOnce(world);
  await settled();
}

/** The first image is there already; its import lies in the past. */
async function importAtOnce(world: Assembly["world"]): Promise<void> {
  const [namespace = "", name = ""] = DEFAULTS.imageName.split("/");
  const image = await world.create("image", {
    apiVersion: "harvesterhci.io/v1beta1",
    kind: "VirtualMachineImage",
    metadata: { namespace, name, labels: { "harvesterhci.io/imageDisplayName": DEFAULTS.imageDisplayName } },
    spec: {
      displayName: DEFAULTS.imageDisplayName,
      sourceType: "download",
      url: "https://github.com/siderolabs/talos/releases/download/v1.9.2/metal-amd64.raw.xz",
    },
    status: { conditions: [{ type: "Initialized", status: "True", reason: "Initialized" }] },
  });
  if (image === undefined) return;
  await world.create("storageClass", imageClass(world.version, image));
  await tellImage(world, DEFAULTS.imageName, {
    progress: 100,
    storageClassName: storageClassName(world.version, image),
    told: [{ type: "Imported", status: "True", reason: "Imported" }],
  });
}

function listen({ plane }: Assembly, handle: Handler, port = 0): Promise<RunningServer> {
  const { certificate, key } = plane.authority.serving([HOST, "localhost"]);
  const ca = plane.authority.certificate;
  return startServer({ host: HOST, port, ca, certificate, key, handle, onFault: () => {} });
}

interface Parts {
  readonly assembly: Assembly;
  readonly clock: OwnClock;
  readonly front: Front;
  readonly tokens: ReturnType<typeof createTokens>;
  readonly server: RunningServer | undefined;
  readonly url: string;
}

function simulationOf({ assembly, clock, front, tokens, server, url }: Parts): HarvesterSimulation {
  const { plane, world } = assembly;
  const { namespace, networkName, imageName } = DEFAULTS;
  const settings = { namespace, networkName, imageName };
  const access = (account: Account, livesMs?: number): SimulatedAccess => ({
    settings,
    secret: { kubeconfig: tokens.issue(account, livesMs === undefined ? {} : { livesMs }) },
  });
  const keys = () => stateKeys(plane.dump().values());
  const first = new Set(keys());
  const strings = createStrings(assembly, front);
  let stopping: Promise<void> | undefined;
  return {
    ...access("butler"),
    ...strings,
    version: world.version,
    url,
    transport: front.handle,
    plane,
    badAccess: access("butler", -HOUR_MS),
    basicAccess: access("butler-basic"),
    get adminKubeconfig() {
      return tokens.issue("admin");
    },
    state: () => stateOf(plane.dump().values()),
    leftovers: () => keys().filter((key) => !first.has(key)),
    machines: () => machinesOf(world, [...plane.dump("VirtualMachine").values()]),
    requests: () => front.requests,
    inject: (fault) => front.faults.inject(fault),
    async addStranger(name) {
      const storageClass = textAt(world.get("image", imageName), "status", "storageClassName");
      await world.create("vm", strangerMachine(name, { storageClass, imageId: imageName, network: networkName }));
    },
    removeMachine: (name) => world.remove("vm", `${namespace}/${name}`),
    async stopMachine(name) {
      await world.update("vm", `${namespace}/${name}`, (vm) => {
        const { running: _, ...spec } = Object(vm.spec);
        return { ...vm, spec: { ...spec, runStrategy: "Halted" } };
      });
    },
    setExhausted: (isExhausted) => strings.setRoom(!isExhausted),
    setPageSize(size) {
      front.pageSize = size;
    },
    expireCredentials: () => tokens.expireAll(),
    renewCredentials: ({ livesMs, isBasic = false } = {}) => access(isBasic ? "butler-basic" : "butler", livesMs),
    get watches() {
      return front.watches.count;
    },
    async settled() {
      await front.answered();
      await assembly.settled();
    },
    stop() {
      stopping ??= (async () => {
        clock.stop();
        front.watches.cut("end");
        await server?.stop();
        await assembly.stop();
      })();
      return stopping;
    },
  };
}

function uuid(random: () => number): string {
  const hex = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
