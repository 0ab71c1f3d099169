// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CommandEntry, ProgramName } from "./command.ts";
import { parse } from "./parse.ts";
import { run } from "./run.ts";
import { commands, commandsOf, programs } from "./table.ts";
import { fakeIo } from "./testing/fake-io.ts";

const both: readonly ProgramName[] = ["butleradm", "butlerctl"];

async function runWith(program: ProgramName, ...words: string[]) {
  const io = fakeIo();
  return { code: await run(program, words, io), output: io.output, complaints: io.complaints };
}

describe("help", () => {
  test("no arguments, --help, -h and help all print the same, and that is fine", async () => {
    for (const program of both) {
      const plain = await runWith(program);
      assert.equal(plain.code, 0);
      for (const word of ["--help", "-h", "help"]) assert.deepEqual(await runWith(program, word), plain);
    }
  });

  test("says what the program is for, its commands, examples and exit codes", async () => {
    for (const program of both) {
      const { output } = await runWith(program, "--help");
      assert.ok(output.startsWith(programs[program]));
      assert.equal(programs[program].split("\n").length, 2);
      for (const { name, summary } of commandsOf(program)) assert.ok(output.includes(name) && output.includes(summary));
      for (const part of ["Usage:", "Examples:", "Exit codes:"]) assert.ok(output.includes(part), part);
    }
  });

  test("shows tenants no command for operators", async () => {
    assert.doesNotMatch((await runWith("butlerctl", "--help")).output, /crds/);
  });

  test("explains each command with arguments, options and examples, wherever the flag stands", async () => {
    for (const program of both) {
      for (const command of commandsOf(program)) {
        const { code, output } = await runWith(program, command.name, "--help");
        assert.equal(code, 0);
        for (const { name, summary } of [...command.arguments, ...command.options]) {
          assert.ok(output.includes(name) && output.includes(summary));
        }
        assert.match(output, /Examples:\n {2}# /);
        assert.equal((await runWith(program, "help", command.name)).output, output);
        assert.equal((await runWith(program, command.name, "x", "-h")).output, output);
      }
    }
  });

  test("fits a terminal of 120 columns", async () => {
    for (const program of both) {
      for (const words of [[], ...commandsOf(program).map(({ name }) => [name, "--help"])]) {
        for (const line of (await runWith(program, ...words)).output.split("\n")) assert.ok(line.length <= 120, line);
      }
    }
  });
});

test("--version prints program and version", async () => {
  assert.deepEqual(await runWith("butleradm", "--version"), { code: 0, output: "butleradm 1.2.3\n", complaints: "" });
  assert.equal((await runWith("butlerctl", "-V")).output, "butlerctl 1.2.3\n");
});

describe("wrong usage is one line that helps, and exit code 2", () => {
  const cases: [ProgramName, string, RegExp][] = [
    ["butleradm", "cdrs", /^butleradm: unknown command "cdrs" \(did you mean "crds"\?\); butleradm --help/],
    ["butleradm", "valdiate x.yaml", /did you mean "validate"\?/],
    ["butleradm", "frobnicate", /^butleradm: unknown command "frobnicate"; butleradm --help/],
    ["butleradm", "help crd", /did you mean "crds"\?/],
    ["butlerctl", "crds", /^butlerctl: unknown command "crds"/],
    ["butleradm", "--verison", /unknown option "--verison" \(did you mean "--version"\?\)/],
    [
      "butleradm",
      "crds --knd mr",
      /crds: unknown option "--knd" \(did you mean "--kind"\?\); see butleradm crds --help/,
    ],
    ["butleradm", "crds --kind", /crds: option "--kind <KIND>" argument missing/],
    ["butleradm", "crds extra", /crds: too many arguments/],
    [
      "butleradm",
      "crds --kind MachineReqest",
      /no kind "MachineReqest" \(did you mean "MachineRequest"\?\); there are .*Team \(tm\)/,
    ],
    ["butleradm", "validate", /validate: missing required argument "FILE"/],
    ["butleradm", "validate -o yaml x", /--output: "yaml" is not one of text, json/],
    ["butleradm", "completion bsh", /"bsh" is not one of bash, zsh, fish \(did you mean "bash"\?\)/],
    ["butleradm", "completion", /missing required argument "SHELL"/],
  ];
  for (const [program, line, expected] of cases) {
    test(`${program} ${line}`, async () => {
      const { code, output, complaints } = await runWith(program, ...line.split(" "));
      assert.match(complaints, expected);
      assert.equal(complaints.split("\n").length, 2);
      assert.equal(output, "");
      assert.equal(code, 2);
    });
  }
});

test("every example is a command line the program takes", () => {
  for (const command of commands) {
    for (const program of command.programs) {
      for (const { line } of command.examples) {
        const own = /PROGRAM ([^|>)]*)/.exec(line)?.[1]?.trim().split(" ") ?? [];
        assert.equal(own[0], command.name, line);
        parse(program, command, own.slice(1));
      }
    }
  }
});

test("options that take no value are there or not, and names with dashes are kept as users write them", () => {
  const command: CommandEntry = {
    name: "try",
    programs: ["butleradm"],
    summary: "",
    details: "",
    arguments: [],
    options: [
      { name: "dry-run", letter: "n", summary: "" },
      { name: "log-level", valueName: "LEVEL", summary: "", values: ["low", "high"] },
    ],
    examples: [],
    load: () => Promise.reject(new Error("not run")),
  };
  const options = (...words: string[]) => parse("butleradm", command, words).options;
  assert.deepEqual(options(), { "dry-run": undefined, "log-level": undefined });
  assert.deepEqual(options("-n", "--log-level=low"), { "dry-run": "true", "log-level": "low" });
  assert.throws(() => options("--dry-run", "yes"), /too many arguments/);
  assert.throws(() => options("--log-level", "x"), /--log-level: "x" is not one of low, high/);
});

test("what follows -- is an argument, whatever it looks like", async () => {
  const { code, complaints } = await runWith("butleradm", "validate", "--", "--help");
  assert.equal(code, 2);
  assert.match(complaints, /cannot read "--help"/);
});
