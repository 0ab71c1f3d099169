// SPDX-License-Identifier: Apache-2.0
import { isDeepStrictEqual } from "node:util";
import type { MachineHave, Mark } from "./provider.ts";

interface Entry {
  have: MachineHave;
  /** When a direct call has shown it; undefined once a look has. */
  notedAt: number | undefined;
  /** The look that has last told of it. */
  toldIn: number;
}

/** What a picture needs to know. */
export interface PictureOptions {
  readonly visibilityLagMs: number;
  /** Told of every change, with the owner of the machine as `namespace/name`. */
  readonly onChange: (owner: string) => void;
}

/** The machines that were told of, each by its id, owner and name: a machine id alone may have been copied. */
export function createPicture({ visibilityLagMs, onChange }: PictureOptions) {
  const byId = new Map<string, Entry[]>();
  let turns = 0;
  const entriesOf = (machineId: string) => byId.get(machineId) ?? [];
  const keep = (machineId: string, entries: Entry[]) => {
    if (entries.length === 0) byId.delete(machineId);
    else byId.set(machineId, entries);
  };
  const put = (have: MachineHave, { notedAt, toldIn }: Omit<Entry, "have">) => {
    const { machineId, owner } = have.mark;
    const known = entriesOf(machineId).find((each) => isSame(each.have, have));
    if (known === undefined) {
      keep(machineId, [...entriesOf(machineId), { have, notedAt, toldIn }]);
      return onChange(owner);
    }
    const isChange = !isDeepStrictEqual(known.have, have);
    Object.assign(known, { have, notedAt, toldIn });
    if (isChange) onChange(owner);
  };
  const drop = (machineId: string, isDropped: (entry: Entry) => boolean) => {
    const entries = entriesOf(machineId);
    const dropped = entries.filter(isDropped);
    keep(
      machineId,
      entries.filter((entry) => !dropped.includes(entry)),
    );
    return dropped;
  };
  return {
    get: ({ machineId, owner }: Pick<Mark, "machineId" | "owner">) =>
      entriesOf(machineId).find(({ have }) => have.mark.owner === owner)?.have,
    list: () => [...byId.values()].flat().map(({ have }) => have),
    note: (have: MachineHave, notedAt: number) => put(have, { notedAt, toldIn: 0 }),
    forget: ({ machineId, owner }: Pick<Mark, "machineId" | "owner">) =>
      void drop(machineId, ({ have }) => have.mark.owner === owner),
    gone({ machineId, name }: { readonly machineId: string; readonly name: string }) {
      for (const { have } of drop(machineId, (entry) => entry.have.name === name)) onChange(have.mark.owner);
    },
    /** One telling of everything, begun at that time. What it did not tell is dropped at its end, unless it is too new for it. */
    begin(startedAt: number) {
      turns += 1;
      const turn = turns;
      return {
        tell: (have: MachineHave) => put(have, { notedAt: undefined, toldIn: turn }),
        end() {
          const isGone = ({ notedAt, toldIn }: Entry) =>
            toldIn !== turn && (notedAt === undefined || notedAt + visibilityLagMs < startedAt);
          for (const machineId of [...byId.keys()])
            for (const { have } of drop(machineId, isGone)) onChange(have.mark.owner);
        },
      };
    },
  };
}

function isSame(left: MachineHave, right: MachineHave): boolean {
  return left.name === right.name && left.mark.owner === right.mark.owner;
}
