// SPDX-License-Identifier: Apache-2.0
import type { LifeStory } from "./life.ts";
import { planText } from "./life-plan.ts";
import type { Violation } from "./oracle.ts";

/** A life in which something was that must never be. */
export interface FailedLife {
  /** To be repeated alone. */
  readonly plan: string;
  readonly seed: number;
  readonly violations: readonly Violation[];
}

/** What a sweep has shown. */
export interface SweepReport {
  readonly lives: number;
  /** The requests at which something happened, as `infrastructure#7`. */
  readonly points: readonly string[];
  /** How often each fault happened. */
  readonly faults: Readonly<Record<string, number>>;
  readonly restarts: number;
  /** Lives with at least one such violation. */
  readonly violations: Readonly<Record<Violation["kind"], number>>;
  readonly failed: readonly FailedLife[];
  /** Incidents whose request did not come, as it may be after another incident. */
  readonly missed: number;
  readonly mostMachines: number;
  /** Of each life to the infrastructure. */
  readonly calls: readonly number[];
  /** Of the life that nothing disturbs. */
  readonly undisturbedCalls: number;
  readonly simulatedMs: number;
  readonly seconds: number;
}

/** Of no lives. */
export const NO_REPORT: SweepReport = {
  lives: 0,
  points: [],
  faults: {},
  restarts: 0,
  violations: { duplicate: 0, leftover: 0, status: 0, leak: 0, calls: 0, stuck: 0, point: 0 },
  failed: [],
  missed: 0,
  mostMachines: 0,
  calls: [],
  undisturbedCalls: 0,
  simulatedMs: 0,
  seconds: 0,
};

/** The report of these lives. */
export function reportOf(
  stories: readonly LifeStory[],
  { seconds, undisturbedCalls }: Pick<SweepReport, "seconds" | "undisturbedCalls">,
): SweepReport {
  const met = stories.flatMap(({ plan, missed }) => plan.filter((incident) => !missed.includes(incident)));
  const faults: Record<string, number> = {};
  for (const { what } of met) faults[what] = (faults[what] ?? 0) + 1;
  const violations = { ...NO_REPORT.violations };
  for (const story of stories)
    for (const kind of new Set(story.violations.map((one) => one.kind))) violations[kind] += 1;
  return {
    lives: stories.length,
    points: [...new Set(met.map(({ side, number }) => `${side}#${number}`))],
    faults,
    restarts: met.filter(({ restarts, what }) => restarts || what.startsWith("kill-")).length,
    violations,
    failed: stories
      .filter((story) => story.violations.length > 0)
      .map(({ plan, seed, violations: its }) => ({ plan: planText(plan), seed, violations: its })),
    missed: stories.reduce((sum, { missed }) => sum + missed.length, 0),
    mostMachines: Math.max(0, ...stories.map((story) => story.mostMachines)),
    calls: stories.map(({ calls }) => calls),
    undisturbedCalls,
    simulatedMs: stories.reduce((sum, { simulatedMs }) => sum + simulatedMs, 0),
    seconds,
  };
}

/** One report of several that were made side by side of the same life. */
export function merged(reports: readonly SweepReport[]): SweepReport {
  return reports.reduce(
    (left, right) => ({
      lives: left.lives + right.lives,
      points: [...new Set([...left.points, ...right.points])],
      faults: added(left.faults, right.faults),
      restarts: left.restarts + right.restarts,
      violations: { ...NO_REPORT.violations, ...added(left.violations, right.violations) },
      failed: [...left.failed, ...right.failed],
      missed: left.missed + right.missed,
      mostMachines: Math.max(left.mostMachines, right.mostMachines),
      calls: [...left.calls, ...right.calls],
      undisturbedCalls: Math.max(left.undisturbedCalls, right.undisturbedCalls),
      simulatedMs: left.simulatedMs + right.simulatedMs,
      seconds: Math.max(left.seconds, right.seconds),
    }),
    NO_REPORT,
  );
}

function added(
  left: Readonly<Record<string, number>>,
  right: Readonly<Record<string, number>>,
): Record<string, number> {
  const sums: Record<string, number> = { ...left };
  for (const [name, count] of Object.entries(right)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

/** How a sweep was done. */
export interface ReportedSweep {
  /** A word for it, which stands before a life that is to be repeated; none unless told otherwise. */
  readonly mode?: string;
}

/** What repeats a life, to be pasted before the command: `BUTLER_SWEEP_SEED=7 BUTLER_SWEEP="basic: infrastructure#7 cut"`. */
function replayText({ plan, seed }: FailedLife, { mode }: ReportedSweep = {}): string {
  return `BUTLER_SWEEP_SEED=${seed} BUTLER_SWEEP="${mode === undefined ? "" : `${mode}: `}${plan}"`;
}

/** For people, one fact per line. */
export function reportText(report: SweepReport, swept: ReportedSweep = {}): string {
  const { violations, faults } = report;
  const calls = report.calls.toSorted((one, other) => one - other);
  const median = calls[Math.floor(calls.length / 2)] ?? 0;
  const hours = (report.simulatedMs / 3_600_000).toFixed(1);
  return [
    `lives ${report.lives}, points ${report.points.length}, restarts ${report.restarts}, simulated hours ${hours}, seconds ${report.seconds.toFixed(1)}`,
    `faults: ${Object.entries(faults)
      .map(([name, count]) => `${name} ${count}`)
      .join(", ")}`,
    `duplicates ${violations.duplicate}, leftovers ${violations.leftover}, wrong statuses ${violations.status}, leaked secrets ${violations.leak}, stuck ${violations.stuck}, too many calls ${violations.calls}, other requests than recorded ${violations.point}`,
    `most machines at once ${report.mostMachines}; calls per life: undisturbed ${report.undisturbedCalls}, least ${calls[0] ?? 0}, median ${median}, most ${calls.at(-1) ?? 0}; incidents that never came ${report.missed}`,
    ...report.failed.map((life) => {
      const seen = life.violations.map(({ kind, text }) => `${kind}: ${text.slice(0, 400)}`);
      return `FAILED ${replayText(life, swept)}: ${seen.join("; ")}`;
    }),
  ].join("\n");
}
