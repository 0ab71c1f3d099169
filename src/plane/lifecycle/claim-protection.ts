// SPDX-License-Identifier: Apache-2.0
import { CLAIM_PROTECTION } from "../kinds/persistent-volume-claim.ts";
import type { Entry, ResourceType } from "../types.ts";
import {
  type Controller,
  MANAGER,
  objectKey,
  type Surroundings,
  unlessGone,
  waitsFor,
  withoutFinalizer,
} from "./controller.ts";

/** Lets deleted claims go: they are kept as long as pods use them, and there are no pods here. */
export function createClaimProtection({ queue, objects }: Surroundings): Controller {
  const look = ({ key, object }: Entry, type: ResourceType) => {
    if (type.group !== "" || type.plural !== "persistentvolumeclaims" || !waitsFor(object, CLAIM_PROTECTION)) return;
    queue.add(`release ${key}`, () =>
      unlessGone(
        objects.updateObject(type, objectKey(key), (claim) => withoutFinalizer(claim, CLAIM_PROTECTION), {
          manager: MANAGER,
        }),
      ),
    );
  };
  return {
    reset() {},
    see: look,
    observe({ type: what, entry }, type) {
      if (what !== "DELETED") look(entry, type);
    },
  };
}
