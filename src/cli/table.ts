// SPDX-License-Identifier: Apache-2.0
import type { CommandEntry, ProgramName } from "./command.ts";

/** What each program is for, in two lines. */
export const programs: Readonly<Record<ProgramName, string>> = {
  butleradm: `butleradm is for operators of Butler, which makes virtual machines and Talos clusters from Kubernetes objects.
It prints the definitions a cluster needs, and checks manifests before they are applied.`,
  butlerctl: `butlerctl is for tenants of Butler, which makes virtual machines and Talos clusters from Kubernetes objects.
It checks manifests before they are applied.`,
};

/** Every command there is. Adding one means one entry here and one file beside this one. */
export const commands: readonly CommandEntry[] = [
  {
    name: "crds",
    programs: ["butleradm"],
    summary: "print the CustomResourceDefinitions of Butler's kinds",
    details: "Prints one YAML stream, the same at every call, ready for `kubectl apply -f -`.",
    arguments: [],
    options: [
      {
        name: "kind",
        valueName: "KIND",
        summary: "only this one: a kind, its plural or its short name",
        values: async () => (await import("../kinds.ts")).kinds.map(({ kind }) => kind),
      },
    ],
    examples: [
      { line: "PROGRAM crds | kubectl apply --server-side -f -", explains: "teach a cluster all of Butler's kinds" },
      { line: "PROGRAM crds --kind mr", explains: "look at the definition of MachineRequest" },
    ],
    load: () => import("./crds.ts"),
  },
  {
    name: "validate",
    programs: ["butleradm", "butlerctl"],
    summary: "check manifests without a cluster",
    details: `Checks by the same schemas and rules as the API server would, and prints each problem as
file:line:column: field: problem. Folders are searched for *.yaml, *.yml and *.json; - reads standard input.
Objects that are not Butler's are skipped. A warning alone is no problem.`,
    arguments: [{ name: "FILE", summary: "file, folder or -", isRepeatable: true, values: "files" }],
    options: [
      {
        name: "output",
        letter: "o",
        valueName: "FORMAT",
        summary: "text (default) or json: an array with file, line, column, field, reason, message, severity",
        values: ["text", "json"],
      },
    ],
    examples: [
      { line: "PROGRAM validate machine.yaml", explains: "check one file" },
      { line: "PROGRAM validate manifests/ -o json", explains: "check a folder, for a machine to read" },
      { line: "kustomize build . | PROGRAM validate -", explains: "check what another program prints" },
    ],
    load: () => import("./validate.ts"),
  },
  {
    name: "completion",
    programs: ["butleradm", "butlerctl"],
    summary: "print a script that completes commands in your shell",
    details: "The script is complete in itself: completing runs nothing of Butler.",
    arguments: [{ name: "SHELL", summary: "bash, zsh or fish", values: ["bash", "zsh", "fish"] }],
    options: [],
    examples: [
      { line: "source <(PROGRAM completion bash)", explains: "in ~/.bashrc" },
      { line: "source <(PROGRAM completion zsh)", explains: "in ~/.zshrc, after compinit" },
      { line: "PROGRAM completion fish > ~/.config/fish/completions/PROGRAM.fish", explains: "once, for fish" },
    ],
    load: () => import("./completion.ts"),
  },
];

/** The commands of one program, in the order help shows them. */
export function commandsOf(program: ProgramName): readonly CommandEntry[] {
  return commands.filter((command) => command.programs.includes(program));
}
