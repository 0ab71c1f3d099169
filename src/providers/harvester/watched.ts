// SPDX-License-Identifier: Apache-2.0
import type { Mark } from "../../engine/provider.ts";
import type { Gathering } from "./gathering.ts";
import type { MachineParts } from "./machine-have.ts";

/** What the watch under way has told of a site, for those who need no certainty: it spares calls, and proves nothing. */
export interface Watched {
  /** The parts of a machine; undefined where no watch has told everything, or where there are none. */
  partsOf(mark: Mark): MachineParts | undefined;
  /** Whether there are certainly none, as far as a watch can tell. */
  areNone(mark: Mark): boolean;
  /** From now on that is what counts. Returns how to end that. */
  follow(gathering: Gathering): () => void;
}

/** Nothing was told yet. */
export function createWatched(): Watched {
  let current: Gathering | undefined;
  const partsOf = (mark: Mark) => current?.parts(mark);
  return {
    partsOf,
    areNone: (mark) => current !== undefined && partsOf(mark) === undefined,
    follow(gathering) {
      current = gathering;
      return () => {
        if (current === gathering) current = undefined;
      };
    },
  };
}
