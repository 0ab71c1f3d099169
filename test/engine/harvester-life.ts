// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { type MachineRequest, machineRequest } from "../../src/api/index.ts";
import { fixedRandom, type Run, raiseStage, type Stage, type StageOptions } from "../../src/engine/testing/stage.ts";
import {
  type Client,
  createClient,
  event,
  type HandlerTransport,
  loadKubeconfig,
  type MergePatch,
} from "../../src/kube/index.ts";
import { type HarvesterSimulation, harvesterSimulator } from "../../src/providers/harvester/simulator.ts";
import { providers } from "../../src/providers/index.ts";

/** A plane, a simulated Harvester and an engine between them, on one clock that stands still. */
export interface HarvesterLife extends Stage {
  readonly sim: HarvesterSimulation;
  /** Who may do everything on Harvester. */
  readonly harvester: Client;
  readonly run: Stage["run"];
  readonly manager: Run;
  /** Goes on until this holds of the request, for at most so many minutes of the clock; resolves to it. */
  when(
    name: string,
    what: string,
    holds: (request: MachineRequest) => boolean,
    minutes?: number,
  ): Promise<MachineRequest>;
  /** Goes on until the request is in this phase. */
  phase(name: string, phase: string, minutes?: number): Promise<MachineRequest>;
  gone(name: string): Promise<void>;
  edit(name: string, patch: MergePatch<MachineRequest>): Promise<MachineRequest>;
  remove(name: string): Promise<void>;
  /** The events about the request, as `Warning VMLost: note`, oldest first. */
  events(name: string): Promise<readonly string[]>;
}

const NAMESPACE = "butler-system";

/** How a stage is raised. */
export interface LifeOptions extends StageOptions {
  /** Keys of the credentials Secret; left out, those that work. */
  readonly secret?: Readonly<Record<string, string>>;
  /** What differs in the ProviderConfig's spec; undefined where there is to be none. */
  readonly config?: object | undefined;
}

/** Plays on a fresh stage with a Secret `credentials` and a ProviderConfig `prod` that work, and clears it whatever comes of it. */
export async function onHarvesterLife(
  play: (life: HarvesterLife) => Promise<void>,
  options: LifeOptions = {},
): Promise<void> {
  const life = await raise(options);
  try {
    await play(life);
  } finally {
    await life.stop();
  }
}

const NO_WAY: Readonly<Record<string, string>> = {
  unknown: "getaddrinfo ENOTFOUND harvester.invalid",
  closed: "connect ECONNREFUSED 127.0.0.1:1",
};

/** The way to the simulator. Requests in the process do not say which server they are for: tokens that end so stand for others. */
function wayTo({ transport }: HarvesterSimulation): HandlerTransport {
  return async (request) => {
    const server = request.headers.authorization?.split("@")[1] ?? "";
    const message = NO_WAY[server];
    if (message !== undefined) throw Object.assign(new Error(message), { code: message.split(" ")[1] });
    if (server === "website")
      return { status: 200, headers: { "content-type": "text/html" }, body: "<html>Welcome</html>" };
    return await transport(request);
  };
}

async function raise({ secret, config = {}, ...options }: LifeOptions): Promise<HarvesterLife> {
  const stage = await raiseStage(providers, options);
  const { clock } = stage;
  const sim = await harvesterSimulator.start({ clock, random: fixedRandom(5), listens: false });
  const harvester = createClient(loadKubeconfig({ text: sim.adminKubeconfig }), { clock, transport: sim.transport });
  await stage.secret({ ...(secret ?? sim.secret) });
  await stage.config({ harvester: sim.settings, ...config });
  const manager = stage.run("harvester", { transport: wayTo(sim) });
  const key = (name: string) => ({ namespace: NAMESPACE, name });
  const until = async (what: string, holds: () => Promise<boolean>, minutes: number) => {
    const deadline = clock.monotonic() + minutes * 60_000;
    while (!(await holds())) {
      if (clock.monotonic() > deadline) throw new Error(`${what}: not within ${minutes} minutes`);
      for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      await clock.advance(500);
    }
  };
  const life: HarvesterLife = {
    ...stage,
    sim,
    harvester,
    manager,
    async when(name, what, holds, minutes = 5) {
      let last: MachineRequest | undefined;
      const look = async () => {
        last = await stage.requestNow(name);
        return last !== undefined && holds(last);
      };
      try {
        await until(`${name}: ${what}`, look, minutes);
      } catch (error) {
        throw new Error(`${error}\n${JSON.stringify(last?.status, null, 1)}\n${stage.lines.slice(-20).join("")}`);
      }
      assert.ok(last);
      return last;
    },
    phase: (name, phase, minutes) =>
      life.when(name, `phase ${phase}`, ({ status }) => status?.phase === phase, minutes),
    gone: (name) => until(`${name} gone`, async () => (await stage.requestNow(name)) === undefined, 10),
    edit: (name, patch) => stage.client.mergePatch<MachineRequest>(machineRequest, key(name), patch),
    async remove(name) {
      await stage.client.delete(machineRequest, key(name));
    },
    async events(name) {
      await stage.settle(1_000);
      const { items } = await stage.client.list(event);
      return items
        .filter(({ regarding }) => regarding?.kind === "MachineRequest" && regarding.name === name)
        .sort((left, right) => Number(left.metadata.resourceVersion) - Number(right.metadata.resourceVersion))
        .map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
    },
    async stop() {
      await harvester.close();
      await manager.stop();
      await sim.stop();
      await stage.stop();
    },
  };
  return life;
}
