// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import { type Clock, sleep } from "../../kube/index.ts";
import type { Call } from "../call.ts";
import { defineProvider } from "../define-provider.ts";
import type { MachineHave, Machines, MachineWant, Provider, Sighting } from "../provider.ts";
import type { ProviderEntry } from "../provider-entry.ts";
import { ProviderError, type ProviderErrorParts } from "../provider-error.ts";

/** A verb that goes to the infrastructure. */
export type PlainVerb = "create" | "delete" | "find" | "list" | "watch";

/**
 * How a call goes wrong. `error`: it throws, and nothing happens. `after`: it happens, then it throws. `hang`: nothing happens and it
 * ends with its signal alone. `lateMs`: it throws as `unavailable`, and happens so much later.
 */
export interface PlainFault {
  readonly on: PlainVerb;
  /** How often; until it is taken back where left out. */
  readonly times?: number;
  readonly error?: ProviderErrorParts | Error;
  readonly isAfter?: boolean;
  readonly hangs?: boolean;
  readonly lateMs?: number;
}

/** An infrastructure that is no more than a list of machines, and the strings to pull behind it. */
export interface PlainCloud {
  readonly provider: Provider;
  readonly entry: ProviderEntry;
  /** How many connections were opened. */
  opened: number;
  /** Every call so far: `create web-1`, `list`. */
  readonly calls: string[];
  /** Everything there is, by name, elsewhere than at the usual place as `web-1 at harvester other`; strangers have no mark of this installation. */
  readonly machines: Map<string, MachineHave>;
  /** What is left of machines that are gone: their disks, by name. */
  readonly disks: Map<string, MachineHave>;
  /** The most machines that ever stood at once for one machine id, which must never be two. */
  readonly mostPerId: () => number;
  /** What `validate` finds. */
  problems: (want: MachineWant) => readonly string[];
  /** What a created machine is like at once; `pending` without an address unless told otherwise. */
  newborn: Partial<MachineHave>;
  /** Whether the answer to create shows the machine. */
  showsCreated: boolean;
  /** Whether a delete only begins, until `finish`. */
  deletesSlowly: boolean;
  /** Whether a deleted machine leaves its disk behind, for a second delete to remove. */
  leavesDisks: boolean;
  inject(fault: PlainFault): () => void;
  /** Changes a machine behind everybody's back. */
  change(name: string, change: Partial<MachineHave>): void;
  /** It runs and has this address. */
  boot(name: string, ...addresses: string[]): void;
  /** Ends a slow delete, or removes the machine behind our back. */
  vanish(name: string): void;
  addStranger(name: string, mark?: MachineHave["mark"]): void;
}

/** How to make one. */
export interface PlainOptions {
  /** As a provider; `harvester` unless told otherwise. */
  readonly name?: string;
  readonly watches?: boolean;
  /** For so long a new machine is neither found nor listed. */
  readonly visibilityLagMs?: number;
  /** For faults that come late, and for the lag. */
  readonly clock?: () => Clock;
}

interface Login {
  readonly installation: string;
  readonly place: string;
}

const STRANGE = { machineId: "", installation: "somebody else's", attempt: 1, launch: "", owner: "their/own" };

