// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { kinds } from "../kinds.ts";
import type { Catalogue } from "./catalogue.ts";
import { checkManifest } from "./check-manifest.ts";
import { fakeIo } from "./testing/fake-io.ts";
import { run } from "./validate.ts";

async function validate(text: string, { output, hasColour = false }: { output?: string; hasColour?: boolean } = {}) {
  const io = fakeIo({ stdin: text, hasColour });
  const code = await run(io, { program: "butleradm", commands: [], arguments: ["-"], options: { output } });
  return { code, lines: io.output.split("\n").slice(0, -1), output: io.output, summary: io.complaints.trim() };
}

/** Position, field and the first words of each problem. */
async function problems(text: string): Promise<string[]> {
  return (await validate(text)).lines.map((line) => line.replace(/^<stdin>:/, ""));
}

const head = "apiVersion: butler.butlerlabs.dev/v1alpha1\nkind: MachineRequest\nmetadata: {name: web}\n";
const spec =
  "spec:\n  providerRef: {name: lab}\n  machineName: web\n  role: worker\n  cpu: 2\n  memoryMB: 4096\n  diskGB: 20\n";
const good = head + spec;

describe("exit codes and the summary", () => {
  test("a valid object gives no output and exit code 0", async () => {
    assert.deepEqual(await validate(good), {
      code: 0,
      lines: [],
      output: "",
      summary: "1 object checked, no problems",
    });
  });

  test("a problem is exit code 1", async () => {
    const { code, summary } = await validate(good.replace("cpu: 2", "cpu: 0"));
    assert.deepEqual([code, summary], [1, "1 object checked, 1 problem"]);
  });

  test("the older shape of a ProviderConfig is a warning at its place and exit code 0", async () => {
    const { code, lines, summary } = await validate(`apiVersion: butler.butlerlabs.dev/v1alpha1
kind: ProviderConfig
metadata: {name: old}
spec:
  type: harvester
  harvester:
    networkName: default/vlan1
    credentialsRef: {name: secret}
`);
    assert.match(lines[0] ?? "", /^<stdin>:5:3: warning: spec\.type is deprecated/);
    assert.match(lines[1] ?? "", /^<stdin>:8:5: warning: spec\.harvester\.credentialsRef is deprecated/);
    assert.deepEqual([code, lines.length, summary], [0, 2, "1 object checked, no problems, 2 warnings"]);
  });

  test("objects of others are skipped and counted, empty documents are nothing", async () => {
    const { code, summary } = await validate(
      `---\n# only\n---\napiVersion: v1\nkind: Secret\nstringData: {a: 1}\n---\n${good}---\n`,
    );
    assert.deepEqual([code, summary], [0, "1 object checked, no problems, 1 document skipped: not a Butler kind"]);
  });

  test("unreadable input is exit code 2, also beside problems", async () => {
    const io = fakeIo({ stdin: good.replace("cpu: 2", "cpu: 0") });
    const code = await run(io, { program: "butleradm", commands: [], arguments: ["-", "/nope.yaml"], options: {} });
    assert.equal(code, 2);
    assert.match(io.output, /spec\.cpu/);
    assert.match(io.complaints, /^butleradm: cannot read "\/nope\.yaml"/);
  });
});

/** A kind of ours whose server does not run its rules, and says so. */
function unruly(): Catalogue {
  const message = "Invalid value: null: some validation rules were not checked because the object was invalid";
  return {
    kinds,
    admit: () => ({
      problems: [
        { path: [], field: "<nil>", reason: "FieldValueInvalid", message },
        { path: ["spec", "cpu"], field: "spec.cpu", reason: "FieldValueRequired", message: "Required value" },
      ],
      unknownFields: [],
      warnings: [{ path: [], message: "mind the step" }],
    }),
    normalise: () => [],
  };
}

test("that rules were not checked is said last, as a warning; the server's own warnings are passed on", () => {
  const { findings } = checkManifest({ name: "a.yaml", text: `---\n${good}`, isNamed: true }, unruly());
  assert.deepEqual(
    findings.map(({ line, severity, message }) => [line, severity, message]),
    [
      [2, "warning", "mind the step"],
      [9, "error", "Required value"],
      [2, "warning", "some validation rules were not checked because the object was invalid"],
    ],
  );
});

