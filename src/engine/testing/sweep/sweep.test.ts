// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { machineRequest } from "../../../api/index.ts";
import { configMap } from "../../../kube/index.ts";
import { provider as harvester } from "../../../providers/harvester/index.ts";
import { harvesterBlock } from "../../../providers/harvester/settings.ts";
import { harvesterSimulator as simulator } from "../../../providers/harvester/simulator.ts";
import type { Machines } from "../../provider.ts";
import { providerConfigDescriptor } from "../../provider-config-use.ts";
import type { ProviderEntry } from "../../provider-entry.ts";
import { FAULTS } from "./fault.ts";
import { live } from "./life.ts";
import { parsePlan } from "./life-plan.ts";
import { sweep } from "./sweep.ts";
import { pointText } from "./traffic.ts";
import { raiseWorld, type World } from "./world.ts";

const entry = entryWith({});

type Changes = { readonly [Verb in keyof Machines]?: (machines: Machines) => Machines[Verb] };

/** Harvester, with some of its verbs replaced. */
function entryWith(changes: Changes): ProviderEntry {
  const provider = {
    ...harvester,
    async connect(input: Parameters<typeof harvester.connect>[0]) {
      const connection = await harvester.connect(input);
      const { machines } = connection;
      const changed = Object.fromEntries(Object.entries(changes).map(([verb, change]) => [verb, change(machines)]));
      return { ...connection, machines: { ...machines, ...changed } };
    },
  };
  return { ...harvesterBlock, load: async () => ({ provider }) };
}

test("a life is the same request by request and line by line whenever it is lived with the same seed", async () => {
  const plan = parsePlan("infrastructure#27 late-hang restart + kubernetes#16 cut");
  const told = async (seed: number) => {
    const { points, lines, simulatedMs, violations } = await live({ entry, simulator, plan, seed });
    return { points: points.map(pointText), lines, simulatedMs, violations };
  };
  const first = await told(3);
  assert.deepEqual(await told(3), first);
  assert.deepEqual(first.violations, []);
  assert.notDeepEqual((await told(4)).points, first.points);
});

test("a sweep tells how many lives there were, at how many points, with which faults", async () => {
  const report = await sweep(entry, simulator, {
    plans: () => ["infrastructure#27 cut", "infrastructure#27 429 restart", "kubernetes#9 kill-after"].map(parsePlan),
  });
  assert.deepEqual([report.lives, report.points.length, report.restarts, report.mostMachines], [3, 2, 2, 1]);
  assert.deepEqual(report.faults, { cut: 1, "429": 1, "kill-after": 1 });
  assert.deepEqual([report.failed, report.missed, report.calls.length], [[], 0, 3]);
});

/** Sees nothing of what is there. */
const BLIND = {
  find: () => async () => ({}),
  list: () => async () => [],
  watch: () => undefined,
};

/** Mistakes of a provider, and what the oracle calls them when the answer to the creation of the machine is lost. */
const MISTAKES: readonly (readonly [string, { changes: Changes; isDeleted: boolean; kinds: readonly string[] }])[] = [
  [
    "a machine that is not found again, and whose name differs from try to try, is made twice",
    {
      changes: {
        ...BLIND,
        create:
          ({ create }) =>
          (want, call) =>
            create({ ...want, name: newName(want.name) }, call),
      },
      isDeleted: false,
      kinds: ["duplicate"],
    },
  ],
  [
    "a machine that is not looked for properly is left behind",
    { changes: BLIND, isDeleted: true, kinds: ["duplicate", "leftover"] },
  ],
  [
    "a machine that is never deleted keeps its request for ever",
    { changes: { delete: () => async () => undefined }, isDeleted: false, kinds: ["stuck"] },
  ],
];

let names = 0;
function newName(name: string): string {
  names += 1;
  return `${name}-${names}`;
}

for (const [what, { changes, isDeleted, kinds }] of MISTAKES)
  test(`the oracle sees that ${what}`, async () => {
    const prepare = ({ disturb, client }: World) => {
      const key = { namespace: "butler-system", name: "web-1" };
      disturb({
        on: ({ method, path }) => method === "POST" && path.endsWith("/virtualmachines"),
        fault: FAULTS["lose-answer"],
        async after() {
          if (isDeleted) await client.delete(machineRequest, key);
        },
      });
    };
    const { violations } = await live({ entry: entryWith(changes), simulator, plan: [], prepare });
    const seen = new Set<string>(violations.map(({ kind }) => kind));
    const unseen = kinds.filter((kind) => !seen.has(kind));
    assert.deepEqual(unseen, [], JSON.stringify(violations));
  });

/** Does something through a person's client as soon as the machine is gone from the infrastructure. */
function onceGone(act: (world: World) => Promise<unknown>) {
  return (world: World) => {
    let wasThere = false;
    const cancel = world.onStill(() => {
      wasThere ||= world.sim.machines().length > 0;
      if (!wasThere || world.sim.machines().length > 0) return;
      cancel();
      void act(world);
    });
  };
}

const LEFT: readonly (readonly [string, (world: World) => Promise<unknown>])[] = [
  [
    "ConfigMap butler-system/junk",
    ({ client }) => client.create(configMap, { metadata: { name: "junk", namespace: "butler-system" } }),
  ],
  [
    "ProviderConfig butler-system/prod",
    ({ client }) =>
      client.mergePatch(
        providerConfigDescriptor,
        { namespace: "butler-system", name: "prod" },
        { metadata: { finalizers: ["example.com/junk"] } },
      ),
  ],
];

for (const [what, leave] of LEFT)
  test(`the oracle sees what every life leaves in Kubernetes: ${what}`, async () => {
    const prepare = onceGone(leave);
    const { violations } = await live({ entry, simulator, plan: [], prepare });
    assert.deepEqual(
      violations.map(({ kind, text }) => [kind, text.startsWith(`Kubernetes: ${what}`)]),
      [["leftover", true]],
      JSON.stringify(violations),
    );
  });

test("a killed manager sends nothing more, and the next one finds all it needs on the servers", async () => {
  const world = await raiseWorld({ entry, simulator });
  try {
    world.startManager();
    await world.request("web-1");
    await world.until("launched", () => world.sim.machines().length === 1);
    for (const manager of world.managers) manager.kill();
    const { length } = world.traffic.points;
    await world.pass(600_000);
    assert.equal(world.traffic.points.length, length);
    assert.notEqual(world.requestNow("web-1")?.status?.phase, "Running");
    world.startManager();
    await world.until("Running", () => world.requestNow("web-1")?.status?.phase === "Running", 60_000);
    assert.equal(world.sim.machines().length, 1);
  } finally {
    await world.stop();
  }
});

test("a leader that sleeps is followed by another, and does no harm when it wakes", async () => {
  const world = await raiseWorld({ entry, simulator });
  try {
    const leader = world.startManager({ leaderElect: true });
    await world.pass(1_000);
    world.startManager({ leaderElect: true });
    await world.request("web-1");
    await world.until("created", () => world.sim.machines().length === 1);
    leader.pause();
    await world.until("Running", () => world.requestNow("web-1")?.status?.phase === "Running", 120_000);
    leader.wake();
    await world.pass(60_000);
    assert.equal(leader.isAlive, false);
    assert.equal(world.requestNow("web-1")?.status?.phase, "Running");
    assert.equal(world.sim.machines().length, 1);
  } finally {
    await world.stop();
  }
});
