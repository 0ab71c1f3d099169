// SPDX-License-Identifier: Apache-2.0
import { SYSTEM_NAMESPACE } from "../../../names.ts";
import { backupRestored } from "./backup-restored.ts";
import { configRepointed } from "./config-repointed.ts";
import { credentialsRotated } from "./credentials-rotated.ts";
import { leaderPaused } from "./leader-paused.ts";
import { manifestCopied } from "./manifest-copied.ts";
import { manifestReplaced } from "./manifest-replaced.ts";
import { outsiderDeletes, outsiderStops } from "./outsiders.ts";
import type { Scenario } from "./scenario.ts";
import { specEdited } from "./spec-edited.ts";
import { statusesWiped } from "./statuses-wiped.ts";
import { strangerAfter, strangerBefore } from "./strangers.ts";
import { thingDeleted } from "./things-deleted.ts";
import { twoInstallations } from "./two-installations.ts";

/** One write, a few, the whole of the creation, everything. */
const WRITES_AGO = [1, 2, 3, 4, 6, 9, Number.POSITIVE_INFINITY];

/** Shorter than a lease, about as long as one, and long enough for a whole life in between. */
const PAUSES_MS = [8_000, 14_000, 20_000, 90_000, 600_000];

/** Everything that people and outsiders do. */
export const SCENARIOS: readonly Scenario[] = [
  thingDeleted("config", "asked"),
  thingDeleted("config", "torn"),
  thingDeleted("secret", "asked"),
  thingDeleted("secret", "torn"),
  credentialsRotated({ lateMs: 0 }),
  credentialsRotated({ lateMs: 120_000 }),
  outsiderDeletes,
  outsiderStops,
  strangerBefore({ isRemoved: true }),
  strangerBefore({ isRemoved: false }),
  strangerAfter,
  statusesWiped({ restarts: true }),
  statusesWiped({ restarts: false }),
  ...[true, false].flatMap((hasStatus) => WRITES_AGO.map((writesAgo) => backupRestored({ writesAgo, hasStatus }))),
  manifestCopied({ namespace: SYSTEM_NAMESPACE, hasOwnName: false, endsFirst: "copy" }),
  manifestCopied({ namespace: SYSTEM_NAMESPACE, hasOwnName: true, endsFirst: "original" }),
  manifestCopied({ namespace: "tenants", hasOwnName: false, endsFirst: "original" }),
  manifestCopied({ namespace: "tenants", hasOwnName: true, endsFirst: "copy" }),
  manifestReplaced({ isRenamed: true }),
  manifestReplaced({ isRenamed: false }),
  configRepointed({ isDeletedMeanwhile: false }),
  configRepointed({ isDeletedMeanwhile: true }),
  ...PAUSES_MS.map((forMs) => leaderPaused({ forMs })),
  leaderPaused({ forMs: 600_000, isDeletedMeanwhile: true }),
  twoInstallations({ isSameName: true }),
  twoInstallations({ isSameName: false }),
  specEdited("name"),
  specEdited("size"),
];
