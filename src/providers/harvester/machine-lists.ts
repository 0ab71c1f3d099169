// SPDX-License-Identifier: Apache-2.0
import type { Clock, KindDescriptor, KubeObject } from "../../kube/index.ts";
import type { Requests } from "./client.ts";
import { LABELS } from "./names.ts";

/**
 * Lists of what carries a machine's id. Servers go through all objects of a kind for each such list, so there is one at a time, and
 * then none for several times as long as it took; those who ask meanwhile share the next, which begins after they have asked and
 * looks for all of their machines.
 */
export interface MachineLists {
  of<T extends KubeObject>(kind: KindDescriptor<T>, machineId: string, requests: Requests): Promise<readonly T[]>;
}

/** A list that is to begin. */
interface Batch {
  readonly ids: Set<string>;
  readonly items: Promise<readonly KubeObject[]>;
  /** Begins it when it is time. */
  check(): void;
}

/** The lists of one kind. */
interface Line {
  /** When the last one began. */
  startedAt: number;
  /** When the next one may begin. */
  freeAt: number;
  next: Batch | undefined;
}

/** Servers are busy with lists of a kind for a fifth of the time, unless so many ask, or lists take so long, that these bounds are met. */
const PACE = 5;
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
    const fresh: Line = { startedAt: 0, freeAt: Number.NEGATIVE_INFINITY, next: undefined };
    lines.set(kind.plural, fresh);
    return fresh;
  };
  const waitMs = ({ freeAt }: Line) => freeAt - clock.monotonic();
  const run = async (line: Line, look: () => Promise<readonly KubeObject[]>) => {
    const startedAt = clock.monotonic();
    Object.assign(line, { startedAt, freeAt: startedAt + PATIENCE_MS });
    try {
      return await look();
    } finally {
      const tookMs = clock.monotonic() - startedAt;
      // Unless it has kept others waiting for too long, and the next one is under way.
      if (line.startedAt === startedAt) line.freeAt = startedAt + Math.min(PATIENCE_MS, PACE * tookMs);
      line.next?.check();
    }
  };
  const waitFor = (kind: KindDescriptor, line: Line, requests: Requests): Batch => {
    const ids = new Set<string>();
    const { promise, resolve } = Promise.withResolvers<void>();
    let cancel = () => {};
    const check = () => {
      cancel();
      const ms = waitMs(line);
      if (ms <= 0 || ids.size >= MOST_IDS) {
        // Whoever asks from now on asks too late.
        line.next = undefined;
        resolve();
      } else cancel = clock.after(ms, check);
    };
    const items = promise.then(() => {
      cancel();
      return run(line, () => list(kind, ids, requests));
    });
    // Those who share it hear of it.
    items.catch(() => {});
    const batch = { ids, items, check };
    line.next = batch;
    check();
    return batch;
  };
  return {
    async of<T extends KubeObject>(kind: KindDescriptor<T>, machineId: string, requests: Requests) {
      const line = lineOf(kind);
      const alone = () => run(line, () => list(kind, new Set([machineId]), requests));
      // What was asked for with this kind is of this kind.
      const isMine = (object: KubeObject): object is T => object.metadata.labels?.[LABELS.machineId] === machineId;
      const mine = (items: readonly KubeObject[]) => items.filter(isMine);
      const isFirst = line.next === undefined;
      if (isFirst && waitMs(line) <= 0) return mine(await alone());
      const next = line.next ?? waitFor(kind, line, requests);
      next.ids.add(machineId);
      if (next.ids.size >= MOST_IDS) next.check();
      try {
        return mine(await next.items);
      } catch (error) {
        // It was sent on behalf of another, whose time may have been up.
        if (isFirst) throw error;
        return mine(await alone());
      }
    },
  };
}
