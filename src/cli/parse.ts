// SPDX-License-Identifier: Apache-2.0
import { Argument, Command, CommanderError, Option } from "commander";
import { didYouMean } from "../lib/suggest.ts";
import {
  type ArgumentEntry,
  type CommandEntry,
  type Input,
  type OptionEntry,
  type ProgramName,
  takesValue,
  type Values,
} from "./command.ts";
import { UsageError } from "./io.ts";

/** What was written after a command's name. */
type ParsedWords = Omit<Input, "commands">;

/**
 * Reads the words after a command's name by its entry in the table. Throws `UsageError`, with a suggestion where one is
 * near, for unknown options, missing or superfluous arguments and values that are not among the listed ones.
 */
export function parse(program: ProgramName, entry: CommandEntry, words: readonly string[]): ParsedWords {
  const command = new Command(entry.name).exitOverride().helpOption(false).showSuggestionAfterError(false);
  // Errors are thrown, and the caller says them once, in our words.
  command.configureOutput({ writeErr: () => {}, writeOut: () => {} });
  command.allowExcessArguments(false);
  for (const argument of entry.arguments) command.addArgument(toArgument(argument));
  for (const option of entry.options) command.addOption(toOption(option));
  try {
    command.parse([...words], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) throw new UsageError(explain(error, entry, program));
    throw error;
  }
  const given = Object.entries(command.opts<Record<string, string | boolean>>());
  const options = Object.fromEntries(entry.options.map(({ name }) => [name, textOf(given, name)]));
  const input: ParsedWords = { program, arguments: command.args, options };
  checkValues(entry, input);
  return input;
}

function toArgument({ name, summary, isRepeatable }: ArgumentEntry): Argument {
  return new Argument(isRepeatable ? `<${name}...>` : `<${name}>`, summary);
}

function toOption(option: OptionEntry): Option {
  const { name, letter, summary } = option;
  const value = takesValue(option) ? ` <${option.valueName}>` : "";
  return new Option(`${letter === undefined ? "" : `-${letter}, `}--${name}${value}`, summary);
}

/** The parser names `--leader-elect` leaderElect; we name it as users do. */
function textOf(given: readonly (readonly [string, string | boolean])[], name: string): string | undefined {
  const parsed = name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const value = given.find(([each]) => each === parsed)?.[1];
  return value === undefined ? undefined : String(value);
}

function explain(error: CommanderError, entry: CommandEntry, program: ProgramName): string {
  const message = error.message
    .replace(/^error: /, "")
    .replace(/\.$/, "")
    .replaceAll("'", '"');
  const flag = /^unknown option "(--[^"=]+)/.exec(message)?.[1];
  const near = flag === undefined ? "" : didYouMean(flag, [...entry.options.map(({ name }) => `--${name}`), "--help"]);
  return `${entry.name}: ${message}${near}; see ${program} ${entry.name} --help`;
}

function checkValues(entry: CommandEntry, input: ParsedWords): void {
  for (const option of entry.options)
    if (takesValue(option)) checkValue(input.options[option.name], option.values, `--${option.name}`);
  entry.arguments.forEach(({ name, values, isRepeatable }, index) => {
    if (!isRepeatable) checkValue(input.arguments[index], values, name);
  });
}

/** Values that take code to list are checked by the command itself. */
function checkValue(value: string | undefined, values: Values, what: string): void {
  if (value === undefined || typeof values !== "object" || values.includes(value)) return;
  throw new UsageError(`${what}: "${value}" is not one of ${values.join(", ")}${didYouMean(value, values)}`);
}