/** Makes an empty infrastructure. */
export function plainCloud({
  name = "harvester",
  watches = false,
  visibilityLagMs = 0,
  clock,
}: PlainOptions = {}): PlainCloud {
  const faults = new Set<{ fault: PlainFault; left: number }>();
  const listeners = new Set<(sighting: Sighting, key: string) => void>();
  let ids = 0;
  let most = 0;
  const tellOf = (have: MachineHave, key: string) => {
    const standing = [...cloud.machines.values()].filter(({ mark }) => mark.machineId === have.mark.machineId);
    most = Math.max(most, have.mark.machineId === "" ? 0 : standing.length);
    for (const tell of [...listeners]) tell({ type: "machine", have }, key);
  };
  const tellGone = ({ name: gone, mark }: MachineHave, key: string) => {
    const remains = cloud.disks.get(key);
    if (remains !== undefined) return tellOf(remains, key);
    for (const tell of [...listeners]) tell({ type: "gone", machineId: mark.machineId, name: gone }, key);
  };
  const isOurs = (have: MachineHave | undefined, { machineId, installation, owner }: MachineHave["mark"]) =>
    have?.mark.machineId === machineId && have.mark.installation === installation && have.mark.owner === owner;
  const bornAt = new Map<string, number>();
  const isVisible = ({ providerId }: MachineHave) => {
    const born = bornAt.get(providerId ?? "");
    // The two scales of a clock differ by fractions of a millisecond.
    return born === undefined || clock === undefined || clock().monotonic() - born >= visibilityLagMs - 1;
  };
  const usualPlace = `${name} default`;
  const keyAt = (place: string, machine: string) => (place === usualPlace ? machine : `${machine} at ${place}`);
  const standingAt = (place: string) =>
    [...cloud.machines]
      .filter(([key, have]) => key === keyAt(place, have.name) && isVisible(have))
      .map(([, have]) => have);
  const everything = ({ installation, place }: Login) => {
    const left = [...cloud.disks.values()].filter((disk) => !cloud.machines.has(keyAt(place, disk.name)));
    return [...standingAt(place), ...left].filter(({ mark }) => mark.installation === installation);
  };

  const acts = {
    create({ name: wanted, mark, labels, existing }: MachineWant, { place }: Login): MachineHave | undefined {
      const there = cloud.machines.get(keyAt(place, wanted));
      if (existing !== undefined && there?.providerId !== existing) return undefined;
      if (there !== undefined && !isOurs(there, mark))
        throw new ProviderError({
          kind: "invalid",
          reason: "NameConflict",
          message: `create machine "${wanted}": the name is taken by machine "${wanted}"`,
        });
      ids += there === undefined ? 1 : 0;
      const fresh: MachineHave = {
        name: wanted,
        mark,
        providerId: `id-${ids}`,
        state: "pending",
        addresses: [],
        labels,
        ...cloud.newborn,
      };
      if (there === undefined && clock !== undefined) bornAt.set(`id-${ids}`, clock().monotonic());
      const have = there === undefined ? fresh : { ...there, labels };
      cloud.machines.set(keyAt(place, wanted), have);
      tellOf(have, keyAt(place, wanted));
      return have;
    },
    delete({ name: doomed, mark }: MachineHave, { place }: Login) {
      const have = cloud.machines.get(keyAt(place, doomed));
      if (have !== undefined && isOurs(have, mark)) {
        if (cloud.deletesSlowly) cloud.change(keyAt(place, doomed), { state: "deleting" });
        else cloud.vanish(keyAt(place, doomed));
        return;
      }
      const disk = cloud.disks.get(doomed);
      if (disk === undefined || !isOurs(disk, mark)) return;
      cloud.disks.delete(doomed);
      tellGone(disk, doomed);
    },
  };

  /** One call, with whatever was injected for it. */
  const send = <T>(call: Call, { verb, about }: { verb: PlainVerb; about: string }, act: () => T): Promise<T> =>
    call.outside(`${verb} machine`, async () => {
      cloud.calls.push(about === "" ? verb : `${verb} ${about}`);
      const hit = [...faults].find(({ fault }) => fault.on === verb);
      if (hit === undefined) return act();
      hit.left -= 1;
      if (hit.left <= 0) faults.delete(hit);
      const { error, isAfter, hangs, lateMs } = hit.fault;
      if (hangs) await untilAborted(call.signal);
      if (lateMs !== undefined && clock !== undefined) {
        void sleep(clock(), lateMs).then(act, () => {});
        throw toError({ kind: "unavailable", reason: "ConnectionLost", message: `${verb}: the connection broke` });
      }
      if (isAfter) act();
      throw toError(
        error ?? { kind: "unavailable", reason: "ConnectionLost", message: `${verb}: the connection broke` },
      );
    });

  const connectionFor = (login: Login): Machines => ({
    validate: (want) => cloud.problems(want),
    check: async () => ({ findings: [] }),
    list: (call) => send(call, { verb: "list", about: "" }, () => everything(login)),
    find: ({ name: sought, mark }, call) =>
      send(call, { verb: "find", about: sought }, () => {
        const visible = standingAt(login.place);
        const byId = [...visible, ...cloud.disks.values()].find((have) => isOurs(have, mark));
        const copied = visible.find(({ mark: other }) => other.machineId === mark.machineId);
        const named = visible.find((have) => have.name === sought);
        const other = [named, copied].find((each) => each !== undefined && !isOurs(each, mark));
        const isMarked = other?.mark.machineId !== "";
        const id = other?.providerId === undefined ? {} : { providerId: other.providerId };
        return {
          ...(byId === undefined ? {} : { have: byId }),
          ...(other === undefined
            ? {}
            : { stranger: { what: `machine "${other.name}"`, ...(isMarked ? { mark: other.mark } : {}), ...id } }),
        };
      }),
    create: (want, call) =>
      send(call, { verb: "create", about: want.name }, () => {
        const have = acts.create(want, login);
        if (have === undefined) return {};
        return cloud.showsCreated || want.existing !== undefined
          ? { have }
          : { operation: { id: `task-${want.name}` } };
      }),
    delete: (have, call) =>
      send(call, { verb: "delete", about: have.name }, () => {
        acts.delete(have, login);
        return undefined;
      }),
    ...(watches ? { watch: (call: Call) => watchMachines(call, login) } : {}),
  });
  async function* watchMachines(call: Call, login: Login): AsyncGenerator<Sighting> {
    const waiting: Sighting[] = [];
    let wake = () => {};
    const listen = (sighting: Sighting, key: string) => {
      const { name: machine } =
        sighting.type === "machine" ? sighting.have : sighting.type === "gone" ? sighting : { name: "" };
      if (key !== keyAt(login.place, machine)) return;
      waiting.push(sighting);
      wake();
    };
    await send(call, { verb: "watch", about: "" }, () => {
      for (const have of everything(login)) waiting.push({ type: "machine", have });
      waiting.push({ type: "all-told" });
      listeners.add(listen);
    });
    try {
      while (!call.signal.aborted) {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) yield next;
        await new Promise<void>((resolve) => {
          wake = resolve;
          call.signal.addEventListener("abort", () => resolve(), { once: true });
        });
      }
    } finally {
      listeners.delete(listen);
    }
  }

  const block = {
    name,
    title: name,
    networking: "pools",
    settings: z.object({ namespace: z.string().default("default") }),
    overrides: z.object({}),
    secretKeys: [{ required: { kubeconfig: "A kubeconfig." } }],
  } as const;
  const provider = defineProvider({
    block,
    visibilityLagMs,
    async connect({ settings, installation }) {
      cloud.opened += 1;
      const place = `${name} ${settings.namespace}`;
      return { place, machines: connectionFor({ installation, place }), async close() {} };
    },
  });
  const cloud: PlainCloud = {
    provider,
    entry: { ...block, load: async () => ({ provider }) },
    opened: 0,
    calls: [],
    machines: new Map(),
    disks: new Map(),
    mostPerId: () => most,
    problems: () => [],
    newborn: {},
    showsCreated: true,
    deletesSlowly: false,
    leavesDisks: false,
    inject(fault) {
      const hit = { fault, left: fault.times ?? Infinity };
      faults.add(hit);
      return () => void faults.delete(hit);
    },
    change(changed, change) {
      const have = cloud.machines.get(changed);
      if (have === undefined) throw new Error(`there is no machine "${changed}"`);
      const next = { ...have, ...change };
      cloud.machines.set(changed, next);
      tellOf(next, changed);
    },
    boot: (booted, ...addresses) => cloud.change(booted, { state: "running", addresses }),
    vanish(gone) {
      const have = cloud.machines.get(gone);
      if (have === undefined) return;
      cloud.machines.delete(gone);
      if (cloud.leavesDisks) cloud.disks.set(gone, { ...have, state: "remains", providerId: undefined, addresses: [] });
      tellGone(have, gone);
    },
    addStranger(stranger, mark = STRANGE) {
      const have: MachineHave = {
        name: stranger,
        mark,
        providerId: "theirs",
        state: "running",
        addresses: [],
        labels: {},
      };
      cloud.machines.set(stranger, have);
    },
  };
  return cloud;
}

function toError(error: ProviderErrorParts | Error): Error {
  return error instanceof Error ? error : new ProviderError(error);
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
