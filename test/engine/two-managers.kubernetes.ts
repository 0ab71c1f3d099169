// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { leaseName } from "../../src/engine/names.ts";
import { seededRandom } from "../seeded-random.ts";
import { type Crew, createCrew } from "./crew.ts";
import { type Kind, refusalsOf, type Suffered, sentSince, suffer, type TroubleOptions } from "./leader-trouble.ts";
import { leaveNothing } from "./leave-nothing.ts";
import { beginLives, type Lives } from "./many-lives.ts";
import { type RealWorld, realWorld } from "./two-managers-world.ts";
import { callWitness } from "./witness.ts";

const LIVES = 200;
const AT_ONCE = 40;
const TROUBLES = 10;
const KINDS: readonly Kind[] = ["is killed", "sleeps", "naps", "is killed", "sleeps"];
/** Shorter than the usual times, so that there are many hand-overs in a test of minutes. */
const TIMES = { leaseMs: 4_000, renewMs: 3_000, retryMs: 500 };
const WORDS = [
  ...["--providers", "harvester"],
  ...["--leader-elect-lease-duration", `${TIMES.leaseMs}ms`],
  ...["--leader-elect-renew-deadline", `${TIMES.renewMs}ms`],
  ...["--leader-elect-retry-period", `${TIMES.retryMs}ms`],
];
/** The same troubles each time; give another number in BUTLER_SEED to look further. */
const SEED = Number(process.env.BUTLER_SEED ?? 20260501);

const worldOf = realWorld();

test(`two managers on a real API server, the leader killed or paused ${TROUBLES} times under ${LIVES} lives (BUTLER_SEED=${SEED}): never two machines, none lost, nothing left, and a leader that wakes up sends nothing`, async (t) => {
  const began = performance.now();
  const world = await worldOf(t, SEED);
  if (world === undefined) return;
  t.after(() => world.stop());
  const witness = await callWitness(world);
  t.after(() => witness.stop());
  const { client, stage } = world;
  const crew = await createCrew({
    client,
    stage,
    words: WORDS,
    lease: leaseName("harvester"),
    onChange: witness.wake,
  });
  t.after(() => crew.stop());
  const lives = beginLives(world, witness, { count: AT_ONCE, seed: SEED + 1000 });
  const options = { crew, witness, random: seededRandom(SEED), times: TIMES };
  await explained(t, { world, crew }, async () => {
    const { suffered, gaveUp } = await troubles(world, options);
    const troubled = performance.now();
    await witness.until(
      () => `${LIVES} lives: ${endedOf(lives)} have ended`,
      () => endedOf(lives) >= LIVES - AT_ONCE,
    );
    await lives.finish();
    await leaveNothing(world, witness);
    for (const { manager } of crew.members) await manager.end("asked");
    for (const { manager } of crew.members) assert.equal(manager.ended(), "exit code 0");
    assert.equal(witness.mostAtOnce, 1);
    assert.ok(endedOf(lives) >= LIVES);
    await checkWoken(t, { world, suffered });
    tell(t, { suffered, gaveUp });
    t.diagnostic(
      `${endedOf(lives)} lives; ${witness.machinesMade} machines, never two for one request; ${lives.doubtful} waited for a create ` +
        `call that nobody knew the answer of; ${seconds(troubled - began)} of troubles, ${seconds(performance.now() - troubled)} until the last was gone`,
    );
  });
});

/** One leader after the other. Those that gave their lease up by themselves, as on a computer with too much to do, are replaced. */
async function troubles({ simulator }: RealWorld, options: TroubleOptions) {
  const { crew, witness, random } = options;
  const suffered: Suffered[] = [];
  let gaveUp = 0;
  let writes = 0;
  simulator.inject({
    effect: { type: "cut-before" },
    on({ isWrite }) {
      writes += Number(isWrite);
      return false;
    },
  });
  const complete = async (count: number) => {
    for (const member of crew.members) {
      if (member.manager.ended() === undefined) continue;
      assert.equal(member.manager.ended(), "exit code 1", await member.manager.log());
      gaveUp += 1;
      crew.dismiss(member);
      await member.manager.end("killed");
    }
    while (crew.members.size < count) await crew.hire();
  };
  while (suffered.length < TROUBLES) {
    const completing = complete(random.once(3) ? 3 : 2);
    // Handled below; the leader may be at work meanwhile.
    completing.catch(() => {});
    await witness.until(
      () => "one leads",
      () => crew.leader() !== undefined,
    );
    const leader = crew.leader() ?? assert.fail("nobody leads");
    // In the middle of its work.
    const enough = writes + 10 + random.below(100);
    await witness.until(
      () => `${enough - writes} more writes`,
      () => writes >= enough || crew.leader() !== leader,
    );
    await completing;
    if (crew.leader() === leader)
      suffered.push(await suffer(leader, KINDS[suffered.length % KINDS.length] ?? "is killed", options));
    witness.checkFaults();
  }
  await complete(2);
  return { suffered, gaveUp };
}

