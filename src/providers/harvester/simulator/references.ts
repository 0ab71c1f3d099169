// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from "../../../plane/types.ts";
import { claimsOf, networksOf, secretsOf } from "./machine-view.ts";

/** Which machines and instances mention what. */
export interface References {
  /** Takes note of a machine or instance as it is now; undefined when it is gone. */
  note(kind: "vm" | "vmi", key: string, object: KubeObject | undefined): void;
  /** The keys of those that mention something. */
  users(kind: "claim" | "secret" | "network", key: string): readonly string[];
}

/** Makes an empty one. */
export function createReferences(): References {
  const users = new Map<string, Set<string>>();
  const mentions = new Map<string, readonly string[]>();
  const forget = (user: string) => {
    for (const mentioned of mentions.get(user) ?? []) {
      const left = users.get(mentioned);
      left?.delete(user);
      if (left?.size === 0) users.delete(mentioned);
    }
    mentions.delete(user);
  };
  return {
    note(kind, key, object) {
      const user = `${kind} ${key}`;
      forget(user);
      if (object === undefined) return;
      const all = mentionsOf(object);
      mentions.set(user, all);
      for (const mentioned of all) users.set(mentioned, (users.get(mentioned) ?? new Set()).add(user));
    },
    users(kind, key) {
      const found = users.get(`${kind} ${key}`) ?? [];
      return [...new Set([...found].map((user) => user.slice(user.indexOf(" ") + 1)))];
    },
  };
}

function mentionsOf(object: KubeObject): readonly string[] {
  return [
    ...claimsOf(object).map((key) => `claim ${key}`),
    ...secretsOf(object).map(({ key }) => `secret ${key}`),
    ...networksOf(object).map((key) => `network ${key}`),
  ];
}
