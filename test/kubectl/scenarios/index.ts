// SPDX-License-Identifier: Apache-2.0
import type { Scenario } from "../types.ts";
import { access } from "./access.ts";
import { applyOnClient, applyOnServer, diff } from "./apply.ts";
import { apiResources, explain } from "./discovery.ts";
import { builtInKinds, machineRequests } from "./objects.ts";
import { patches } from "./patches.ts";
import { deletion, events, waiting, watching } from "./waiting.ts";

/** Everything kubectl is asked to do, in the order it happens. */
export const scenarios: readonly Scenario[] = [
  apiResources,
  explain,
  machineRequests,
  builtInKinds,
  applyOnClient,
  applyOnServer,
  diff,
  patches,
  watching,
  waiting,
  deletion,
  events,
  access,
];
