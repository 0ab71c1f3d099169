// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import type { ProgramName } from "./cli/command.ts";
import type { Io } from "./cli/io.ts";
import { run } from "./cli/run.ts";

/**
 * Runs one of the programs with this process's arguments, and sets the exit code when done. Nothing below reads flags,
 * environment or process state by itself.
 */
export async function main(program: ProgramName): Promise<void> {
  process.on("SIGINT", interrupted);
  // Whoever read our output has seen enough: that is no failure.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(process.exitCode ?? 0);
      if (stream === process.stderr) process.exit(1);
      process.stderr.write(`${program}: cannot write its output: ${error.message}\n`);
      process.exit(1);
    });
  }
  try {
    process.exitCode = await run(program, process.argv.slice(2), processIo());
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(unexpected(program, error));
  }
}

function interrupted(): never {
  process.exit(130);
}

/** Whoever asks twice does not want to wait. */
function untilTold(): Promise<void> {
  process.off("SIGINT", interrupted);
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const)
      process.once(signal, () => {
        process.on(signal, interrupted);
        resolve();
      });
  });
}

function processIo(): Io {
  const isTerminal = process.stdout.isTTY === true && process.env.TERM !== "dumb";
  return {
    write: (text) => process.stdout.write(text),
    complain: (text) => process.stderr.write(text),
    readStdin: readAll,
    directory: process.cwd(),
    home: homedir(),
    environment: process.env,
    untilTold,
    isTerminal,
    hasColour: isTerminal && (process.env.NO_COLOR ?? "") === "",
    version: packageVersion,
  };
}

async function readAll(): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** The package file is one folder up both from the sources and from the bundle. */
function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return String(Object(manifest).version);
}

function unexpected(program: ProgramName, error: unknown): string {
  if (process.env.BUTLER_DEBUG === "1") return `${error instanceof Error ? (error.stack ?? error.message) : error}\n`;
  const message = error instanceof Error ? error.message : String(error);
  const line = message.split("\n")[0] ?? "";
  return `${program}: internal error: ${line} (please report it, with what BUTLER_DEBUG=1 prints)\n`;
}