describe("problems stand at the offending field", () => {
  test("a wrong value at its key, in the server's words", async () => {
    assert.deepEqual(await problems(good.replace("cpu: 2", "cpu: 0")), [
      "8:3: spec.cpu: Invalid value: 0: spec.cpu in body should be greater than or equal to 1",
    ]);
  });

  test("a missing field at its parent", async () => {
    assert.match((await problems(good.replace("  cpu: 2\n", "")))[0] ?? "", /^4:1: spec\.cpu: Required value/);
    assert.match((await problems(head))[0] ?? "", /^1:1: spec: Required value/);
  });

  test("nested lists, block and flow", async () => {
    const disks = `${good}  extraDisks:\n  - sizeGB: 5\n  - storageClass: fast\n    sizeGB: 0\n  - {sizeGB: 5}\n  - {storageClass: x, sizeGB: 0}\n`;
    assert.deepEqual(
      (await problems(disks)).map((line) => line.split(": ").slice(0, 2).join(" ")),
      ["14:5 spec.extraDisks[1].sizeGB", "16:23 spec.extraDisks[3].sizeGB"],
    );
  });

  test("later documents, a List, aliases and merge keys", async () => {
    const later = await problems(`${good}---\n${good.replace("cpu: 2", "cpu: 0")}`);
    assert.match(later.join(), /^19:3: spec\.cpu/);
    const items = `apiVersion: v1\nkind: List\nitems:\n- ${good.trim().replaceAll("\n", "\n  ").replace("cpu: 2", "cpu: 0")}\n`;
    assert.match((await problems(items)).join(), /^11:5: spec\.cpu/);
    const alias = `${head}x-size: &size\n  cpu: 0\n  memoryMB: 4096\n${spec.replace("  cpu: 2\n  memoryMB: 4096\n", "  <<: *size\n")}`;
    assert.deepEqual(
      (await problems(alias)).map((line) => line.split(": ").slice(0, 2).join(" ")),
      ["4:1 x-size", "5:3 spec.cpu"],
    );
  });

  test("JSON", async () => {
    const json = JSON.stringify(
      { apiVersion: "butler.butlerlabs.dev/v1alpha1", kind: "Team", metadata: { name: "a" }, spec: { displayName: 5 } },
      null,
      2,
    );
    assert.match((await problems(json)).join(), /^8:5: spec\.displayName: Invalid value/);
  });
});

describe("unknown names get a suggestion", () => {
  test("fields, at every depth", async () => {
    const text = `${good.replace("memoryMB: 4096", "memory: 4096")}  extraDisks:\n  - sizeGb: 5\n    zzz: 1\n`.replace(
      "{name: web}",
      "{name: web, lables: {}}",
    );
    const found = await problems(text);
    assert.ok(found.includes('3:23: metadata.lables: unknown field (did you mean "labels"?)'), found.join("\n"));
    assert.ok(found.includes('9:3: spec.memory: unknown field (did you mean "memoryMB"?)'));
    assert.ok(found.includes('12:5: spec.extraDisks[0].sizeGb: unknown field (did you mean "sizeGB"?)'));
    assert.ok(found.includes("13:5: spec.extraDisks[0].zzz: unknown field"));
  });

  test("kinds and versions of our group", async () => {
    assert.deepEqual(await problems(good.replace("MachineRequest", "MachineReqest")), [
      '2:1: kind: no such kind "MachineReqest" (did you mean "MachineRequest"?)',
    ]);
    assert.match(
      (await problems(good.replace("MachineRequest", "Pod"))).join(),
      /^2:1: kind: no such kind "Pod"; there are MachineRequest,/,
    );
    for (const wrong of ["butler.butlerlabs.dev/v1alpha2", "butler.butlerlabs.dev", "butler.butlerlab.dev/v1alpha1"]) {
      assert.deepEqual(await problems(good.replace("butler.butlerlabs.dev/v1alpha1", wrong)), [
        `1:1: apiVersion: no such version "${wrong}" (did you mean "butler.butlerlabs.dev/v1alpha1"?)`,
      ]);
    }
    assert.deepEqual(await problems(good.replace(/^apiVersion.*\n/, "")), ["1:1: apiVersion: Required value"]);
    assert.deepEqual(await problems(good.replace(/kind.*\n/, "")), ["1:1: kind: Required value"]);
  });

  test("but a kind of the same name in another group is another's", async () => {
    const { code, summary } = await validate("apiVersion: example.com/v1\nkind: Team\n");
    assert.deepEqual([code, summary], [0, "0 objects checked, no problems, 1 document skipped: not a Butler kind"]);
  });

  test("a named file without any object in it is a problem", async () => {
    assert.deepEqual(await problems("just text"), ["1:1: not a Kubernetes object"]);
    assert.deepEqual(await problems("a: 1"), ["1:1: apiVersion: Required value", "1:1: kind: Required value"]);
  });
});

