// SPDX-License-Identifier: Apache-2.0
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parentPort, workerData } from "node:worker_threads";
import {
  createClient,
  createLog,
  type HandlerResponse,
  type HandlerTransport,
  manualClock,
} from "../../../kube/index.ts";
import { createManagers } from "../../managers.ts";
import type { ProviderEntry } from "../../provider-entry.ts";
import { seededRandom, seedOf } from "../sweep/seeded-random.ts";
import type { Side } from "../sweep/traffic.ts";
import type {
  ThreadAnswer,
  ThreadError,
  ThreadGets,
  ThreadOrder,
  ThreadSends,
  ThreadStart,
} from "./thread-messages.ts";

// One manager with a heap of its own: what it holds can be measured, and when it is killed nothing of it is left.

// Code that is compiled stays: otherwise the heap would tell which code ran lately.
setFlagsFromString("--no-flush-bytecode");
setFlagsFromString("--expose-gc");

const KEPT_LINES = 300;
const COLLECTIONS = 3;
/** Turns of the event loop in a row in which nothing was sent: there is nothing left to do. */
const QUIET_TURNS = 3;
/** Whoever is not at rest after so many does the same over and over. */
const MOST_TURNS = 100_000;

const start: ThreadStart = workerData;
const clock = manualClock(start.nowMs - start.monotonicMs);
await clock.advance(start.monotonicMs);
const random = seededRandom(seedOf(start.seed, start.name));
const lines: string[] = [];
let outgoing: ThreadSends[] = [];
let sent = 0;
let leaks = 0;
let ended: ThreadAnswer["ended"];

interface Waiting {
  readonly answer: (response: HandlerResponse) => void;
  readonly fail: (error: Error) => void;
  stream: Stream | undefined;
}

const waiting = new Map<number, Waiting>();

function send(message: ThreadSends): void {
  outgoing.push(message);
}

function lineTo(side: Side): HandlerTransport {
  return ({ method, path, headers, body, signal }) =>
    new Promise((answer, fail) => {
      sent += 1;
      const id = sent;
      const entry: Waiting = { answer, fail, stream: undefined };
      waiting.set(id, entry);
      send({ type: "request", id, side, method, path, headers, body });
      const onAbort = () => {
        if (!waiting.delete(id)) return;
        send({ type: "abort", id });
        const error = new Error("the request was given up");
        fail(error);
        entry.stream?.end(error);
      };
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
    });
}

function take(message: ThreadGets): void {
  const { id, type } = message;
  const entry = waiting.get(id);
  if (entry === undefined) return;
  if (type === "piece") entry.stream?.push(message.text);
  else if (type === "end") {
    waiting.delete(id);
    const error = message.error === undefined ? undefined : errorOf(message.error);
    if (entry.stream === undefined) entry.fail(error ?? new Error("it ended without an answer"));
    else entry.stream.end(error);
  } else answered(entry, message);
}

function answered(entry: Waiting, { id, status, headers, body }: ThreadGets & { readonly type: "answer" }): void {
  if (body !== undefined) {
    waiting.delete(id);
    entry.answer({ status, headers, body });
    return;
  }
  entry.stream = createStream(() => {
    if (waiting.delete(id)) send({ type: "abort", id });
  });
  entry.answer({ status, headers, body: entry.stream.pieces });
}

function errorOf({ message, code }: ThreadError): Error {
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}

interface Stream {
  readonly pieces: AsyncIterable<string>;
  push(text: string): void;
  end(error: Error | undefined): void;
}

