// SPDX-License-Identifier: Apache-2.0

import type { ProgramName } from "./command.ts";
import type { CompletedCommand, CompletedValue } from "./completed-command.ts";

/** A script for bash 3.2 and newer that needs no other completion package. */
export function bashScript(program: ProgramName, commands: readonly CompletedCommand[]): string {
  const top = [...commands.map(({ name }) => name), "help", "--help", "--version"].join(" ");
  const names = commands.map(({ name }) => name).join(" ");
  return `# Completion of ${program} for bash. Load it with: source <(${program} completion bash)
_${program}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="" index
  # Bash cuts --option=value into three words.
  if [[ $current == "=" ]]; then
    current=""
  elif [[ $previous == "=" ]]; then
    previous="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    if [[ \${COMP_WORDS[index]} != -* ]]; then
      command="\${COMP_WORDS[index]}"
      break
    fi
  done
  COMPREPLY=()
  case "$command" in
    "") COMPREPLY=($(compgen -W "${top}" -- "$current")) ;;
    help) COMPREPLY=($(compgen -W "${names}" -- "$current")) ;;
${commands.map(commandCase).join("")}  esac
}
complete -F _${program} ${program}
`;
}

function commandCase({ name, argument, options }: CompletedCommand): string {
  const flags = [...options.map(({ long }) => long), "--help"].join(" ");
  const valueCases = options.flatMap(({ long, letter, value }) => {
    if (value === undefined) return [];
    const pattern = letter === undefined ? long : `${long} | -${letter}`;
    return [`        ${pattern}) ${reply(value.values)} ;;\n`];
  });
  return `    ${name})
      case "$previous" in
${valueCases.join("")}        *)
          if [[ $current == -* ]]; then
            COMPREPLY=($(compgen -W "${flags}" -- "$current"))
          else
            ${argument === undefined ? `COMPREPLY=($(compgen -W "${flags}" -- "$current"))` : reply(argument.values)}
          fi
          ;;
      esac
      ;;
`;
}

function reply(values: CompletedValue["values"]): string {
  if (values !== "files") return `COMPREPLY=($(compgen -W "${values.join(" ")}" -- "$current"))`;
  // Read line by line: names may have spaces, and bash 3.2 has no mapfile.
  return `compopt -o filenames 2>/dev/null; while IFS= read -r index; do COMPREPLY+=("$index"); done < <(compgen -f -- "$current")`;
}
