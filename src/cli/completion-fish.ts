// SPDX-License-Identifier: Apache-2.0

import type { ProgramName } from "./command.ts";
import type { CompletedCommand, CompletedValue } from "./completed-command.ts";

/** A script for fish 3 and newer. */
export function fishScript(program: ProgramName, commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name).join(" ");
  const lines = [
    `# Completion of ${program} for fish.`,
    `complete -c ${program} -f`,
    ...commands.map(
      ({ name, summary }) => `complete -c ${program} -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ),
    `complete -c ${program} -n __fish_use_subcommand -a help -d 'print help'`,
    `complete -c ${program} -n __fish_use_subcommand -s V -l version -d 'print the version'`,
    `complete -c ${program} -s h -l help -d 'print help'`,
    `complete -c ${program} -n '__fish_seen_subcommand_from help' -a ${quoted(names)}`,
    ...commands.flatMap((command) => commandLines(program, command)),
  ];
  return `${lines.join("\n")}\n`;
}

function commandLines(program: ProgramName, { name, options, argument }: CompletedCommand): string[] {
  const start = `complete -c ${program} -n '__fish_seen_subcommand_from ${name}'`;
  const flags = options.map(({ long, letter, summary, value }) => {
    const short = letter === undefined ? "" : ` -s ${letter}`;
    const flag = `${start}${short} -l ${long.slice(2)} -d ${quoted(summary)}`;
    return value === undefined ? flag : `${flag} ${value.values === "files" ? "-r" : "-x"} ${taking(value.values)}`;
  });
  if (argument === undefined) return flags;
  return [...flags, argument.values === "files" ? `${start} -F` : `${start} ${taking(argument.values)}`];
}

function taking(values: CompletedValue["values"]): string {
  return values === "files" ? "-F" : `-a ${quoted(values.join(" "))}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
