// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog, LostLeadershipError, lease } from "../kube/index.ts";
import { createManagers } from "./managers.ts";
import { scriptedProvider } from "./testing/scripted-provider.ts";
import { fixedRandom, raiseStage, type Stage } from "./testing/stage.ts";

async function staged(act: (stage: Stage, start: (identity: string) => Started) => Promise<void>): Promise<void> {
  const stage = await raiseStage([scriptedProvider("harvester").entry, scriptedProvider("proxmox").entry]);
  const { client, clock, entries, metrics } = stage;
  const log = createLog({ write: (line) => void stage.lines.push(line), clock });
  const all: Started[] = [];
  const start = (identity: string) => {
    const end = new AbortController();
    const common = { entries, client, clock, log, metrics, random: fixedRandom(4), leaderElect: true };
    const ended = createManagers({ ...common, providers: ["harvester", "proxmox"], identity }).run(end.signal);
    ended.catch(() => {});
    const started = { ended, stop: () => end.abort(new Error("enough")) };
    all.push(started);
    return started;
  };
  try {
    await act(stage, start);
  } finally {
    for (const { stop } of all) stop();
    await Promise.allSettled(all.map(({ ended }) => ended));
    await stage.stop();
  }
}

interface Started {
  readonly ended: Promise<void>;
  stop(): void;
}

async function holders(stage: Stage): Promise<readonly string[]> {
  const { items } = await stage.client.list(lease, { namespace: "butler-system" });
  const own = items.filter(({ metadata }) => metadata.name?.startsWith("butler-provider-"));
  return own.map(({ metadata, spec }) => `${metadata.name} ${spec?.holderIdentity ?? ""}`).sort();
}

const led = (by: string) => [`butler-provider-harvester ${by}`, `butler-provider-proxmox ${by}`];

test("one process leads for each provider by a lease of its own, and another takes over when it stops", () =>
  staged(async (stage, start) => {
    const one = start("one");
    await stage.until("one leads", async () => (await holders(stage)).join() === led("one").join());
    start("two");
    await stage.settle(30_000);
    assert.deepEqual(await holders(stage), led("one"));
    one.stop();
    await one.ended;
    await stage.until("two leads", async () => (await holders(stage)).join() === led("two").join());
  }));

test("a process that loses one lease stops all its work and says why", () =>
  staged(async (stage, start) => {
    const one = start("one");
    await stage.until("one leads", async () => (await holders(stage)).join() === led("one").join());
    await stage.client.mergePatch(
      lease,
      { namespace: "butler-system", name: "butler-provider-proxmox" },
      { spec: { holderIdentity: "thief", leaseDurationSeconds: 60, renewTime: "2026-01-01T01:00:00.000000Z" } },
    );
    let error: unknown;
    let isOver = false;
    one.ended
      .catch((thrown: unknown) => {
        error = thrown;
      })
      .finally(() => {
        isOver = true;
      });
    await stage.until("over", () => isOver);
    assert.ok(error instanceof LostLeadershipError);
    assert.deepEqual(await holders(stage), ["butler-provider-harvester ", "butler-provider-proxmox thief"]);
  }));
