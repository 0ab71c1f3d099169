// SPDX-License-Identifier: Apache-2.0
import { storageKey } from "../registry.ts";
import { createObject } from "./create.ts";
import { deleteObject } from "./delete.ts";
import type { Machinery } from "./machinery.ts";
import type { Objects } from "./objects.ts";
import { patchObject } from "./patch.ts";
import { updateObject } from "./update.ts";
import { shown } from "./view.ts";

/** The verbs on this machinery. */
export function createObjects(machinery: Machinery): Objects {
  return {
    get(type, { namespace, name }) {
      const entry = machinery.store.get(storageKey(type, namespace, name));
      return entry === undefined ? undefined : shown(type, entry).object;
    },
    createObject: (type, namespace, object, options) => createObject(machinery, type, namespace, object, options),
    updateObject: (type, key, object, options) => updateObject(machinery, type, key, object, options),
    patchObject: (type, key, patch, options) => patchObject(machinery, type, key, patch, options),
    deleteObject: (type, key, options) => deleteObject(machinery, type, key, options),
  };
}
