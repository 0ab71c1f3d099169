// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { type MachineRequest, machineRequest } from "../../api/index.ts";
import { event, LostLeadershipError, type MergePatch } from "../../kube/index.ts";
import { ANNOTATIONS } from "../identity.ts";
import { type PlainCloud, type PlainOptions, plainCloud } from "./plain-provider.ts";
import { type Run, raiseStage, type Stage } from "./stage.ts";

/** One ProviderConfig on a plain infrastructure, a manager that runs, and what a test asks again and again. */
export interface LifeStage extends Stage {
  readonly cloud: PlainCloud;
  /** The manager under way. */
  manager: Run;
  /** Goes on until the request is in this phase; resolves to it. */
  phase(name: string, phase: string): Promise<MachineRequest>;
  /** Goes on until this holds of the request; resolves to it. */
  when(name: string, what: string, holds: (request: MachineRequest) => boolean): Promise<MachineRequest>;
  /** The request, which must be there. */
  read(name: string): Promise<MachineRequest>;
  gone(name: string): Promise<void>;
  edit(name: string, patch: MergePatch<MachineRequest>): Promise<MachineRequest>;
  annotate(name: string, annotations: Readonly<Record<string, string | null>>): Promise<MachineRequest>;
  remove(name: string): Promise<void>;
  /** Makes a request and goes on until its machine runs. */
  grow(name: string, address?: string): Promise<MachineRequest>;
  /** Every event, as `reason: note`, in the order of their making. */
  events(): Promise<readonly string[]>;
  /** Writes to MachineRequests since the last call: `PATCH`, `PUT status`. */
  machineWrites(): readonly string[];
  /** Another manager takes over from one that has stopped: nothing in memory is left. */
  restart(): Promise<void>;
  /** Another manager takes over from one that was killed: it writes nothing any more, what it has sent is on its way. */
  kill(): void;
}

const NAMESPACE = "butler-system";

/** Raises one. Stop it at the end of the test. */
export async function raiseLifeStage(options: PlainOptions = {}): Promise<LifeStage> {
  const cloud = plainCloud({ ...options, clock: () => stage.clock });
  const stage = await raiseStage([cloud.entry]);
  await stage.secret();
  await stage.config();
  let isKilled = { now: false };
  const startManager = () => {
    const own = { now: false };
    isKilled = own;
    const gate = () => {
      if (own.now) throw new LostLeadershipError("killed");
    };
    return stage.run(cloud.provider.name, { client: stage.client.withGate(gate) });
  };
  const manager = startManager();
  const read = async (name: string) => {
    const request = await stage.requestNow(name);
    assert.ok(request, `MachineRequest "${name}" is gone`);
    return request;
  };
  const key = (name: string) => ({ namespace: NAMESPACE, name });
  const life: LifeStage = {
    ...stage,
    cloud,
    manager,
    read,
    phase: (name, phase) => life.when(name, `phase ${phase}`, ({ status }) => status?.phase === phase),
    async when(name, what, holds) {
      let last: MachineRequest | undefined;
      try {
        await stage.until(what, async () => {
          last = await stage.requestNow(name);
          return last !== undefined && holds(last);
        });
      } catch (error) {
        throw new Error(`${error}\n${JSON.stringify(last?.status, null, 1)}\ncalls: ${cloud.calls.join(", ")}`);
      }
      return await read(name);
    },
    gone: (name) => stage.until(`${name} gone`, async () => (await stage.requestNow(name)) === undefined),
    edit: (name, patch) => stage.client.mergePatch<MachineRequest>(machineRequest, key(name), patch),
    annotate: (name, annotations) => stage.client.mergePatch(machineRequest, key(name), { metadata: { annotations } }),
    async remove(name) {
      await stage.client.delete(machineRequest, key(name));
    },
    async grow(name, address = "127.0.0.5") {
      await stage.request(name);
      await life.phase(name, "Creating");
      cloud.boot(name, address);
      return await life.phase(name, "Running");
    },
    async events() {
      await stage.settle();
      const { items } = await stage.client.list(event);
      return items
        .filter(({ regarding }) => regarding?.kind === "MachineRequest")
        .sort((left, right) => Number(left.metadata.resourceVersion) - Number(right.metadata.resourceVersion))
        .map(({ reason, note }) => `${reason}: ${note}`);
    },
    machineWrites() {
      const own = stage.writes.splice(0).filter((write) => write.includes("/machinerequests/"));
      return own.map((write) => `${write.split(" ")[0]}${write.endsWith("/status") ? " status" : ""}`);
    },
    async restart() {
      await life.manager.stop();
      life.manager = startManager();
    },
    kill() {
      isKilled.now = true;
      void life.manager.stop();
      life.manager = startManager();
    },
  };
  await stage.settle(1_000);
  stage.writes.length = 0;
  return life;
}

/** What the request's conditions say, as `Ready=True VMRunning`. */
export function conditions({ status }: MachineRequest): readonly string[] {
  return (status?.conditions ?? []).map(({ type, status: holds, reason }) => `${type}=${holds} ${reason}`);
}

/** One annotation of ours. */
export function annotation({ metadata }: MachineRequest, name: keyof typeof ANNOTATIONS): string | undefined {
  return metadata.annotations?.[ANNOTATIONS[name]];
}
