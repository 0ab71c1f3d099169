// SPDX-License-Identifier: Apache-2.0
import type { Call } from "../../engine/call.ts";
import type { Client, Clock } from "../../kube/index.ts";
import { createRequests, type Requests } from "./client.ts";
import { createMachineLists, type MachineLists } from "./machine-lists.ts";
import { type ReviewAttributes, resourceText } from "./rights.ts";
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
  /** The same, asked within the last minute; undefined where the server does not tell. */
  askRight(requests: Requests, right: ReviewAttributes): Promise<boolean | undefined>;
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
/** What is remembered of a namespace's rules is remembered as this. */
const RULES = "rules in ";

/** Opens a site. Sends nothing. */
export function createSite({ client, settings, installation, clock, secrets: own }: SiteParts): Site {
  const rights = new Map<string, { readonly isGranted: boolean; readonly untilMs: number }>();
  const seen = new Map<string, { readonly value: unknown; readonly untilMs: number }>();
  const looking = new Map<string, Promise<unknown>>();
  const forgetRights = () => {
    rights.clear();
    for (const what of seen.keys()) if (what.startsWith(RULES)) seen.delete(what);
  };
  const remember = async <T>(what: string, look: () => Promise<T>): Promise<T> => {
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
  };
  /** One question for all rights in a namespace. Rules for one say nothing of what has none. */
  const granted = async (requests: Requests, right: ReviewAttributes) => {
    const { namespace } = right;
    const rules =
      namespace === undefined ? undefined : await remember(RULES + namespace, () => requests.rules(namespace));
    return rules?.grants(right) ?? (await requests.review(right));
  };
  const askRight = async (requests: Requests, right: ReviewAttributes) => {
    const isGranted = await granted(requests, right);
    const untilMs = isGranted === false ? clock.monotonic() + REMEMBERED_MS : Number.POSITIVE_INFINITY;
    rights.set(keyOf(right), { isGranted: isGranted ?? true, untilMs });
    return isGranted;
  };
  return {
    server: client.server,
    settings,
    installation,
    clock,
    requests: (call, { doing, secrets = [] }) =>
      createRequests({ client, call, doing, secrets: [...own, ...secrets], onForbidden: forgetRights }),
    lists: createMachineLists({ clock, namespace: settings.namespace }),
    watched: createWatched(),
    forgetRights,
    askRight,
    async may(requests, right) {
      const known = rights.get(keyOf(right));
      if (known !== undefined && clock.monotonic() < known.untilMs) return known.isGranted;
      return (await askRight(requests, right)) ?? true;
    },
    remember,
  };
}

function keyOf({ verb, kind, namespace, name }: ReviewAttributes): string {
  return [verb, resourceText(kind), namespace, name].join(" ");
}
