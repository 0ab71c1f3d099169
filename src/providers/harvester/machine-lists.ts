// SPDX-License-Identifier: Apache-2.0
import type { Clock, KindDescriptor, KubeObject } from "../../kube/index.ts";
import type { Requests } from "./client.ts";
import { LABELS } from "./names.ts";

/**
 * Lists of what carries a machine's id. Servers go through all objects of a kind for each such list, so those who ask while one is
 * under way share the next: it begins after they have asked, and looks for all of their machines.
 */
export interface MachineLists {
  of<T extends KubeObject>(kind: KindDescriptor<T>, machineId: string, requests: Requests): Promise<readonly T[]>;
}

/** Lists that look for one machine, or for a few. */
interface Batch {
  readonly ids: Set<string>;
  readonly items: Promise<readonly KubeObject[]>;
}

interface Line {
  /** When the list that is under way began. */
  startedAt: number;
  isBusy: boolean;
  next: Batch | undefined;
  /** Begins the next one. */
  go: () => void;
}

/** A list that takes longer keeps nobody waiting. */
const PATIENCE_MS = 2_000;
const MOST_IDS = 50;

/** Makes lists of one namespace. */
export function createMachineLists({
  clock,
  namespace,
}: {
  readonly clock: Clock;
  readonly namespace: string;
}): MachineLists {
  const lines = new Map<string, Line>();
  const list = async (kind: KindDescriptor, ids: ReadonlySet<string>, requests: Requests) => {
    const [only, ...others] = ids;
    const labelSelector =
      others.length === 0 ? `${LABELS.machineId}=${only}` : `${LABELS.machineId} in (${[...ids].join(",")})`;
    return (await requests.list(kind, { namespace, labelSelector })).items;
  };
  const lineOf = (kind: KindDescriptor): Line => {
    const known = lines.get(kind.plural);
    if (known !== undefined) return known;
    const fresh: Line = { startedAt: 0, isBusy: false, next: undefined, go: () => {} };
    lines.set(kind.plural, fresh);
    return fresh;
  };
  const run = async (line: Line, look: () => Promise<readonly KubeObject[]>) => {
    const startedAt = clock.monotonic();
    Object.assign(line, { startedAt, isBusy: true });
    try {
      return await look();
    } finally {
      if (line.startedAt === startedAt) line.isBusy = false;
      line.go();
    }
  };
  const beginNext = (kind: KindDescriptor, line: Line, requests: Requests): Batch => {
    const ids = new Set<string>();
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(PATIENCE_MS, resolve);
    line.go = resolve;
    const items = promise.then(() => {
      cancel();
      line.next = undefined;
      line.go = () => {};
      return run(line, () => list(kind, ids, requests));
    });
    // Those who share it hear of it.
    items.catch(() => {});
    return { ids, items };
  };
  return {
    async of<T extends KubeObject>(kind: KindDescriptor<T>, machineId: string, requests: Requests) {
      const line = lineOf(kind);
      const alone = () => run(line, () => list(kind, new Set([machineId]), requests));
      // What was asked for with this kind is of this kind.
      const isMine = (object: KubeObject): object is T => object.metadata.labels?.[LABELS.machineId] === machineId;
      const mine = (items: readonly KubeObject[]) => items.filter(isMine);
      if (!line.isBusy || clock.monotonic() - line.startedAt >= PATIENCE_MS) return mine(await alone());
      const isFirst = line.next === undefined || line.next.ids.size >= MOST_IDS;
      const batch = isFirst ? beginNext(kind, line, requests) : line.next;
      line.next = batch;
      batch?.ids.add(machineId);
      try {
        return mine((await batch?.items) ?? []);
      } catch (error) {
        // It was sent on behalf of another, whose time may have been up.
        if (isFirst) throw error;
        return mine(await alone());
      }
    },
  };
}
