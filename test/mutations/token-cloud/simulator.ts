// SPDX-License-Identifier: Apache-2.0
import type {
  Fault,
  RunningSimulator,
  SimulatedRequest,
  SimulatorOptions,
} from "../../../src/engine/testing/simulator.ts";
import type { HandlerResponse, HandlerTransport } from "../../../src/kube/index.ts";
import { type CloudMachine, type CloudWish, LAG_MS } from "./wire.ts";

interface Standing {
  machine: CloudMachine;
  readonly bornAt: number;
}

const BOOT_MS = 20_000;
const GOING_MS = 5_000;
const SETTINGS = {};
const SECRET = { key: "token-cloud-key-8e1f0c77b2d94a6d" };

/**
 * Simulates a cloud that makes a machine for every token it does not know, whatever its name, and shows it in lists only a while later.
 * It knows tokens for ever.
 */
export const tokenSimulator = {
  name: "tokens",
  async start({ clock }: SimulatorOptions): Promise<RunningSimulator> {
    const standing = new Map<string, Standing>();
    const byToken = new Map<string, CloudMachine>();
    const requests: SimulatedRequest[] = [];
    const faults = new Set<{ readonly fault: Fault; left: number }>();
    let ids = 0;
    const change = (id: string, next: Partial<CloudMachine>) => {
      const known = standing.get(id);
      if (known !== undefined) known.machine = { ...known.machine, ...next };
    };
    const make = (wish: Omit<CloudWish, "token" | "mark"> & Pick<CloudMachine, "mark">) => {
      ids += 1;
      const id = `m-${ids}`;
      const { name, mark, labels, cpu, memoryMb } = wish;
      const machine: CloudMachine = { id, name, mark, labels, cpu, memoryMb, state: "pending", addresses: [] };
      standing.set(id, { machine, bornAt: clock.monotonic() });
      clock.after(BOOT_MS, () => {
        if (standing.get(id)?.machine.state === "pending")
          change(id, { state: "running", addresses: [`127.1.0.${id.slice(2)}`] });
      });
      return machine;
    };
    const remove = (id: string) => {
      change(id, { state: "deleting" });
      clock.after(GOING_MS, () => void standing.delete(id));
    };
    const serve: Readonly<Record<string, (id: string, body: string) => unknown>> = {
      GET: () =>
        [...standing.values()]
          .filter(({ bornAt }) => clock.monotonic() - bornAt >= LAG_MS)
          .map(({ machine }) => machine),
      POST(_, body) {
        const wish: CloudWish = JSON.parse(body);
        const known = byToken.get(wish.token);
        if (known !== undefined) return standing.get(known.id)?.machine ?? { ...known, state: "deleting" };
        const machine = make(wish);
        byToken.set(wish.token, machine);
        return machine;
      },
      PUT(id, body) {
        change(id, { labels: JSON.parse(body) });
        return standing.get(id)?.machine;
      },
      DELETE(id) {
        if (!standing.has(id)) return undefined;
        remove(id);
        return {};
      },
    };
    const transport: HandlerTransport = async ({ method, path, body, headers }) => {
      const [, , id = ""] = path.split("/");
      requests.push({ method, path, isWrite: method !== "GET" });
      const [hit] = faults;
      if (hit !== undefined) {
        hit.left -= 1;
        if (hit.left <= 0) faults.delete(hit);
        return refused(hit.fault);
      }
      if (headers.authorization !== `Bearer ${SECRET.key}`) return answer(401, "who is this?");
      const made = serve[method]?.(id, body === undefined ? "" : new TextDecoder().decode(body));
      return made === undefined ? answer(404, "no such thing") : answer(200, JSON.stringify(made));
    };
    const idOf = (name: string) =>
      [...standing.values()].find(({ machine }) => machine.name === name)?.machine.id ?? "";
    const state = () => new Map([...standing].map(([id, { machine }]) => [`machine ${id}`, JSON.stringify(machine)]));
    return {
      url: "",
      settings: SETTINGS,
      secret: SECRET,
      badAccess: { settings: SETTINGS, secret: { key: "wrong" } },
      transport,
      state,
      leftovers: () => [...state().keys()],
      machines: () =>
        [...standing.values()].map(({ machine: { id, name, state: is, addresses, cpu, memoryMb } }) => ({
          name,
          id,
          addresses,
          cpu,
          memoryMb,
          isRunning: is === "running",
          isDeleting: is === "deleting",
        })),
      requests: () => requests,
      inject(fault) {
        const hit = { fault, left: fault.times ?? Infinity };
        faults.add(hit);
        return () => void faults.delete(hit);
      },
      async addStranger(name) {
        make({ name, mark: undefined, labels: {}, cpu: 1, memoryMb: 1024 });
      },
      removeMachine: async (name) => remove(idOf(name)),
      stopMachine: async (name) => change(idOf(name), { state: "stopped" }),
      setExhausted() {},
      setPageSize() {},
      async settled() {},
      async stop() {},
    };
  },
};

function answer(status: number, body: string, headers: Readonly<Record<string, string>> = {}): HandlerResponse {
  return { status, headers, body };
}

/** Other faults are the sweep's own. */
function refused({ effect }: Fault): HandlerResponse {
  if (effect.type !== "refuse") throw new Error(`the token cloud cannot ${effect.type}`);
  const { status, retryAfterSeconds } = effect;
  return answer(status, "refused", retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) });
}
