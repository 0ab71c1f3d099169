// SPDX-License-Identifier: Apache-2.0
import type { Call } from "../../engine/call.ts";
import type { Client, Clock } from "../../kube/index.ts";
import { createRequests, type Requests, type ReviewAttributes } from "./client.ts";
import { createMachineLists, type MachineLists } from "./machine-lists.ts";
import { resourceText } from "./rights.ts";
import type { HarvesterSettings } from "./virtual-machine.ts";
import { createWatched, type Watched } from "./watched.ts";

/** One namespace of one Harvester, as one connection knows it. */
export interface Site {
  /** The address of Harvester, for messages. */
  readonly server: string;
  readonly settings: HarvesterSettings;
  readonly installation: string;
  readonly clock: Clock;
  /** The requests of one verb. `secrets` are texts of this verb that must not get into a message. */
  requests(call: Call, about: { readonly doing: string; readonly secrets?: readonly string[] }): Requests;
  /**
   * Whether the kubeconfig's user has the right; true where the server does not tell. It is asked once, and again after anything was
   * refused; a right that is missing is asked for again after a minute.
   */
  may(requests: Requests, right: ReviewAttributes): Promise<boolean>;
  /** Remembers what was just asked. */
  note(right: ReviewAttributes, isGranted: boolean): void;
  /** Forgets all answers about rights: something was refused for want of one. */
  forgetRights(): void;
  readonly lists: MachineLists;
  readonly watched: Watched;
  /** Something good that was seen, remembered for a minute, so that many machines do not each ask for it, nor at once. What throws is not. */
  remember<T>(what: string, look: () => Promise<T>): Promise<T>;
}

/** What a site is made of. */
export interface SiteParts {
  readonly client: Client;
  readonly settings: HarvesterSettings;
  readonly installation: string;
  readonly clock: Clock;
  /** Credentials, which must not get into a message. */
  readonly secrets: readonly string[];
}

const REMEMBERED_MS = 60_000;

/** Opens a site. Sends nothing. */
export function createSite({ client, settings, installation, clock, secrets: own }: SiteParts): Site {
  const rights = new Map<string, { readonly isGranted: boolean; readonly untilMs: number }>();
  const seen = new Map<string, { readonly value: unknown; readonly untilMs: number }>();
  const looking = new Map<string, Promise<unknown>>();
  const note = (right: ReviewAttributes, isGranted: boolean) => {
    const untilMs = isGranted ? Number.POSITIVE_INFINITY : clock.monotonic() + REMEMBERED_MS;
    rights.set(keyOf(right), { isGranted, untilMs });
  };
  return {
    server: client.server,
    settings,
    installation,
    clock,
    requests: (call, { doing, secrets = [] }) =>
      createRequests({ client, call, doing, secrets: [...own, ...secrets], onForbidden: () => rights.clear() }),
    lists: createMachineLists({ clock, namespace: settings.namespace }),
    watched: createWatched(),
    note,
    forgetRights: () => rights.clear(),
    async may(requests, right) {
      const known = rights.get(keyOf(right));
      if (known !== undefined && clock.monotonic() < known.untilMs) return known.isGranted;
      const isGranted = (await requests.review(right)) ?? true;
      note(right, isGranted);
      return isGranted;
    },
    async remember<T>(what: string, look: () => Promise<T>): Promise<T> {
      const known = seen.get(what);
      if (known !== undefined && clock.monotonic() < known.untilMs) return known.value as T;
      const others = looking.get(what);
      // Where theirs fails ours may not, and says whose it is.
      if (others !== undefined) return others.then((value) => value as T, look);
      const own = look();
      looking.set(what, own);
      try {
        const value = await own;
        seen.set(what, { value, untilMs: clock.monotonic() + REMEMBERED_MS });
        return value;
      } finally {
        looking.delete(what);
      }
    },
  };
}

function keyOf({ verb, kind, namespace, name }: ReviewAttributes): string {
  return [verb, resourceText(kind), namespace, name].join(" ");
}