/** A stream that is read at its reader's pace. `onLeft` is called where the reader leaves before its end. */
function createStream(onLeft: () => void): Stream {
  const texts: string[] = [];
  let over: { readonly error: Error | undefined } | undefined;
  let wake = () => {};
  async function* read(): AsyncGenerator<string> {
    try {
      for (;;) {
        const text = texts.shift();
        if (text !== undefined) yield text;
        else if (over?.error !== undefined) throw over.error;
        else if (over !== undefined) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      onLeft();
    }
  }
  return {
    pieces: read(),
    push(text) {
      texts.push(text);
      wake();
    },
    end(error) {
      over ??= { error };
      wake();
    },
  };
}

async function entryOf(): Promise<ProviderEntry> {
  const { providers }: { providers: readonly ProviderEntry[] } = await import(start.providersUrl);
  const entry = providers.find(({ name }) => name === start.provider);
  if (entry === undefined) throw new Error(`there is no provider "${start.provider}"`);
  const code = await entry.load?.();
  return code === undefined ? entry : { ...entry, load: async () => code };
}

function write(line: string): void {
  if (start.canaries.some((canary) => line.includes(canary))) leaks += 1;
  lines.push(line.trim());
  if (lines.length > 2 * KEPT_LINES) lines.splice(0, KEPT_LINES);
}

const end = new AbortController();

async function run(): Promise<void> {
  const entry = await entryOf();
  const infrastructure = lineTo("infrastructure");
  const managers = createManagers({
    providers: [entry.name],
    entries: [entry],
    client: createClient({ server: "http://kubernetes" }, { transport: lineTo("kubernetes"), clock, random }),
    clock,
    random,
    log: createLog({ write, clock, level: "info", fields: { manager: start.name } }),
    identity: start.name,
    leaderElect: true,
    electionTimes: start.electionTimes,
    transport: () => infrastructure,
  });
  managers.run(end.signal).then(
    () => {
      ended = { error: undefined };
    },
    (error: unknown) => {
      ended = { error: String(error) };
    },
  );
}

/** Until nothing is left to do but to wait. All work is done in promises and in turns of the event loop. */
async function rest(): Promise<void> {
  for (let [quiet, turns] = [0, 0]; quiet < QUIET_TURNS; turns += 1) {
    const before = outgoing.length;
    await new Promise((resolve) => setImmediate(resolve));
    quiet = outgoing.length === before ? quiet + 1 : 0;
    if (turns < MOST_TURNS) continue;
    const last = outgoing.slice(-20).map((message) => JSON.stringify({ ...message, headers: undefined }));
    throw new Error(`${start.name} never rests: ${last.join("\n")}\n${lines.slice(-20).join("\n")}`);
  }
}

async function obey(order: ThreadOrder): Promise<Partial<ThreadAnswer>> {
  if (order.type === "measure") return { heapBytes: await heapAfterCollection(), lines };
  // A little more than that: both clocks are rounded.
  await clock.advance(Math.max(0, order.monotonicMs + 0.001 - clock.monotonic()));
  for (const message of order.mail) take(message);
  if (order.isAskedToEnd) end.abort(new Error("the manager is asked to end"));
  await rest();
  return {};
}

/** Objects and buffers, without machine code: how much of that there is at a moment is the compiler's business. */
async function heapAfterCollection(): Promise<number> {
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("this Node collects no garbage on demand");
  // What only finalizers hold goes with the next collection.
  for (let times = 0; times < COLLECTIONS; times += 1) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const objects = getHeapSpaceStatistics().filter(({ space_name: name }) => !name.includes("code"));
  return objects.reduce((sum, { space_used_size: bytes }) => sum + bytes, process.memoryUsage().external);
}

function answer(more: Partial<ThreadAnswer> = {}): void {
  const mail = outgoing;
  outgoing = [];
  const inMs = clock.nextInMs;
  const nextAtMs = inMs === undefined ? undefined : clock.monotonic() + inMs;
  const last = ended === undefined ? {} : { ended, lines };
  parentPort?.postMessage({ mail, nextAtMs, leaks, ...last, ...more } satisfies ThreadAnswer);
}

parentPort?.on("message", (order: ThreadOrder) => void obey(order).then(answer));
await run();
await rest();
answer();
