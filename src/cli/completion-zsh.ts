// SPDX-License-Identifier: Apache-2.0

import type { ProgramName } from "./command.ts";
import type { CompletedCommand, CompletedOption, CompletedValue } from "./completed-command.ts";

/** A script for zsh: to be sourced after compinit, or to be put into the function path as `_<program>`. */
export function zshScript(program: ProgramName, commands: readonly CompletedCommand[]): string {
  return `#compdef ${program}
# Completion of ${program} for zsh. Load it with: source <(${program} completion zsh)
_${program}() {
  local -a commands
  commands=(
${commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}\n`).join("")}    'help:print help'
  )
  if (( CURRENT == 2 )); then
    if [[ $PREFIX == -* ]]; then
      _arguments '(-h --help)'{-h,--help}'[print help]' '(-V --version)'{-V,--version}'[print the version]'
    else
      _describe command commands
    fi
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
    help) (( CURRENT == 2 )) && _describe command commands ;;
${commands.map(commandCase).join("")}  esac
}
if [[ $funcstack[1] == _${program} ]]; then
  _${program} "$@"
else
  compdef _${program} ${program}
fi
`;
}

function commandCase({ name, options, argument, isRepeatable }: CompletedCommand): string {
  const specifications = [
    ...options.flatMap(optionSpecifications),
    "'(-h --help)'{-h,--help}'[print help]'",
    ...(argument === undefined
      ? []
      : [quoted(`${isRepeatable ? "*" : "1"}:${argument.name}:${action(argument.values)}`)]),
  ];
  return `    ${name}) _arguments ${specifications.join(" ")} ;;\n`;
}

function optionSpecifications({ long, letter, summary, value }: CompletedOption): string[] {
  const rest = `[${escaped(summary)}]${value === undefined ? "" : `:${value.name}:${action(value.values)}`}`;
  const [longEnd, shortEnd] = value === undefined ? ["", ""] : ["=", "+"];
  if (letter === undefined) return [quoted(`${long}${longEnd}${rest}`)];
  const exclusive = `(-${letter} ${long})`;
  return [quoted(`${exclusive}${long}${longEnd}${rest}`), quoted(`${exclusive}-${letter}${shortEnd}${rest}`)];
}

function action(values: CompletedValue["values"]): string {
  return values === "files" ? "_files" : `(${values.join(" ")})`;
}

function escaped(text: string): string {
  return text.replaceAll(/[[\]:\\]/g, "\\$&");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