describe("malformed YAML", () => {
  test("is a problem of its document, and the others are checked", async () => {
    const { code, lines } = await validate(`a: 'open\n---\n${good.replace("cpu: 2", "cpu: 0")}---\nb: [\n`);
    assert.equal(code, 1);
    assert.deepEqual(
      lines.map((line) => line.split(":").slice(1, 5).join(":")),
      [
        "1:9: malformed YAML: the closing quote is missing",
        "10:3: spec.cpu: Invalid value",
        "14:5: malformed YAML: the closing bracket is missing, or not indented",
      ],
    );
  });

  test("keys given twice are problems", async () => {
    assert.deepEqual(await problems(`${good}  cpu: 4\n`), ['11:3: key "cpu" is given twice']);
  });

  test("secrets are not echoed", async () => {
    const { output, summary } = await validate(
      `apiVersion: v1\nkind: Secret\nstringData:\n  password: "hunter2" hunter2\n  password: hunter2\n`,
    );
    assert.doesNotMatch(output + summary, /hunter2/);
  });
});

test("-o json is an array of findings, empty when there are none", async () => {
  const { code, output } = await validate(good.replace("cpu: 2", "cpu: 0"), { output: "json" });
  assert.equal(code, 1);
  assert.deepEqual(JSON.parse(output), [
    {
      file: "<stdin>",
      line: 8,
      column: 3,
      field: "spec.cpu",
      reason: "FieldValueInvalid",
      message: "Invalid value: 0: spec.cpu in body should be greater than or equal to 1",
      severity: "error",
    },
  ]);
  assert.deepEqual(JSON.parse((await validate(good, { output: "json" })).output), []);
});

test("colours change nothing but colours", async () => {
  const text = good.replace("cpu: 2", "cpu: 0");
  const coloured = (await validate(text, { hasColour: true })).output;
  assert.notEqual(coloured, (await validate(text)).output);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of
  assert.equal(coloured.replaceAll(/\u001B\[\d+m/g, ""), (await validate(text)).output);
});

describe("hostile and mistaken input", () => {
  test("control characters in names reach no terminal and forge no line", async () => {
    const { lines } = await validate(`${good}  "\\e]0;x\\a": 1\n  "a\\nfile.yaml:1:1: b": 2\n`);
    assert.deepEqual(lines, [
      "<stdin>:11:3: spec.\\u001b]0;x\\u0007: unknown field",
      "<stdin>:12:3: spec.a\\u000afile.yaml:1:1: b: unknown field",
    ]);
  });

  test("a kind of ours in the core group, or in a group that calls itself butler, was meant to be ours", async () => {
    for (const version of ["v1", "butler.dev/v1alpha1"]) {
      const [line] = await problems(good.replace("butler.butlerlabs.dev/v1alpha1", version));
      assert.match(line ?? "", /^1:1: apiVersion: no such version .*did you mean "butler\.butlerlabs\.dev\/v1alpha1"/);
    }
    assert.equal((await validate(good.replace("butler.butlerlabs.dev", "aws.example.com"))).code, 0);
  });

  test("a List is unpacked also without its apiVersion", async () => {
    const { code } = await validate(
      `kind: List\nitems: [{apiVersion: butler.butlerlabs.dev/v1alpha1, kind: MachineRequest}]\n`,
    );
    assert.equal(code, 1);
  });

  test("a provider that is not supported is a warning", async () => {
    const { code, lines } = await validate(
      `${head.replace("MachineRequest", "ProviderConfig")}spec: {provider: local}\n`,
    );
    assert.equal(code, 0);
    assert.match(lines[0] ?? "", /^<stdin>:4:8: warning: provider local is accepted but not supported/);
  });
});
