// SPDX-License-Identifier: Apache-2.0

import { type CommandEntry, type Input, type ProgramName, takesValue, type Values } from "./command.ts";
import type { CompletedCommand, CompletedValue } from "./completed-command.ts";
import { bashScript } from "./completion-bash.ts";
import { fishScript } from "./completion-fish.ts";
import { zshScript } from "./completion-zsh.ts";
import { exitCodes, type Io } from "./io.ts";

/** Writes a script for one program and its commands. */
type ScriptWriter = (program: ProgramName, commands: readonly CompletedCommand[]) => string;

const writers: Readonly<Record<string, ScriptWriter>> = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** Prints the completion script of this program for a shell, made from the table of commands. */
export async function run(io: Io, { program, commands, arguments: [shell = ""] }: Input): Promise<number> {
  const completed = await Promise.all(commands.map(complete));
  io.write(writers[shell]?.(program, completed) ?? "");
  return exitCodes.fine;
}

async function complete(entry: CommandEntry): Promise<CompletedCommand> {
  const [argument] = entry.arguments;
  return {
    name: entry.name,
    summary: entry.summary,
    argument: argument === undefined ? undefined : { ...argument, values: await listed(argument.values) },
    isRepeatable: argument?.isRepeatable === true,
    options: await Promise.all(
      entry.options.map(async (option) => {
        const { name, letter, summary } = option;
        const value = takesValue(option)
          ? { name: option.valueName, summary, values: await listed(option.values) }
          : undefined;
        return { long: `--${name}`, letter, summary, value };
      }),
    ),
  };
}

async function listed(values: Values): Promise<CompletedValue["values"]> {
  if (values === "text") return [];
  return typeof values === "function" ? await values() : values;
}
