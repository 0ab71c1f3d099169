// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../seeded-random.ts";
import type { Crew, Member } from "./crew.ts";
import type { Witness } from "./witness.ts";

/** What is done to a leader. `sleeps`: it is stopped until another leads. `naps`: it is woken when it may act no more and nobody leads yet. */
export type Kind = "is killed" | "sleeps" | "naps";

/** A leader that suffered something, and what came of it. */
export interface Suffered {
  readonly kind: Kind;
  /** Until another had the lease. */
  readonly tookMs: number;
  readonly victim: Member;
  /** When it was woken, in milliseconds since 1970; undefined where it never was. */
  readonly wokenAt: number | undefined;
  /** All that it ever wrote. */
  readonly log: string;
}

/** The times of the election, in milliseconds. */
export interface Times {
  readonly leaseMs: number;
  readonly renewMs: number;
  readonly retryMs: number;
}

/** What there is to a trouble. */
export interface TroubleOptions {
  readonly crew: Crew;
  readonly witness: Witness;
  readonly random: Random;
  readonly times: Times;
}

const END_MS = 60_000;

/** Has the leader suffer that, waits until another leads, and buries it. */
export async function suffer(leader: Member, kind: Kind, options: TroubleOptions): Promise<Suffered> {
  const { crew, witness, random, times } = options;
  const { pid } = leader.manager;
  const anotherLeads = () =>
    witness.until(
      () => `another leads after one that ${kind}`,
      () => ![undefined, leader].includes(crew.leader()),
    );
  const began = performance.now();
  let wokenAt: number | undefined;
  if (kind === "is killed") process.kill(pid, "SIGKILL");
  else {
    process.kill(pid, "SIGSTOP");
    if (kind === "sleeps") await anotherLeads();
    const gapMs = times.leaseMs - times.renewMs;
    await delay(kind === "sleeps" ? random.below(times.leaseMs) : times.renewMs + random.below(gapMs));
    wokenAt = Date.now();
    process.kill(pid, "SIGCONT");
  }
  await ended(leader);
  await anotherLeads();
  const tookMs = crew.changedAt() - began;
  crew.dismiss(leader);
  await leader.manager.end("killed");
  assert.equal(leader.manager.ended(), kind === "is killed" ? "SIGKILL" : "exit code 1");
  return { kind, tookMs, victim: leader, wokenAt, log: await leader.manager.log() };
}

async function ended({ manager }: Member): Promise<void> {
  const deadline = performance.now() + END_MS;
  while (manager.ended() === undefined) {
    assert.ok(performance.now() < deadline, `a manager that leads no more does not end:\n${await manager.log()}`);
    await delay(20);
  }
}

/** What one that was woken wanted to do and did not, by its own account. */
export function refusalsOf({ log }: Suffered): number {
  return linesOf(log).reduce(
    (sum, { message, refusals }) => sum + (message === "stopped" ? Number(refusals ?? 0) : 0),
    0,
  );
}

/** What one that was woken has sent to the infrastructure since, by its own account. */
export function sentSince({ log, wokenAt = Number.POSITIVE_INFINITY }: Suffered): readonly string[] {
  return linesOf(log)
    .filter(({ message, result }) => message === "outside call" && result !== "not-sent")
    .filter(({ time, durationMs }) => Date.parse(String(time)) - Number(durationMs) > wokenAt)
    .map(({ verb, machine }) => `${verb} ${machine}`);
}

function linesOf(log: string): readonly Readonly<Record<string, unknown>>[] {
  return log
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => JSON.parse(line));
}
