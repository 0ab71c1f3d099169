// SPDX-License-Identifier: Apache-2.0
import { didYouMean } from "../lib/suggest.ts";
import type { CommandEntry, ProgramName } from "./command.ts";
import { commandHelp, programHelp } from "./help.ts";
import { exitCodes, type Io, UsageError } from "./io.ts";
import { commandsOf } from "./table.ts";

/**
 * Runs what a command line asks for and gives the exit code. Wrong usage is one message on the error stream and exit
 * code 2. Help is answered from the table alone: no command's code is loaded for it.
 */
export async function run(program: ProgramName, words: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(program, words, io);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    io.complain(`${program}: ${error.message}\n`);
    return exitCodes.usage;
  }
}

async function dispatch(program: ProgramName, words: readonly string[], io: Io): Promise<number> {
  const [first, ...rest] = words;
  if (first === undefined || first === "-h" || first === "--help") return print(io, programHelp(program));
  if (first === "-V" || first === "--version") return print(io, `${program} ${io.version()}\n`);
  if (first === "help") {
    return print(io, rest[0] === undefined ? programHelp(program) : commandHelp(program, find(program, rest[0])));
  }
  const command = find(program, first);
  if (asksForHelp(rest)) return print(io, commandHelp(program, command));
  const { parse } = await import("./parse.ts");
  const input = parse(program, command, rest);
  const { run: runCommand } = await command.load();
  return runCommand(io, { ...input, commands: commandsOf(program) });
}

function print(io: Io, text: string): number {
  io.write(text);
  return exitCodes.fine;
}

/** What comes after `--` is an argument, whatever it looks like. */
function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return words.slice(0, end === -1 ? words.length : end).some((word) => word === "-h" || word === "--help");
}

function find(program: ProgramName, word: string): CommandEntry {
  const commands = commandsOf(program);
  const command = commands.find(({ name }) => name === word);
  if (command !== undefined) return command;
  const isFlag = word.startsWith("-");
  const names = isFlag ? ["--help", "--version"] : [...commands.map(({ name }) => name), "help"];
  const near = didYouMean(word, names);
  throw new UsageError(
    `unknown ${isFlag ? "option" : "command"} "${word}"${near}; ${program} --help lists what there is`,
  );
}
