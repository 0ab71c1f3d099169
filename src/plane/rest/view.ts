// SPDX-License-Identifier: Apache-2.0
import type { Entry, KubeObject, ResourceType } from "../types.ts";

/** An object as a type shows it, and its JSON. */
export interface Shown {
  readonly object: KubeObject;
  readonly json: string;
}

/** Views that differ from what is stored, per type as long as type and entry live: what is sent to many is made once. */
const views = new WeakMap<ResourceType, WeakMap<Entry, Shown>>();

/** Notes that a stored object is as the type shows it, because it was just written that way: nobody needs to look again. */
export function isAsShown(type: ResourceType, entry: Entry): void {
  entry.plainType = type;
}

function viewsOf(type: ResourceType): WeakMap<Entry, Shown> {
  const known = views.get(type) ?? new WeakMap<Entry, Shown>();
  views.set(type, known);
  return known;
}

/** A stored object as the type shows it: in its version, with today's defaults. Costs nothing where that is as stored. */
export function shown(type: ResourceType, entry: Entry): Shown {
  if (type.storage === undefined || entry.plainType === type) return entry;
  const known = viewsOf(type);
  let view = known.get(entry);
  if (view === undefined) {
    const object = type.storage.show(entry.object);
    if (object === entry.object) {
      entry.plainType = type;
      return entry;
    }
    view = { object, json: JSON.stringify(object) };
    known.set(entry, view);
  }
  return view;
}

/** The object as the store keeps it. */
export function kept(type: ResourceType, object: KubeObject): KubeObject {
  return type.storage === undefined ? object : type.storage.keep(object);
}
