// SPDX-License-Identifier: Apache-2.0
import { machineRequest } from "../../../../api/index.ts";
import { SYSTEM_NAMESPACE } from "../../../names.ts";
import type { SimulatedMachine } from "../../simulator.ts";
import { type Backup, restoreBackup, takeBackup } from "./backup.ts";
import { askAgain } from "./outsiders.ts";
import type { Play, Scenario, Scene } from "./scenario.ts";

/** How a restore goes. */
export interface Restore {
  /** How many writes to Kubernetes ago the backup was taken; the first one of all where there were fewer. */
  readonly writesAgo: number;
  /** Whether it has statuses, as a snapshot of etcd has. */
  readonly hasStatus: boolean;
}

const LATER_MS = 15 * 60_000;
const OTHER = "web-2";

/**
 * Everything in Kubernetes is restored from an older backup while no manager runs. The machine that was made since is its request's
 * again; or, where there is no request, it is reported and nothing more is made. It is never deleted.
 */
export function backupRestored({ writesAgo, hasStatus }: Restore): Scenario {
  const age = Number.isFinite(writesAgo) ? `${writesAgo}-writes-old` : "as-in-the-beginning";
  return {
    name: `restored-${age}${hasStatus ? "" : "-without-status"}`,
    from: "asked",
    to: "gone",
    // In between nothing is different.
    isAt: ({ isWrite }) => isWrite,
    kills: true,
    never: ["Unknown"],
    mostEver: 3,
    begin: (scene) => playRestored(scene, { writesAgo, hasStatus }),
  };
}

function playRestored(scene: Scene, { writesAgo, hasStatus }: Restore): Play {
  const { world } = scene;
  const backups: Backup[] = [takeBackup(world)];
  world.onServed((side, { method }) => {
    if (side === "kubernetes" && method !== "GET") backups.push(takeBackup(world));
  });
  let stood: SimulatedMachine | undefined;
  let wasAnything = false;
  let last: Backup = [];
  return {
    most: () => {
      const names = [scene.name, OTHER].filter((name) => world.requestNow(name) !== undefined);
      // A machine whose request was lost is no request's.
      return names.length + (wasAnything && !scene.isThere() ? 1 : 0);
    },
    async act() {
      const backup = backups.at(-1 - writesAgo) ?? backups[0] ?? [];
      stood = scene.machines().find(({ isDeleting }) => !isDeleting);
      wasAnything = world.sim.leftovers().length > 0;
      last = takeBackup(world);
      await restoreBackup(world, backup, { hasStatus });
      return undefined;
    },
    async afterwards() {
      await world.pass(LATER_MS);
      if (scene.isThere() && scene.isDeleting()) return;
      checkStands(scene, stood);
      if (!scene.isThere()) return await meetOrphan(scene, { stood, last });
      if (scene.request()?.status?.phase === "Failed") await meetLoss(scene, stood);
    },
  };
}

/** Nobody has asked for its deletion, as far as anybody knows. */
function checkStands(scene: Scene, stood: SimulatedMachine | undefined): void {
  const isThere = scene.machines().some(({ id, isDeleting }) => id === stood?.id && !isDeleting);
  if (stood !== undefined && !isThere) scene.blame("leftover", `machine ${stood.id} was deleted after the restore`);
}

/** What the backup told of was deleted since. */
async function meetLoss(scene: Scene, stood: SimulatedMachine | undefined): Promise<void> {
  const { failureReason } = scene.request()?.status ?? {};
  if (failureReason !== "VMLost" || stood !== undefined)
    scene.blame("status", `after the restore: ${JSON.stringify(scene.request()?.status)}`);
  await askAgain(scene);
}

interface Orphan {
  readonly stood: SimulatedMachine | undefined;
  /** Everything before the restore. */
  readonly last: Backup;
}

/** There is no request for the machine any more: nothing else is made, and as soon as it is asked for again it is taken on. */
async function meetOrphan(scene: Scene, { stood, last }: Orphan): Promise<void> {
  const { world, name } = scene;
  // Parts of a machine count like one.
  if (world.sim.leftovers().length === 0) return;
  const key = { namespace: SYSTEM_NAMESPACE, name: OTHER };
  const isOther = installationIn(last) !== installationIn(takeBackup(world));
  if (isOther) {
    // The backup is older than the first thing that Butler ever wrote: its machines are another installation's.
    await restoreBackup(
      world,
      last.filter(({ kind }) => kind !== machineRequest.kind),
      { hasStatus: true },
    );
    world.restart();
  }
  await world.request(OTHER);
  await world.pass(LATER_MS);
  const told = world.requestNow(OTHER)?.status?.conditions?.find(({ type }) => type === "Ready");
  if (told?.reason !== "TooManyMachines" || told.message?.includes(`"${name}"`) !== true)
    scene.blame(
      "status",
      `nobody says that ${name} has no request: ${JSON.stringify(world.requestNow(OTHER)?.status)}`,
    );
  if (scene.machines().length > 1)
    scene.blame("duplicate", "another machine was made though creation should be frozen");
  checkStands(scene, stood);
  await world.request(name);
  await scene.until("Running again", () => scene.isRunning());
  if (stood !== undefined && scene.request()?.status?.providerID !== stood.id)
    scene.blame("status", `another machine than ${stood.id} was taken on`);
  await scene.until("the other Running", () => world.requestNow(OTHER)?.status?.phase === "Running");
  await world.client.delete(machineRequest, key);
  await scene.until("the other gone", () => world.requestNow(OTHER) === undefined);
  checkStands(scene, stood);
}

function installationIn(backup: Backup): string | undefined {
  return backup.find(({ metadata }) => metadata.name === "butler-installation")?.data?.id;
}
