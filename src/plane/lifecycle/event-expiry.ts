// SPDX-License-Identifier: Apache-2.0
import { textAt } from "../kinds/rules.ts";
import type { KubeObject, ResourceType } from "../types.ts";
import { type Controller, objectKey, type Surroundings, unlessGone } from "./controller.ts";

/** How long an event is kept after it was last written. */
export const EVENT_LIFE_MS = 60 * 60 * 1000;

/** Forgets events after an hour. */
export function createEventExpiry({ clock, queue, objects, typeOf }: Surroundings): Controller {
  /** When each event goes. */
  const ends = new Map<string, number>();
  let timer: { readonly at: number; readonly cancel: () => void } | undefined;

  const expire = () => {
    timer = undefined;
    const now = clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [key, end] of ends) {
      if (end <= now) forget(key);
      else next = Math.min(next, end);
    }
    if (next < Number.POSITIVE_INFINITY) wakeAt(next);
  };
  const forget = (key: string) => {
    ends.delete(key);
    queue.add(`forget ${key}`, async () => {
      const type = typeOf(key);
      if (type !== undefined) await unlessGone(objects.deleteObject(type, objectKey(key)));
    });
  };
  const wakeAt = (at: number) => {
    if (timer !== undefined && timer.at <= at) return;
    timer?.cancel();
    timer = { at, cancel: clock.after(Math.max(0, at - clock.now()), expire) };
  };
  const keepUntil = (key: string, end: number) => {
    ends.set(key, end);
    wakeAt(end);
  };

  return {
    reset: () => ends.clear(),
    see({ key, object }, type) {
      if (isEvent(type)) keepUntil(key, lastWrite(object) + EVENT_LIFE_MS);
    },
    observe({ type: what, entry }, type) {
      if (!isEvent(type)) return;
      if (what === "DELETED") ends.delete(entry.key);
      else keepUntil(entry.key, clock.now() + EVENT_LIFE_MS);
    },
    stop: () => timer?.cancel(),
  };
}

function isEvent({ group, plural }: ResourceType): boolean {
  return plural === "events" && group === "";
}

/** When an event was written, as far as it tells: after a restart nobody knows better. */
function lastWrite(event: KubeObject): number {
  const times = [
    textAt(event, "metadata", "creationTimestamp"),
    textAt(event, "lastTimestamp"),
    textAt(event, "series", "lastObservedTime"),
  ];
  return Math.max(0, ...times.map((time) => Date.parse(time)).filter((time) => !Number.isNaN(time)));
}
