// SPDX-License-Identifier: Apache-2.0
import type { Machines } from "../../engine/provider.ts";
import { checkSite } from "./check.ts";
import { cloudInitTexts } from "./cloud-init.ts";
import { createMachine } from "./create.ts";
import { deleteMachine } from "./delete.ts";
import { findMachine } from "./find.ts";
import type { Site } from "./site.ts";
import type { TokenLife } from "./token-life.ts";
import { validate } from "./validate.ts";
import { listMachines, watchMachines } from "./watch.ts";

/** The verbs on one site. */
export function createMachines(site: Site, tokenLife: TokenLife | undefined): Machines {
  return {
    validate: (want) => validate(want, site.settings),
    check: (call) => checkSite(site, { requests: site.requests(call, { doing: "check Harvester" }), tokenLife }),
    list: (call) => listMachines(site, site.requests(call, { doing: "list machines" })),
    watch: (call) => watchMachines(site, site.requests(call, { doing: "watch machines" })),
    find: (want, call) => findMachine(want, site, site.requests(call, { doing: `find machine "${want.name}"` })),
    create: (want, call) =>
      createMachine(
        want,
        site,
        site.requests(call, { doing: `create machine "${want.name}"`, secrets: cloudInitTexts(want) }),
      ),
    async delete(have, call) {
      await deleteMachine(have, site, site.requests(call, { doing: `delete machine "${have.name}"` }));
      return undefined;
    },
  };
}
