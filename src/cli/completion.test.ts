// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { kinds } from "../kinds.ts";
import type { ProgramName } from "./command.ts";
import { run } from "./completion.ts";
import { commandsOf } from "./table.ts";
import { fakeIo } from "./testing/fake-io.ts";

async function script(program: ProgramName, shell: string): Promise<string> {
  const io = fakeIo();
  assert.equal(await run(io, { program, commands: commandsOf(program), arguments: [shell], options: {} }), 0);
  return io.output;
}

const names = kinds.map(({ kind }) => kind);
const files = ["b c.yaml", "d.yaml", "sub"];
const commandNames = commandsOf("butleradm").map(({ name }) => name);

/** What every shell offers after these words, and after some of them other things as well. */
const exactly: Readonly<Record<string, readonly string[]>> = {
  "butleradm va": ["validate"],
  "butleradm help cr": ["crds"],
  "butleradm crds --kind ": names.toSorted(),
  "butleradm crds --kind Tea": ["Team"],
  "butleradm completion ": ["bash", "fish", "zsh"],
  "butleradm validate -o j": ["json"],
  "butleradm validate --output ": ["json", "text"],
  "butleradm validate d": ["d.yaml"],
  "butleradm validate d.yaml ": files,
};
const amongOthers: Readonly<Record<string, readonly string[]>> = {
  "butleradm ": [...commandNames, "help"],
  "butleradm validate --o": ["--output"],
  "butleradm demo --on": ["--once"],
  "butleradm demo --once --fa": ["--faults"],
  "butleradm --ver": ["--version"],
};
const typed = [...Object.keys(exactly), ...Object.keys(amongOthers)];

/** Holds what a shell offered, sorted and by what was typed, against what was promised. */
function check(offered: (line: string) => readonly string[]): void {
  for (const [line, words] of Object.entries(exactly)) assert.deepEqual(offered(line), words, line);
  for (const [line, words] of Object.entries(amongOthers)) {
    for (const word of words) assert.ok(offered(line).includes(word), `${line}: ${word}`);
  }
}

function missing(shell: string): string | false {
  return spawnSync(shell, ["-c", "true"]).error === undefined ? false : `${shell} is not installed`;
}

describe("completion in real shells", () => {
  let folder = "";
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "butler-completion-"));
    writeFileSync(join(folder, "b c.yaml"), "");
    writeFileSync(join(folder, "d.yaml"), "");
    mkdirSync(join(folder, "sub"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const shellRun = (shell: string, words: string[], environment: Record<string, string>): string => {
    const { status, stdout, stderr } = spawnSync(shell, words, {
      cwd: folder,
      encoding: "utf8",
      timeout: 30_000,
      env: { ...process.env, ...environment },
    });
    assert.equal(stderr, "");
    assert.equal(status, 0);
    return stdout;
  };
  const sorted = (text: string): string[] => [...new Set(text.split("\n").filter((line) => line !== ""))].sort();

  test("bash", { skip: missing("bash") }, async () => {
    const SCRIPT = await script("butleradm", "bash");
    const caller =
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is for the shell
      'eval "$SCRIPT"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _butleradm 2>/dev/null; printf "%s\\n" "${COMPREPLY[@]}"';
    const completeWords = (words: string[]): string[] =>
      sorted(shellRun("bash", ["--norc", "-c", caller, "bash", ...words], { SCRIPT }));
    check((line) => completeWords(line.split(" ")));
    assert.deepEqual(completeWords(["butleradm", "crds", "--kind", "=", "Tea"]), ["Team"]);
    assert.deepEqual(completeWords(["butleradm", "crds", "--kind", "="]), names.toSorted());
    assert.match(
      shellRun("bash", ["--norc", "-c", 'eval "$SCRIPT"; complete -p butleradm'], { SCRIPT }),
      /-F _butleradm butleradm/,
    );
  });

  test("fish", { skip: missing("fish") }, async () => {
    const SCRIPT = await script("butleradm", "fish");
    const caller = "echo $SCRIPT | source; complete -C $LINE";
    check((LINE) => {
      const text = shellRun("fish", ["--no-config", "-c", caller], { SCRIPT, LINE, HOME: folder });
      return sorted(text.replaceAll(/(\/)?(\t.*)?$/gm, ""));
    });
  });

  test("zsh", { skip: missing("zsh") }, async () => {
    const SCRIPT = await script("butleradm", "zsh");
    const file = join(folder, ".harness");
    const OUT = join(folder, ".out");
    writeFileSync(file, zshHarness);
    shellRun("zsh", ["-f", file], { SCRIPT, LINES_TYPED: typed.join("\n"), OUT, ZDOTDIR: folder });
    const parts = readFileSync(OUT, "utf8").split("TYPED\n").slice(1);
    check((line) => sorted((parts[typed.indexOf(line)] ?? "").replaceAll(/[/=]$/gm, "").replaceAll("\\", "")));
  });
});

// Completes each typed line in an interactive zsh behind a pseudo terminal, and writes what is offered to OUT.
const zshHarness = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1= ; autoload -Uz compinit; compinit -u -D; eval "$SCRIPT"; lines=("\${(@f)LINES_TYPED}"); at=0
compadd() {
  if [[ " \${@[1,(i)(-|--)]} " == *" -"(O|A|D)" "* ]]; then builtin compadd "$@"; return; fi
  local -a hits; builtin compadd -A hits "$@"; (( $#hits )) && print -rl -- $hits >> $OUT; builtin compadd "$@"
}
offer() {
  for BUFFER in $lines; do CURSOR=$#BUFFER; print TYPED >> $OUT; zle list-choices; done
  print -r -- "OFFERED-"ALL
}
zle -N offer; zle -C list-choices list-choices _main_complete; bindkey "^O" offer; print -r -- "READY-"NOW'
zpty -r shell answer '*READY-NOW*'
zpty -w -n shell $'\\x0f'
zpty -r shell answer '*OFFERED-ALL*'
zpty -d shell
`;

test("tenants are offered no command for operators", async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const text = await script("butlerctl", shell);
    assert.doesNotMatch(text, /crds|butleradm/);
    assert.match(text, /butlerctl/);
  }
});
