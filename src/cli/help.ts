// SPDX-License-Identifier: Apache-2.0
import { type CommandEntry, type Example, type ProgramName, takesValue } from "./command.ts";
import { commandsOf, programs } from "./table.ts";

const endings = `Exit codes:
  0    fine
  1    problems found, or the work failed
  2    wrong usage, or input that cannot be read
  130  interrupted
`;

const helpRow: Row = ["-h, --help", "print this help"];

type Row = readonly [string, string];

/** What the program is for, its commands, examples, exit codes. */
export function programHelp(program: ProgramName): string {
  const commands = commandsOf(program);
  return [
    `${programs[program]}\n`,
    `Usage: ${program} COMMAND [ARGUMENTS] [OPTIONS]\n`,
    section("Commands", commands.map(commandRow)),
    section("Options", [helpRow, ["-V, --version", "print the version"]]),
    examples(
      program,
      commands.flatMap((command) => command.examples.slice(0, 1)),
    ),
    endings,
    `More about a command: ${program} COMMAND --help\n`,
  ].join("\n");
}

/** What one command does, its arguments, options, examples, exit codes. */
export function commandHelp(program: ProgramName, command: CommandEntry): string {
  const options = command.options.map((option): Row => {
    const { name, letter, summary } = option;
    const value = takesValue(option) ? ` ${option.valueName}` : "";
    return [`${letter === undefined ? "    " : `-${letter}, `}--${name}${value}`, summary];
  });
  return [
    `${usageLine(program, command)}\n`,
    `${capitalised(command.summary)}.\n${command.details}\n`,
    ...(command.arguments.length === 0
      ? []
      : [
          section(
            "Arguments",
            command.arguments.map(({ name, summary }) => [name, summary]),
          ),
        ]),
    section("Options", [...options, helpRow]),
    examples(program, command.examples),
    endings,
  ].join("\n");
}

function usageLine(program: ProgramName, command: CommandEntry): string {
  const words = command.arguments.map(({ name, isRepeatable }) => (isRepeatable ? `${name}...` : name));
  return ["Usage:", program, command.name, ...words, ...(command.options.length > 0 ? ["[OPTIONS]"] : [])].join(" ");
}

function commandRow(command: CommandEntry): Row {
  return [
    [command.name, ...command.arguments.map(({ name, isRepeatable }) => (isRepeatable ? `${name}...` : name))].join(
      " ",
    ),
    command.summary,
  ];
}

function section(title: string, rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return `${title}:\n${rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join("")}`;
}

function examples(program: ProgramName, list: readonly Example[]): string {
  const shown = list.map(({ line, explains }) => `  # ${explains}\n  ${line.replaceAll("PROGRAM", program)}\n`);
  return `Examples:\n${shown.join("")}`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
