// SPDX-License-Identifier: Apache-2.0
import { type Random, sleep } from "../../kube/index.ts";
import { type Process, startProcess } from "./hand-over-process.ts";
import { type PlainCloud, plainCloud } from "./plain-provider.ts";
import { raiseStage, type Stage } from "./stage.ts";

/** Several processes, one Kubernetes, one infrastructure, and one true time. Whatever is sent by one who may not act is a fault. */
export interface HandOverWorld {
  readonly stage: Stage;
  readonly cloud: PlainCloud;
  /** What happened that never should. */
  readonly faults: readonly string[];
  start(name: string): Process;
  /** The lease as the server has it. */
  readonly lease: { readonly holder: string; readonly writtenAt: number };
  /** Goes on from one event to the next for so long, or until this holds. Everything waits for the clock, or for somebody else, then. */
  advance(ms: number, isEnough?: () => boolean): Promise<void>;
  /** Goes on until this holds; resolves to how long that took. Rejects after so many milliseconds of the clock. */
  until(what: string, holds: () => boolean, withinMs: number): Promise<number>;
  stop(): Promise<void>;
}

/** The longest that a request or an answer is on its way. */
export const TRAVEL_MS = 40;
/** As many as a request in this process needs until it waits for the clock again. */
const TURNS = 8;

/** Makes a world with a ProviderConfig that works, and without processes. */
export async function createHandOverWorld(random: Random): Promise<HandOverWorld> {
  const cloud = plainCloud({ watches: true, clock: () => stage.clock });
  const stage = await raiseStage([cloud.entry]);
  await stage.secret();
  await stage.config();
  const { clock } = stage;
  const faults: string[] = [];
  const lease = { holder: "", writtenAt: 0 };
  const started: Process[] = [];
  const settle = async () => {
    for (let turns = 0; turns < TURNS; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const step = async (longestMs: number) => {
    await settle();
    await clock.advance(Math.min(longestMs, Math.max(0, clock.nextInMs ?? longestMs)));
  };
  return {
    stage,
    cloud,
    faults,
    lease,
    start(name) {
      const travel = () => sleep(clock, random() * TRAVEL_MS);
      const blame = (fault: string) => void faults.push(fault);
      const process = startProcess(name, { stage, cloud, random, travel, lease, blame });
      started.push(process);
      return process;
    },
    async advance(ms, isEnough = () => false) {
      const end = clock.monotonic() + ms;
      while (clock.monotonic() < end && !isEnough()) await step(end - clock.monotonic());
      await settle();
    },
    async until(what, holds, withinMs) {
      const start = clock.monotonic();
      for (;;) {
        const tookMs = clock.monotonic() - start;
        if (holds()) return tookMs;
        if (tookMs > withinMs) throw new Error(`${what}: not within ${withinMs} ms\n${lastOf(stage.lines)}`);
        await step(withinMs - tookMs + 1);
      }
    },
    async stop() {
      for (const process of started) process.kill();
      await stage.stop();
    },
  };
}

function lastOf(lines: readonly string[]): string {
  return lines
    .slice(-20)
    .map((line) => line.slice(0, 300).trimEnd())
    .join("\n");
}