/**
 * Nothing has left one that was woken too late, neither for Kubernetes nor for Harvester. One write to Kubernetes is let pass: a
 * process may be stopped between the moment in which it asks whether it may write and the one in which it does.
 */
async function checkWoken(
  t: TestContext,
  { world, suffered }: { readonly world: RealWorld; readonly suffered: readonly Suffered[] },
): Promise<void> {
  const writes = await world.writes();
  for (const each of suffered) {
    const own = writes.filter(({ credential }) => credential === each.victim.credential);
    assert.ok(own.length > 0, "the audit knows who writes");
    const { wokenAt = Number.POSITIVE_INFINITY } = each;
    const late = own.filter(({ at }) => at >= wokenAt);
    if (late.length === 1) t.diagnostic(`was stopped in the middle of a write: ${JSON.stringify(late)}`);
    else assert.deepEqual(late, []);
    assert.deepEqual(sentSince(each), []);
  }
}

function tell(t: TestContext, { suffered, gaveUp }: { suffered: readonly Suffered[]; gaveUp: number }): void {
  const boundMs = TIMES.leaseMs + 2 * 2.2 * TIMES.retryMs;
  const took = suffered.map(({ tookMs }) => tookMs).toSorted((left, right) => left - right);
  const counts = [...Map.groupBy(suffered, ({ kind }) => kind)].map(([kind, all]) => `${kind}: ${all.length}`);
  t.diagnostic(
    `${suffered.length} troubles (${counts.toSorted().join(", ")}), ${suffered.length + gaveUp} hand-overs, ${gaveUp} of them because a leader could not renew in time; ` +
      `another had the lease after ${seconds(took.at(-1) ?? 0)} at the latest, ${seconds(took[Math.floor(took.length / 2)] ?? 0)} in the middle; ` +
      `on a quiet computer ${seconds(boundMs)} at the latest`,
  );
  const woken = suffered.filter(({ wokenAt }) => wokenAt !== undefined);
  const refusals = woken.map(refusalsOf);
  t.diagnostic(
    `${woken.length} leaders woke up too late: ${refusals.reduce((sum, each) => sum + each, 0)} things that they were about to start or send were refused ` +
      `(${refusals.join(", ")}), none arrived anywhere`,
  );
}

/** What fails is told with all that the managers and the API server say about the machine that it is about. */
async function explained(
  t: TestContext,
  { world, crew }: { world: RealWorld; crew: Crew },
  act: () => Promise<void>,
): Promise<void> {
  try {
    await act();
  } catch (error) {
    const machine = /\bs\d+n\d+\b/.exec(String(error))?.[0] ?? "";
    for (const [at, { manager, identity, credential }] of crew.hired.entries()) {
      const about = (await manager.log()).split("\n").filter((line) => line.includes(`${machine}"`));
      t.diagnostic(
        `manager ${at + 1}, ${identity}, ${credential}, ${manager.ended() ?? "running"}:\n${about.slice(-60).join("\n")}`,
      );
    }
    const writes = (await world.writes()).filter(({ what }) => what.endsWith(` ${machine}`));
    t.diagnostic(
      writes
        .map(({ at, credential, what, status }) => `${new Date(at).toISOString()} ${credential} ${what} ${status}`)
        .join("\n"),
    );
    throw error;
  }
}

function endedOf({ ended }: Lives): number {
  return [...ended.values()].reduce((sum, each) => sum + each, 0);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
