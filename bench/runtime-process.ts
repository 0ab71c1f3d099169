// SPDX-License-Identifier: Apache-2.0
import { createInterface } from "node:readline";
import { WIDGETS_PATH } from "./plane-widgets.ts";
import { butler } from "./runtime-butler.ts";
import { clientNode } from "./runtime-client-node.ts";
import type { Contestant, RuntimeAnswer, RuntimeRequest, Setup } from "./runtime-contestant.ts";
import { liveMb, restedMb } from "./runtime-memory.ts";
import { bareUndici } from "./runtime-undici.ts";
import { createWriter } from "./runtime-writer.ts";

type Open = (setup: Setup) => Promise<Contestant | undefined>;

const WAYS: Readonly<Record<string, Open>> = {
  butler,
  "client-node": clientNode,
  undici: bareUndici,
  nobody: async () => undefined,
};

/** One contestant in a process of its own. Reads a request per line and writes an answer per line. */
async function serve(name: string, setup: Setup): Promise<void> {
  const open = WAYS[name];
  if (open === undefined) throw new Error(`there is no contestant "${name}"`);
  const before = performance.now();
  const contestant = await open(setup);
  const importMs = performance.now() - before;
  for await (const line of createInterface({ input: process.stdin })) {
    const request: RuntimeRequest = JSON.parse(line);
    const answer = await perform({ request, contestant, setup, importMs });
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
  await contestant?.close();
}

interface Performance {
  readonly request: RuntimeRequest;
  /** Nobody where Node itself is measured. */
  readonly contestant: Contestant | undefined;
  readonly setup: Setup;
  readonly importMs: number;
}

async function perform({ request, contestant, setup, importMs }: Performance): Promise<RuntimeAnswer> {
  switch (request.operation) {
    case "start":
      return { importMs };
    case "memory":
      return { memoryMb: await restedMb(request.restMs) };
    case "live memory":
      return { memoryMb: await liveMb() };
  }
  if (contestant === undefined) throw new Error("there is nobody who could");
  switch (request.operation) {
    case "get":
    case "apply": {
      const { names, operation } = request;
      const nameOf = (at: number) => names[at % names.length] ?? "";
      return repeat(request, (client, count) =>
        // Those who apply have one object each: the server is not asked to settle their conflicts.
        operation === "get" ? contestant.get(nameOf(count)) : contestant.apply(nameOf(client), count),
      );
    }
    case "watch":
      return watchLatency(contestant, { setup, ms: request.ms, name: request.names[0] ?? "" });
    case "sync": {
      const before = performance.now();
      const count = await contestant.sync();
      return { count, syncMs: performance.now() - before };
    }
    case "reconcile":
      return { perSecond: (await contestant.reconcile?.(request.ms)) ?? Number.NaN };
  }
}

interface Repetition {
  readonly clients: number;
  readonly ms: number;
}

/** Does the same with so many clients until the time is over, each waiting for its answer. */
async function repeat(
  { clients, ms }: Repetition,
  act: (client: number, count: number) => Promise<void>,
): Promise<RuntimeAnswer> {
  const started = performance.now();
  const cpuBefore = process.cpuUsage();
  let count = 0;
  const run = async (client: number) => {
    while (performance.now() - started < ms) await act(client, ++count);
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => run(client)));
  const wallMs = performance.now() - started;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { count, wallMs, cpuMs: (user + system) / 1000 };
}

interface Watching {
  readonly setup: Setup;
  readonly ms: number;
  readonly name: string;
}

/** From the moment a change is sent until the contestant tells of it. The change is sent the same way for all of them. */
async function watchLatency(contestant: Contestant, { setup, ms, name }: Watching): Promise<RuntimeAnswer> {
  const writer = createWriter(setup.target, `${WIDGETS_PATH("watched")}/${name}`);
  let heard = (_size: number) => {};
  const stop = await contestant.watch((size) => heard(size));
  const times: number[] = [];
  const started = performance.now();
  // Sizes only grow, from one round to the next as well.
  for (let size = Date.now() * 10; performance.now() - started < ms; size += 1) {
    const told = new Promise<void>((resolve) => {
      heard = (one) => one >= size && resolve();
    });
    const before = performance.now();
    await Promise.all([writer.write(size), told.then(() => times.push(performance.now() - before))]);
  }
  await stop();
  writer.close();
  times.sort((one, other) => one - other);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

await serve(process.argv[2] ?? "", JSON.parse(process.argv[3] ?? "{}"));
