// SPDX-License-Identifier: Apache-2.0
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../kube/index.ts";
import type { MachineHave, Mark } from "./provider.ts";

interface Entry {
  have: MachineHave;
  /** When a direct call has shown it; undefined once a look has. */
  notedAt: number | undefined;
  /** What `told` was when a look has last told of it; 0 where only a direct call has shown it. */
  heardAs: number;
  /** The look that has last told of it. */
  toldIn: number;
}

/** What a picture needs to know. */
export interface PictureOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly visibilityLagMs: number;
  /** Told of every change, with the owner of the machine as `namespace/name`, and whether only `detail` is another. */
  readonly onChange: (owner: string, isDetail: boolean) => void;
}

/** What `told` was when the call began that has shown something. What was told since then may be newer, and is not told again. */
export interface Shown {
  readonly since: number;
}

/** For so long it is remembered that a machine went: no call takes longer. */
const GONE_MS = 10 * 60_000;

/** The machines that were told of, each by its id, owner and name: a machine id alone may have been copied. */
export function createPicture({ clock, visibilityLagMs, onChange }: PictureOptions) {
  const byId = new Map<string, Entry[]>();
  /** The machine ids that an owner was told to have. */
  const idsOf = new Map<string, Set<string>>();
  /** Machines that went, by id and name, the latest last. */
  const went = new Map<string, { readonly heardAs: number; readonly at: number }>();
  let told = 0;
  let turns = 0;
  const entriesOf = (machineId: string) => byId.get(machineId) ?? [];
  const keep = (machineId: string, entries: Entry[]) => {
    if (entries.length === 0) byId.delete(machineId);
    else byId.set(machineId, entries);
  };
  const put = (have: MachineHave, { notedAt, heardAs, toldIn }: Omit<Entry, "have">) => {
    const { machineId, owner } = have.mark;
    const known = entriesOf(machineId).find((each) => isSame(each.have, have));
    if (known === undefined) {
      keep(machineId, [...entriesOf(machineId), { have, notedAt, heardAs, toldIn }]);
      const ids = idsOf.get(owner);
      if (ids === undefined) idsOf.set(owner, new Set([machineId]));
      else ids.add(machineId);
      return onChange(owner, false);
    }
    const before = known.have;
    Object.assign(known, { have, notedAt, heardAs, toldIn });
    if (isDeepStrictEqual(before, have)) return;
    onChange(owner, isDeepStrictEqual({ ...before, detail: "" }, { ...have, detail: "" }));
  };
  const disown = (machineId: string, owner: string) => {
    if (entriesOf(machineId).some(({ have }) => have.mark.owner === owner)) return;
    const ids = idsOf.get(owner);
    ids?.delete(machineId);
    if (ids?.size === 0) idsOf.delete(owner);
  };
  const drop = (machineId: string, isDropped: (entry: Entry) => boolean) => {
    const entries = entriesOf(machineId);
    const dropped = entries.filter(isDropped);
    keep(
      machineId,
      entries.filter((entry) => !dropped.includes(entry)),
    );
    for (const { have } of dropped) disown(machineId, have.mark.owner);
    return dropped;
  };
  return {
    /** How much was told so far. */
    get told() {
      return told;
    },
    get: ({ machineId, owner }: Pick<Mark, "machineId" | "owner">) =>
      entriesOf(machineId).find(({ have }) => have.mark.owner === owner)?.have,
    ofOwner: (owner: string) =>
      [...(idsOf.get(owner) ?? [])]
        .flatMap(entriesOf)
        .filter(({ have }) => have.mark.owner === owner)
        .map(({ have }) => have),
    list: () => [...byId.values()].flat().map(({ have }) => have),
    note(have: MachineHave, { since }: Shown) {
      const { machineId } = have.mark;
      const known = entriesOf(machineId).find((each) => isSame(each.have, have));
      const { heardAs = 0 } = known ?? went.get(goneKey(machineId, have.name)) ?? {};
      if (heardAs <= since) put(have, { notedAt: clock.monotonic(), heardAs: 0, toldIn: 0 });
    },
    forget: ({ machineId, owner }: Pick<Mark, "machineId" | "owner">, { since }: Shown) =>
      void drop(machineId, ({ have, heardAs }) => have.mark.owner === owner && heardAs <= since),
    gone({ machineId, name }: { readonly machineId: string; readonly name: string }) {
      told += 1;
      const now = clock.monotonic();
      went.delete(goneKey(machineId, name));
      went.set(goneKey(machineId, name), { heardAs: told, at: now });
      for (const [key, { at }] of went) {
        if (now - at < GONE_MS) break;
        went.delete(key);
      }
      for (const { have } of drop(machineId, (entry) => entry.have.name === name)) onChange(have.mark.owner, false);
    },
    /** One telling of everything, begun at that time. What it did not tell is dropped at its end, unless it is too new for it. */
    begin(startedAt: number) {
      turns += 1;
      const turn = turns;
      return {
        tell(have: MachineHave) {
          told += 1;
          put(have, { notedAt: undefined, heardAs: told, toldIn: turn });
        },
        end() {
          const isGone = ({ notedAt, toldIn }: Entry) =>
            toldIn !== turn && (notedAt === undefined || notedAt + visibilityLagMs < startedAt);
          for (const machineId of [...byId.keys()])
            for (const { have } of drop(machineId, isGone)) onChange(have.mark.owner, false);
        },
      };
    },
  };
}

function goneKey(machineId: string, name: string): string {
  return `${machineId} ${name}`;
}

function isSame(left: MachineHave, right: MachineHave): boolean {
  return left.name === right.name && left.mark.owner === right.mark.owner;
}
