// SPDX-License-Identifier: Apache-2.0
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { HandlerResponse, HandlerTransport } from "../../../kube/index.ts";
import { createLine } from "../sweep/line.ts";
import type { Side } from "../sweep/traffic.ts";
import { createVitality } from "../sweep/vitality.ts";
import type { World } from "../sweep/world.ts";
import type {
  ThreadAnswer,
  ThreadError,
  ThreadGets,
  ThreadOrder,
  ThreadSends,
  ThreadStart,
} from "./thread-messages.ts";

/** A manager in a thread of its own. It moves only when it is told to, so that everything it does can be repeated. */
export interface ThreadedManager {
  readonly name: string;
  readonly isAlive: boolean;
  /** When it was started, on the world's clock. */
  readonly startedAtMs: number;
  /** When it wants to go on by itself. */
  readonly nextAtMs: number | undefined;
  /** Whether something waits to be told to it. */
  readonly hasMail: boolean;
  /** Tells it what there is to tell, and lets it go on until it only waits. What is returned sends what it sent meanwhile. */
  goOn(): Promise<() => void>;
  /** From now on nothing that it sends reaches a server, and nothing reaches it. What it has sent is served. */
  kill(): void;
  /** Asks it to end in peace. */
  askToEnd(): void;
  /** What its heap holds after a collection, and its last log lines. */
  measure(): Promise<{ readonly heapBytes: number; readonly lines: readonly string[] }>;
}

/** How to start one. */
export interface ThreadedManagerOptions
  extends Pick<ThreadStart, "name" | "providersUrl" | "provider" | "electionTimes" | "canaries"> {
  /** Told once when it is dead or has ended; with an error where it was not asked to. */
  readonly onEnd: (manager: ThreadedManager, end: { readonly error: string | undefined }) => void;
  /** Told of log lines with a secret in them. */
  readonly onLeak: () => void;
}

/** Starts a manager in a thread. Resolves when it waits for its first answers. */
export async function startThreadedManager(world: World, options: ThreadedManagerOptions): Promise<ThreadedManager> {
  const { clock, traffic, servers, seed } = world;
  const { onEnd, onLeak, ...rest } = options;
  const startedAtMs = clock.monotonic();
  const start: ThreadStart = { ...rest, seed, monotonicMs: startedAtMs, nowMs: clock.now() };
  const url = new URL(`./manager-thread${extname(import.meta.url)}`, import.meta.url);
  const worker = new Worker(url, { workerData: start });
  let fail = (_error: unknown) => {};
  worker.on("error", (error) => fail(error));
  const vitality = createVitality(clock);
  const lineTo = (side: Side): HandlerTransport =>
    createLine({ side, server: servers[side], vitality, traffic, clock });
  const lines = { kubernetes: lineTo("kubernetes"), infrastructure: lineTo("infrastructure") };
  const underWay = new Map<number, AbortController>();
  let mail: ThreadGets[] = [];
  let nextAtMs: number | undefined;
  let isToEnd = false;
  let isAsked = false;
  let isOver = false;
  let leaks = 0;

  const over = (error: string | undefined) => {
    if (isOver) return;
    isOver = true;
    vitality.die();
    void worker.terminate();
    onEnd(manager, { error });
  };
  vitality.onDeath(() => over("killed"));
  const tell = (message: ThreadGets) => {
    if (!vitality.isDead) mail.push(message);
  };
  const serve = async ({ id, side, method, path, headers, body }: ThreadSends & { readonly type: "request" }) => {
    const gone = new AbortController();
    underWay.set(id, gone);
    try {
      const answer = await lines[side]({ method, path, headers, body, signal: gone.signal });
      await carry(id, answer, { tell, gone: gone.signal });
    } catch (error) {
      tell({ type: "end", id, error: asThreadError(error) });
    } finally {
      underWay.delete(id);
    }
  };
  const send = (messages: readonly ThreadSends[]) => {
    for (const message of messages) {
      if (message.type === "request") void serve(message);
      else underWay.get(message.id)?.abort(new Error("the request was given up"));
    }
  };
  const heard = (): Promise<ThreadAnswer> =>
    new Promise((resolve, reject) => {
      fail = reject;
      worker.once("message", resolve);
    });
  const ask = async (order: ThreadOrder | undefined): Promise<ThreadAnswer> => {
    const hearing = heard();
    if (order !== undefined) worker.postMessage(order);
    const answer = await hearing;
    nextAtMs = answer.nextAtMs;
    if (answer.leaks > leaks) onLeak();
    leaks = answer.leaks;
    return answer;
  };
  const follow = ({ mail: sent, ended }: ThreadAnswer) => {
    send(sent);
    if (ended !== undefined) over(ended.error ?? (isAsked ? undefined : "it ended by itself"));
  };
  const manager: ThreadedManager = {
    name: options.name,
    startedAtMs,
    get isAlive() {
      return !isOver;
    },
    get nextAtMs() {
      return nextAtMs;
    },
    get hasMail() {
      return mail.length > 0 || isToEnd !== isAsked;
    },
    async goOn() {
      const told = mail;
      mail = [];
      isAsked ||= isToEnd;
      const answer = await ask({ type: "go", monotonicMs: clock.monotonic(), mail: told, isAskedToEnd: isAsked });
      return () => follow(answer);
    },
    kill: vitality.die,
    askToEnd() {
      isToEnd = true;
    },
    async measure() {
      const { heapBytes = 0, lines: last = [] } = await ask({ type: "measure" });
      return { heapBytes, lines: last };
    },
  };
  follow(await ask(undefined));
  return manager;
}

interface Carrying {
  readonly tell: (message: ThreadGets) => void;
  readonly gone: AbortSignal;
}

async function carry(id: number, { status, headers, body }: HandlerResponse, { tell, gone }: Carrying): Promise<void> {
  if (typeof body === "string") return tell({ type: "answer", id, status, headers, body });
  tell({ type: "answer", id, status, headers, body: undefined });
  for await (const text of body) {
    if (gone.aborted) return;
    tell({ type: "piece", id, text });
  }
  tell({ type: "end", id });
}

function asThreadError(error: unknown): ThreadError {
  const { message = String(error), code }: { message?: string; code?: string } = error instanceof Error ? error : {};
  return { message, code };
}
