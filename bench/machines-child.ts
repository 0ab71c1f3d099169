// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";

/** A process of the bench, which answers questions. */
export interface Child {
  readonly pid: number;
  /** Rejects with what went wrong there, or where it ends. The caller knows what the answer looks like. */
  ask<T>(operation: string, input?: object): Promise<T>;
  /** Ends it and waits until it is gone. May be repeated. */
  stop(): Promise<void>;
}

/** How a process is asked, and how it answers. */
export interface Question {
  readonly id: number;
  readonly operation: string;
  readonly input: object;
}
export interface Reply {
  readonly id: number;
  readonly answer?: unknown;
  readonly error?: string;
}

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

/** Starts Node with these words. What it prints on its standard error is passed on. */
export function startChild(words: readonly string[]): Child {
  const child: ChildProcess = spawn(process.execPath, words, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const waiting = new Map<number, Waiting>();
  let count = 0;
  const ended = new Promise<void>((resolve) =>
    child.once("close", (code, signal) => {
      for (const { reject } of waiting.values()) reject(new Error(`${words.join(" ")} ended with ${code ?? signal}`));
      waiting.clear();
      resolve();
    }),
  );
  child.on("message", (message) => {
    const { id, answer, error } = message as Reply;
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(answer);
    else asked?.reject(new Error(error));
  });
  if (child.pid === undefined) throw new Error(`cannot run ${words.join(" ")}`);
  return {
    pid: child.pid,
    ask: <T>(operation: string, input: object = {}) =>
      new Promise<T>((resolve, reject) => {
        count += 1;
        waiting.set(count, { resolve: (answer) => resolve(answer as T), reject });
        child.send({ id: count, operation, input } satisfies Question);
      }),
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

type Answer = (input: never) => unknown;

/** The other side: answers every question by the function of its name. */
export function answerQuestions(answers: Readonly<Record<string, Answer>>): void {
  process.on("message", async (message) => {
    const { id, operation, input } = message as Question;
    const reply = await replyTo(answers[operation], input).catch((error: unknown) => ({
      error: `${operation}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    }));
    if (process.connected) process.send?.({ id, ...reply } satisfies Reply);
  });
  // Whoever asked is gone.
  process.once("disconnect", () => process.exit(1));
}

async function replyTo(answer: Answer | undefined, input: object): Promise<Omit<Reply, "id">> {
  if (answer === undefined) throw new Error("nobody knows how");
  return { answer: await answer(input as never) };
}

/** The CPU time that processes have taken so far, all threads, in milliseconds. Linux counts in hundredths of a second. */
export async function cpuMs(pids: readonly number[]): Promise<number> {
  let sum = 0;
  for (const pid of pids) {
    const text = await readFile(`/proc/${pid}/stat`, "utf8");
    // The name, in brackets, may have spaces and brackets. The times are the 14th and 15th of all fields, of which the name is the 2nd.
    const [user, system] = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 13);
    sum += (Number(user) + Number(system)) * 10;
  }
  return sum;
}

/** Now, in milliseconds, on a scale that all processes of this machine share. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
